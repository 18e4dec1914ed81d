import { WINDOW_MS } from './rate-limit-window.ts';

/** Share of an assumed limit that remains in use after a refusal. */
const LEFT_BY_REFUSAL = 0.75;

/** Time (ms) to the next decision while requests in flight may use up the window: answers may go to other accounts. */
const DECIDED_ANEW_MS = 1_000;

/** Time (ms) without a refusal after which the limit grows by one operation, up to its initial value. */
const RAISED_AFTER_MS = 15 * 60_000;

interface Refused {
  lowered: number;
  othersAnswered: boolean;
}

/**
 * Limit that the platform does not name and counts by the client's address. All accounts of this process with that address share
 * it, adapt it to each other's refusals, and pause together. It grows back after an outage.
 */
export class AssumedLimit {
  /** Accounts that share the limit. */
  readonly sharers = new Set<object>();
  readonly #first: number;
  #learned: number;
  /** Times (local ms) of the last change and of the last refusal. */
  #correctedAt = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** Refused accounts without an answer since: the reduction that they caused, and true if other accounts were answered since. */
  readonly #refused = new Map<object, Refused>();
  #stoppedUntil = 0;
  #inFlight = 0;
  /** Times (local ms) of the answers within the last window, oldest first. */
  readonly #answeredAt: number[] = [];

  /** @param first initial number of operations per window */
  constructor(first: number) {
    this.#first = first;
    this.#learned = first;
  }

  leave(who: object): void {
    this.sharers.delete(who);
    this.#refused.delete(who);
  }

  /** Operations that each account may send within its {@link windows}; at least one. */
  get each(): number {
    return Math.max(1, Math.floor(this.#learned / this.#among));
  }

  /** Number of windows for each share: with fewer operations than accounts in a window, accounts take turns. */
  get windows(): number {
    return Math.max(1, Math.ceil(this.#among / this.#learned));
  }

  /** Time (local ms) until which a refusal stops all accounts. */
  get stoppedUntil(): number {
    return this.#stoppedUntil;
  }

  /** Returns the time (local ms) until which the limit is used up for all accounts; a past time if it is not. */
  usedUntil(now: number): number {
    const recent = this.#answeredAt.filter((at) => at > now - WINDOW_MS);
    const over = recent.length + this.#inFlight - this.#learned;
    if (over < 0) return 0;
    const freed = recent[over];
    return freed === undefined ? now + DECIDED_ANEW_MS : freed + WINDOW_MS;
  }

  /** Records that an operation is sent. The caller must call the returned function when it ends. */
  send(): () => void {
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
    };
  }

  get #among(): number {
    return Math.max(1, this.sharers.size);
  }

  /**
   * Records a refusal of an operation that `who` sent at `sentAt`. Lowers the limit, unless the operation was sent
   * before an earlier refusal, and pauses all accounts. If an account is refused again while others are answered,
   * restores the limit that its refusals lowered, and does not pause.
   */
  refused(who: object, now: number, sentAt: number, stoppedUntil: number): void {
    this.#came(now);
    const isNews = sentAt > this.#refusedAt;
    const before = this.#learned;
    const known = this.#refused.get(who);
    if (known?.othersAnswered === true) {
      if (isNews && known.lowered > 0) this.#correct(now, before + known.lowered);
      if (isNews) known.lowered = 0;
      return;
    }
    if (isNews) {
      this.#refusedAt = now;
      this.#correct(now, Math.floor(before * LEFT_BY_REFUSAL));
    }
    const lowered = (known?.lowered ?? 0) + before - this.#learned;
    this.#refused.set(who, { lowered, othersAnswered: false });
    this.#stoppedUntil = Math.max(this.#stoppedUntil, stoppedUntil);
  }

  answered(who: object, now: number): void {
    this.#came(now);
    this.#refused.delete(who);
    for (const refused of this.#refused.values()) refused.othersAnswered = true;
    if (now >= this.#correctedAt + RAISED_AFTER_MS) this.#correct(now, this.#learned + 1);
  }

  #came(now: number): void {
    this.#answeredAt.push(now);
    while ((this.#answeredAt[0] ?? now) <= now - WINDOW_MS) this.#answeredAt.shift();
  }

  #correct(now: number, limit: number): void {
    this.#learned = Math.max(1, Math.min(this.#first, limit));
    this.#correctedAt = now;
  }
}

/** Limits that are counted by the client's address, by the origin of the requests. */
export class SharedLimits {
  readonly #limits = new Map<string, AssumedLimit>();

  /** Returns the limit of an origin. @param first initial number of operations per window */
  at(origin: string, first: number): AssumedLimit {
    const limit = this.#limits.get(origin) ?? new AssumedLimit(first);
    this.#limits.set(origin, limit);
    return limit;
  }
}

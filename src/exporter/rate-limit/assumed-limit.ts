import { WINDOW_MS } from './rate-limit-window.ts';

/** A refusal cuts an assumed limit to this share of it. */
const LEFT_BY_REFUSAL = 0.75;

/** Time (ms) after which to decide again while the whole window is in flight: the answers may go to other accounts. */
const DECIDED_ANEW_MS = 1_000;

/** After this long (ms) without a refusal the limit grows by one operation, up to the first guess. */
const RAISED_AFTER_MS = 15 * 60_000;

interface Refused {
  lowered: number;
  othersAnswered: boolean;
}

/**
 * A limit that the platform does not name and counts by the client's address: all accounts of this process that are sent to the
 * same address divide it, learn from each other's refusals, and rest together. It grows back after an outage.
 */
export class AssumedLimit {
  /** Accounts that divide it. */
  readonly sharers = new Set<object>();
  readonly #first: number;
  #learned: number;
  /** Times (local ms) of the last change and of the last refusal. */
  #correctedAt = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** Accounts that were refused and not answered since: by how much that lowered the limit, and whether others were answered since. */
  readonly #refused = new Map<object, Refused>();
  #stoppedUntil = 0;
  #inFlight = 0;
  /** Times (local ms) of the answers within the last window, oldest first. */
  readonly #answeredAt: number[] = [];

  /** @param first operations per window to begin with */
  constructor(first: number) {
    this.#first = first;
    this.#learned = first;
  }

  leave(who: object): void {
    this.sharers.delete(who);
    this.#refused.delete(who);
  }

  /** Operations that each may send in its time: at least one. */
  get each(): number {
    return Math.max(1, Math.floor(this.#learned / this.#among));
  }

  /** Number of windows of that time: with less than one operation for each in a window, they take turns. */
  get windows(): number {
    return Math.max(1, Math.ceil(this.#among / this.#learned));
  }

  /** Time (local ms) until which a refusal stops everybody. */
  get stoppedUntil(): number {
    return this.#stoppedUntil;
  }

  /** Returns until when (local ms) nothing is left of a window for any account; a past time if something is. */
  usedUntil(now: number): number {
    const recent = this.#answeredAt.filter((at) => at > now - WINDOW_MS);
    const over = recent.length + this.#inFlight - this.#learned;
    if (over < 0) return 0;
    const freed = recent[over];
    return freed === undefined ? now + DECIDED_ANEW_MS : freed + WINDOW_MS;
  }

  /** An operation leaves. The function returned must be called when it is over. */
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
   * An operation of `who` that left at `sentAt` was refused. Others that left before this was known say nothing new. An account
   * that is refused again while others are answered may be at fault itself: then the others go on, and the limit is what it was.
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

/** The limits that are counted by the client's address, by the origin that operations are sent to. */
export class SharedLimits {
  readonly #limits = new Map<string, AssumedLimit>();

  /** @param first operations per window to begin with */
  at(origin: string, first: number): AssumedLimit {
    const limit = this.#limits.get(origin) ?? new AssumedLimit(first);
    this.#limits.set(origin, limit);
    return limit;
  }
}

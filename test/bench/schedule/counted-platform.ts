/** Number of operations in one window, by client. */
export interface CountedWindow {
  readonly openedAt: number;
  ours: number;
  others: number;
  refusedOthers: number;
}

/** Answer with the three figures of the rate-limit headers. */
export interface CountedAnswer {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

/** Returns the time of the other client's next request after `time`; Infinity if there is none. */
export type OtherUser = (time: number) => number;

export const WINDOW_MS = 60_000;

/**
 * Rate limit of the platform without its data: a window lasts a minute from its first operation, as in
 * section 8 of the specification.
 */
export class CountedPlatform {
  readonly limit: number;
  readonly windows: CountedWindow[] = [];
  refusals = 0;
  readonly #otherUser: OtherUser;
  #otherComesAt: number;

  constructor(limit: number, otherUser: OtherUser, start: number) {
    this.limit = limit;
    this.#otherUser = otherUser;
    this.#otherComesAt = otherUser(start);
  }

  /** Counts an operation of the exporter, and returns the answer to it. */
  take(now: number): CountedAnswer {
    this.letOthersCome(now);
    const window = this.#windowAt(now);
    const left = this.limit - window.ours - window.others;
    const allowed = left > 0;
    if (allowed) window.ours += 1;
    else this.refusals += 1;
    const remaining = Math.max(0, left - 1);
    return { allowed, limit: this.limit, remaining, resetAt: window.openedAt + WINDOW_MS };
  }

  /** Counts the other client's operations until the given time. */
  letOthersCome(until: number): void {
    while (this.#otherComesAt <= until) {
      const window = this.#windowAt(this.#otherComesAt);
      if (window.ours + window.others < this.limit) window.others += 1;
      else window.refusedOthers += 1;
      this.#otherComesAt = this.#otherUser(this.#otherComesAt);
    }
  }

  #windowAt(now: number): CountedWindow {
    const last = this.windows.at(-1);
    if (last !== undefined && now < last.openedAt + WINDOW_MS) return last;
    const window = { openedAt: now, ours: 0, others: 0, refusedOthers: 0 };
    this.windows.push(window);
    return window;
  }
}

export const alone: OtherUser = () => Number.POSITIVE_INFINITY;

/**
 * Returns a client that uses 0 to 60 % of the limit at random moments. Its rate changes about every ten
 * minutes.
 */
export function unsteadyUser(limit: number, random: () => number, start: number): OtherUser {
  const exponential = (mean: number) => -mean * Math.log(1 - random());
  let share = 0.6 * random();
  let changesAt = start + exponential(10 * WINDOW_MS);
  return (time) => {
    for (
      let from = time;
      ;
      from = changesAt, changesAt += exponential(10 * WINDOW_MS), share = 0.6 * random()
    ) {
      const comesAt = from + exponential(WINDOW_MS / (limit * share));
      if (comesAt < changesAt) return comesAt;
    }
  };
}

/** Returns a client that is idle for about ten minutes and then uses half of the limit within ten seconds. */
export function burstyUser(limit: number, random: () => number, start: number): OtherUser {
  let burst = { every: 0, until: start };
  return (time) => {
    const next = time + burst.every * (0.5 + random());
    if (next < burst.until) return next;
    const from = time - 10 * WINDOW_MS * Math.log(1 - random());
    burst = { every: 10_000 / (limit * (0.2 + 0.3 * random())), until: from + 10_000 };
    return from;
  };
}

/** Returns a generator of random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

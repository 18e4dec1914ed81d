import type { PlatformClock, RateLimit } from '../platform/platform-clock.ts';

/** Length (ms) of the platform's rate-limit window, which begins with its first operation (section 8). */
export const WINDOW_MS = 60_000;

/** Tolerance (ms) within which two resets name the same window. */
const SAME_RESET_MS = 2_000;

/** Longest plausible time (ms) to a reset; a later one comes from a broken clock or header. */
const LONGEST_WINDOW_MS = 10 * WINDOW_MS;

/** First wait (ms) before the next probe if the platform says that a window continues beyond its expected end. */
const PROBE_AGAIN_MS = 1_000;

/** Time (ms) for which an answer is fresh; after that, one request probes first. */
const FRESH_MS = 1_000;

/** Reading of a window from an answer. */
export interface WindowReading {
  /** Times (local ms) of the answer and of its request. */
  readonly now: number;
  readonly sentAt: number;
  readonly limit: number;
  readonly rate: RateLimit | undefined;
  /** Latest time (local ms) of the named reset; undefined if the answer names none. */
  readonly resetsAt: number | undefined;
  /** True if the platform's clock is known, so that `resetsAt` is reliable. */
  readonly isTimeKnown: boolean;
  /** True if no other request was in flight; only then does `remaining` show the operations of other clients. */
  readonly alone: boolean;
}

/** Rate-limit window of the platform, from its answers. Times are local ms except `resetAt` (platform ms). */
export class RateLimitWindow {
  readonly resetAt: number | undefined;
  closesAt: number;
  openedAt: number;
  /** Remaining operations, by the most cautious reading. */
  remaining: number;
  /** Time of the last answer that named the remaining operations. */
  seenAt: number;
  /** Number of the exporter's operations that were answered in this window. */
  own = 0;
  /** Operations of other clients, as of `othersSeenAt`. */
  others = 0;
  othersSeenAt: number;
  /** Total operations that the window allows. */
  limit: number;
  /** Initially expected end. */
  readonly #expectedEnd: number;

  constructor(reading: WindowReading, lengthMs: number) {
    const { now, limit, rate } = reading;
    this.resetAt = rate?.resetAt;
    this.closesAt = closingTime(reading);
    this.#expectedEnd = this.closesAt;
    this.openedAt = Math.min(now, this.closesAt - lengthMs);
    this.othersSeenAt = this.openedAt;
    this.seenAt = now;
    this.limit = limit;
    this.remaining = limit;
  }

  get lengthMs(): number {
    return this.closesAt - this.openedAt;
  }

  /** Returns the end (platform ms): the named reset, or the exporter's estimate if that is implausible or past. */
  endsAt(clock: PlatformClock): number {
    const { resetAt } = this;
    return resetAt !== undefined && this.isEndNamed(clock) ? resetAt : this.closesAt + clock.skewMs;
  }

  /** Returns true if its end is the named reset, not an estimate. */
  isEndNamed(clock: PlatformClock): boolean {
    const { resetAt, closesAt } = this;
    return resetAt !== undefined && Math.abs(clock.latestLocal(resetAt) - closesAt) <= SAME_RESET_MS;
  }

  isOpen(now: number): boolean {
    return now < this.closesAt;
  }

  /** Returns true if an answer has just named the remaining operations. */
  isFresh(now: number): boolean {
    return now - this.seenAt <= FRESH_MS;
  }

  /** Returns the relation of an answer to this window, which is the newest, open or closed. */
  relation({
    now,
    sentAt,
    rate,
    resetsAt = now,
  }: WindowReading): 'same' | 'longer' | 'later' | 'other' | 'past' {
    const open = this.isOpen(now);
    if (rate?.resetAt === undefined || this.resetAt === undefined) return open ? 'same' : 'later';
    if (rate.resetAt > this.resetAt + SAME_RESET_MS) return 'later';
    if (rate.resetAt >= this.resetAt - SAME_RESET_MS) {
      if (open) return 'same';
      // An answer to a request from before the end is late. An answer to a later request proves that the window continues.
      return sentAt < this.closesAt ? 'past' : 'longer';
    }
    if (!open) return 'later';
    // A reset in the past belongs to an earlier window; a reset in the future belongs to another counter.
    return resetsAt > now + SAME_RESET_MS ? 'other' : 'past';
  }

  /** Records an answer to one of the exporter's operations within this window. */
  take({ now, limit, rate, resetsAt, isTimeKnown, alone }: WindowReading): void {
    this.own += 1;
    if (rate?.remaining === undefined) {
      this.remaining -= 1;
      return;
    }
    // Answers overtake each other, so `remaining` only falls, unless the limit itself has changed.
    const before = limit === this.limit ? this.remaining : limit;
    this.limit = limit;
    this.remaining = Math.min(before, rate.remaining, limit - this.own);
    this.seenAt = now;
    if (isTimeKnown && resetsAt !== undefined && resetsAt > now)
      this.closesAt = Math.min(this.closesAt, resetsAt);
    if (!alone) return;
    this.others = Math.max(0, limit - rate.remaining - this.own);
    this.othersSeenAt = now;
  }

  /** Records an answer from another counter of the same scope; the lower number applies. */
  limitTo(remaining: number | undefined): void {
    if (remaining !== undefined) this.remaining = Math.min(this.remaining, remaining);
  }

  /** Extends the window by the time that it is overdue, since the platform still names the same reset. */
  prolong(now: number): void {
    this.closesAt = now + Math.max(PROBE_AGAIN_MS, now - this.#expectedEnd);
  }
}

/**
 * Returns the end of a new window. Without a `Date` header, the reset is not comparable with the local clock. Then the window
 * closes one window length after it was first observed.
 */
function closingTime({ now, resetsAt, isTimeKnown }: WindowReading): number {
  const isUsable =
    isTimeKnown && resetsAt !== undefined && resetsAt > now && resetsAt <= now + LONGEST_WINDOW_MS;
  return isUsable ? resetsAt : now + WINDOW_MS;
}

/** Time (ms) of observation after which a window weighs as much as earlier windows. */
const MEMORY_MS = 20_000;

/** Share of the greatest observation that remains after each window: half after an hour or so. */
const FADING = 0.99;

/** Number of operations in a window below which the exporter may have miscounted its own. */
const SOMEBODY = 1;

/** Operations per ms that other clients may take before any observation. */
const POSSIBLE_PER_MS = 2e-5;

/** Pace of the token's other clients: the operations missing in a window besides the exporter's own. */
export class OtherClients {
  #lastPerMs = 0;
  /**
   * Operations of other clients per window: a rise counts at once, a fall by half. Undefined until a window was observed from its
   * beginning. In the first one, missing operations may be the exporter's own, from before a restart.
   */
  #lastPerWindow: number | undefined;
  /** Greatest observed pace, decaying with each window. */
  #worstPerMs = 0;
  #possiblePerMs = POSSIBLE_PER_MS;

  /**
   * Returns the operations per ms in this window, weighted against earlier ones by the time observed. The result never exceeds the
   * limit, even if all operations are observed within a moment.
   */
  perMs(window: RateLimitWindow | undefined): number {
    if (window === undefined) return this.#lastPerMs;
    const watchedMs = window.othersSeenAt - window.openedAt;
    const perMs = (this.#lastPerMs * MEMORY_MS + window.others) / (MEMORY_MS + watchedMs);
    return Math.min(perMs, window.limit / window.lengthMs);
  }

  /**
   * Returns the operations per window: those of this one, or of earlier ones if that is more. Unlike `perMs`, it does not
   * extrapolate from a few at the beginning of a window.
   */
  perWindow(window: RateLimitWindow | undefined): number {
    if (window === undefined || this.#lastPerWindow === undefined) return this.#lastPerWindow ?? 0;
    return Math.min(window.limit, Math.max(this.#lastPerWindow, window.others));
  }

  /** Returns true if other clients have been observed within the last hours. */
  observed(window: RateLimitWindow): boolean {
    return Math.max(this.#worstPerMs, this.perMs(window)) * window.lengthMs >= SOMEBODY;
  }

  /** Returns true if there may be other clients, until observation has ruled them out. */
  possible(window: RateLimitWindow): boolean {
    return this.observed(window) || this.#possiblePerMs * window.lengthMs >= SOMEBODY;
  }

  /** Remembers the observations of a window that has closed. */
  remember(window: RateLimitWindow): void {
    this.#lastPerMs = this.perMs(window);
    const before = this.#lastPerWindow;
    const taken = before === undefined ? 0 : takenOf(window);
    this.#lastPerWindow = Math.max(taken, ((before ?? 0) + taken) / 2);
    this.#worstPerMs = Math.max(this.#worstPerMs * FADING, this.#lastPerMs);
    this.#possiblePerMs *= FADING;
  }
}

/** Returns the operations of other clients in a closed window, extrapolated if at least half of it was observed. */
function takenOf({ others, limit, openedAt, othersSeenAt, lengthMs }: RateLimitWindow): number {
  const watched = (othersSeenAt - openedAt) / lengthMs;
  return Math.min(limit, watched < 0.5 ? others : others / Math.min(1, watched));
}

/** Returns an expected number of operations plus twice its standard deviation (Poisson). */
export function withScatter(operations: number): number {
  return operations + 2 * Math.sqrt(operations);
}

/** Returns the operations to reserve for other clients in a window: the expected ones with scatter, at least the reserve. */
export function reservedForOthers(expected: number, reserve: number): number {
  return Math.max(reserve, withScatter(expected));
}

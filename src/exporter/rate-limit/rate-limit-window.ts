import type { PlatformClock, RateLimit } from '../platform/platform-clock.ts';

/** The platform's rate-limit window lasts a minute from its first operation (section 8). */
export const WINDOW_MS = 60_000;

/** Resets this close name the same window. */
const SAME_RESET_MS = 2_000;

/** A reset further off than this (ms) comes of a broken clock or header. */
const LONGEST_WINDOW_MS = 10 * WINDOW_MS;

/** First wait (ms) before the next probe when a window should be over by our clock, and the platform says it is not. */
const PROBE_AGAIN_MS = 1_000;

/** Time (ms) for which an answer is fresh; after that one request probes first. */
const FRESH_MS = 1_000;

/** Reading of a window from an answer. */
export interface WindowReading {
  /** Times (local ms) of the answer and of its request. */
  readonly now: number;
  readonly sentAt: number;
  readonly limit: number;
  readonly rate: RateLimit | undefined;
  /** Latest time (local ms) of the reset that it names. */
  readonly resetsAt: number | undefined;
  /** True if that is by the platform's own time. */
  readonly isTimeKnown: boolean;
  /** True if no other request was in flight; only then `remaining` shows what other clients took. */
  readonly alone: boolean;
}

/** One of the platform's counting periods, as its answers show it. Times are local ms except `resetAt` (platform ms). */
export class RateLimitWindow {
  readonly resetAt: number | undefined;
  closesAt: number;
  openedAt: number;
  /** Operations still allowed, by the most careful reading. */
  remaining: number;
  /** Time at which an answer said what remains. */
  seenAt: number;
  /** Our operations that were answered in this window. */
  own = 0;
  /** Operations of other clients, as of `othersSeenAt`. */
  others = 0;
  othersSeenAt: number;
  /** Operations that it allows in all. */
  limit: number;
  /** Time at which it was to close at first. */
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

  /**
   * Returns when it ends, in platform ms: as the answers name it, or by our own estimate where that cannot be right or is over.
   */
  endsAt(clock: PlatformClock): number {
    const { resetAt } = this;
    return resetAt !== undefined && this.isEndNamed(clock) ? resetAt : this.closesAt + clock.skewMs;
  }

  /** Returns true if its end is the one that the answers name, not our estimate. */
  isEndNamed(clock: PlatformClock): boolean {
    const { resetAt, closesAt } = this;
    return resetAt !== undefined && Math.abs(clock.latestLocal(resetAt) - closesAt) <= SAME_RESET_MS;
  }

  isOpen(now: number): boolean {
    return now < this.closesAt;
  }

  /** Returns true if an answer has just said what remains. */
  isFresh(now: number): boolean {
    return now - this.seenAt <= FRESH_MS;
  }

  /** Returns how an answer relates to this window, which is open or the last that was. */
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
      // Sent before the end, it is merely late; sent after it, it proves that the window has not ended.
      return sentAt < this.closesAt ? 'past' : 'longer';
    }
    if (!open) return 'later';
    // Over: a late answer of an earlier window. Still open beside this one: another counter.
    return resetsAt > now + SAME_RESET_MS ? 'other' : 'past';
  }

  /** An operation of ours was answered within this window. */
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

  /** An answer came from another counter of the same scope: the lower figure counts. */
  limitTo(remaining: number | undefined): void {
    if (remaining !== undefined) this.remaining = Math.min(this.remaining, remaining);
  }

  /** The platform names the same reset although the window should be over: extends it by as long as it is overdue. */
  prolong(now: number): void {
    this.closesAt = now + Math.max(PROBE_AGAIN_MS, now - this.#expectedEnd);
  }
}

/**
 * Returns when a window that is seen for the first time closes. Without a `Date` header the reset cannot be compared with the
 * local clock; then it closes at the latest one window length after it was first seen.
 */
function closingTime({ now, resetsAt, isTimeKnown }: WindowReading): number {
  const isUsable =
    isTimeKnown && resetsAt !== undefined && resetsAt > now && resetsAt <= now + LONGEST_WINDOW_MS;
  return isUsable ? resetsAt : now + WINDOW_MS;
}

/** Time (ms) for which a window must be watched to count as much as the knowledge before. */
const MEMORY_MS = 20_000;

/** Share of the greatest observation that remains after each window: half of it after about an hour. */
const FADING = 0.99;

/** Fewer operations than this in a window may be our own miscount. */
const SOMEBODY = 1;

/** Operations per ms that other clients may take, before anything has been observed. */
const POSSIBLE_PER_MS = 2e-5;

/** Pace of the token's other clients: operations that are missing in a window beside our own. */
export class OtherClients {
  #lastPerMs = 0;
  /**
   * Operations that they took of a window: a rise counts at once, a fall by half. Undefined until a window was seen from its beginning,
   * since what is missing in the first may be our own, from before a restart.
   */
  #lastPerWindow: number | undefined;
  /** The most that was observed, fading. */
  #worstPerMs = 0;
  #possiblePerMs = POSSIBLE_PER_MS;

  /**
   * Operations per ms: as in this window, weighted against earlier ones by how long it was watched. Never more than the limit,
   * even if all that they take is seen within a moment.
   */
  perMs(window: RateLimitWindow | undefined): number {
    if (window === undefined) return this.#lastPerMs;
    const watchedMs = window.othersSeenAt - window.openedAt;
    const perMs = (this.#lastPerMs * MEMORY_MS + window.others) / (MEMORY_MS + watchedMs);
    return Math.min(perMs, window.limit / window.lengthMs);
  }

  /**
   * Operations per window: what they have taken of this one, or of earlier ones if that is more. Unlike `perMs`, it does not
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

  /** Returns true if there may be other clients: true until we have watched long enough to rule them out. */
  possible(window: RateLimitWindow): boolean {
    return this.observed(window) || this.#possiblePerMs * window.lengthMs >= SOMEBODY;
  }

  /** A window is over. */
  remember(window: RateLimitWindow): void {
    this.#lastPerMs = this.perMs(window);
    const before = this.#lastPerWindow;
    const taken = before === undefined ? 0 : takenOf(window);
    this.#lastPerWindow = Math.max(taken, ((before ?? 0) + taken) / 2);
    this.#worstPerMs = Math.max(this.#worstPerMs * FADING, this.#lastPerMs);
    this.#possiblePerMs *= FADING;
  }
}

/** Returns the operations that others took of a window that is over; if at least half of it was watched, extrapolated to the rest. */
function takenOf({ others, limit, openedAt, othersSeenAt, lengthMs }: RateLimitWindow): number {
  const watched = (othersSeenAt - openedAt) / lengthMs;
  return Math.min(limit, watched < 0.5 ? others : others / Math.min(1, watched));
}

/** An expected number of operations with twice its usual scatter on top. */
export function withScatter(operations: number): number {
  return operations + 2 * Math.sqrt(operations);
}

/** Operations to leave to other clients in a window: those expected of them with scatter, at least the reserve. */
export function reservedForOthers(expected: number, reserve: number): number {
  return Math.max(reserve, withScatter(expected));
}

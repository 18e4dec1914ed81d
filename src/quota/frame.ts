import type { PlatformClock } from '../platform/platform-clock.ts';
import type { RateLimit } from '../platform/rate-limit-headers.ts';

/** The platform's frame lasts a minute from its first operation (section 8). */
export const FRAME_MS = 60_000;

/** Resets this close name the same frame. */
const SAME_RESET_MS = 2_000;

/** A reset further off than this is a broken clock or a broken header, not a frame. */
const LONGEST_FRAME_MS = 10 * FRAME_MS;

/** When the platform names a frame that should be over by our clock, this is when to look again. */
const LOOK_AGAIN_MS = 1_000;

/** An answer that says something about a frame. */
export interface FrameReading {
  /** When it came, and when its operation left (local ms). */
  readonly now: number;
  readonly sentAt: number;
  readonly limit: number;
  readonly rate: RateLimit | undefined;
  /** Whether this answer was the only operation on the wire, so that nothing of ours hides in its figures. */
  readonly alone: boolean;
}

/** One frame of the platform's counting, as its answers told. Times are local ms except `resetAt` (platform ms). */
export class Frame {
  readonly resetAt: number | undefined;
  closesAt: number;
  openedAt: number;
  /** Operations still allowed, by the most careful reading. */
  remaining: number;
  /** When an answer told what remains. */
  seenAt: number;
  /** Our operations that were answered in this frame. */
  own = 0;
  /** What others had taken, as of `othersSeenAt`. */
  others = 0;
  othersSeenAt: number;
  #limit: number;

  constructor({ now, limit, rate }: FrameReading, clock: PlatformClock, lengthMs: number) {
    this.resetAt = rate?.resetAt;
    this.closesAt = closingTime(now, rate?.resetAt, clock);
    this.openedAt = Math.min(now, this.closesAt - lengthMs);
    this.othersSeenAt = this.openedAt;
    this.seenAt = now;
    this.#limit = limit;
    this.remaining = limit;
  }

  /** How an answer relates to this frame, which is open or the last that was. */
  relation({ now, sentAt, rate }: FrameReading, clock: PlatformClock): 'same' | 'later' | 'other' | 'past' {
    const open = now < this.closesAt;
    if (rate?.resetAt === undefined || this.resetAt === undefined) return open ? 'same' : 'later';
    if (rate.resetAt > this.resetAt + SAME_RESET_MS) return 'later';
    if (rate.resetAt >= this.resetAt - SAME_RESET_MS) {
      if (open) return 'same';
      // Sent before the end, it is merely late; sent after it, it proves that the frame has not ended.
      return sentAt < this.closesAt ? 'past' : 'later';
    }
    if (!open) return 'later';
    // A frame that is over was overtaken; one that is still open beside this one belongs to another counter.
    return clock.latestLocal(rate.resetAt) > now + SAME_RESET_MS ? 'other' : 'past';
  }

  /** An operation of ours was answered within this frame. */
  take({ now, limit, rate, alone }: FrameReading, clock: PlatformClock): void {
    this.own += 1;
    if (rate?.remaining === undefined) {
      this.remaining -= 1;
      return;
    }
    // Answers overtake each other: what remains only ever falls, unless the limit itself has changed.
    const before = limit === this.#limit ? this.remaining : limit;
    this.#limit = limit;
    this.remaining = Math.min(before, rate.remaining, limit - this.own);
    this.seenAt = now;
    if (clock.known && rate.resetAt !== undefined) {
      const closesAt = clock.latestLocal(rate.resetAt);
      if (closesAt > now) this.closesAt = Math.min(this.closesAt, closesAt);
    }
    if (!alone) return;
    this.others = Math.max(0, limit - rate.remaining - this.own);
    this.othersSeenAt = now;
  }

  /** An answer of another counter of the same scope: whichever is nearer to its end counts. */
  limitTo(remaining: number | undefined): void {
    if (remaining !== undefined) this.remaining = Math.min(this.remaining, remaining);
  }

  /** The same reset again although its frame should be over: the platform's frame is longer than thought. */
  prolong(now: number): void {
    this.closesAt = now + LOOK_AGAIN_MS;
  }
}

/**
 * When a frame just seen for the first time closes. Without a `Date` header the reset cannot be compared with the
 * local clock; then it closes at the latest a frame after it was first seen.
 */
function closingTime(now: number, resetAt: number | undefined, clock: PlatformClock): number {
  if (resetAt === undefined || !clock.known) return now + FRAME_MS;
  const closesAt = clock.latestLocal(resetAt);
  return closesAt > now && closesAt <= now + LONGEST_FRAME_MS ? closesAt : now + FRAME_MS;
}

import type { PlatformClock } from '../platform/platform-clock.ts';
import type { RateLimit } from '../platform/rate-limit-headers.ts';

export interface BudgetOptions {
  /** Share of the limit (0 to 1) that is left to the token's other users. */
  readonly reserve: number;
  /** Operations per frame while the platform names no limit. */
  readonly assumedLimit: number;
  readonly platformClock: PlatformClock;
}

/** The platform's frame lasts a minute from its first operation (section 8). */
export const FRAME_MS = 60_000;

/** Two reset times this close belong to the same frame; a later one opens a new frame. */
const SAME_FRAME_MS = 2_000;

/** What a frame's headers said last, in local time. */
interface Frame {
  closesAt: number;
  remaining: number;
}

/**
 * The operations that one limit scope of one token allows.
 *
 * Where the platform's headers tell, they steer: what remains in the frame, less what is in flight, less the
 * reserve. Right after a reset a single operation goes first, since only its answer tells whether another user
 * of the token has opened the frame already. Where there are no headers, no more than the assumed limit leaves
 * within any frame-long span, counted from the answers: safe for every position of the platform's frame.
 */
export class Budget {
  readonly #options: BudgetOptions;
  /** Local times of the latest answers, oldest first: only those of the last frame matter. */
  readonly #answeredAt: number[] = [];
  #frame: Frame | undefined;
  #limit: number | undefined;
  #stoppedUntil = 0;
  #inFlight = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** The limit that the platform named last, in operations per frame. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** What the platform said remains of the frame, or undefined when no frame is open. */
  remaining(now: number): number | undefined {
    return this.#openFrame(now)?.remaining;
  }

  /** When the open frame closes (local ms), or undefined when no frame is open. */
  closesAt(now: number): number | undefined {
    return this.#openFrame(now)?.closesAt;
  }

  /** Until when a 429 has stopped this scope (local ms), or undefined. */
  stoppedUntil(now: number): number | undefined {
    return this.#stoppedUntil > now ? this.#stoppedUntil : undefined;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Operations per frame that this exporter may use. */
  get allowance(): number {
    const limit = this.#limit ?? this.#options.assumedLimit;
    return Math.max(1, limit - Math.ceil(limit * this.#options.reserve));
  }

  /** Milliseconds until an operation may leave, 0 for at once, Infinity for "not before an answer comes in". */
  waitMs(now: number): number {
    if (this.#stoppedUntil > now) return this.#stoppedUntil - now;
    if (this.#limit === undefined) return this.#waitWithoutHeaders(now);
    const frame = this.#openFrame(now);
    if (frame === undefined) return this.#inFlight === 0 ? 0 : Number.POSITIVE_INFINITY;
    if (frame.remaining - this.#inFlight > this.#limit - this.allowance) return 0;
    return this.#inFlight > 0 && this.#hasHope(frame) ? Number.POSITIVE_INFINITY : frame.closesAt - now;
  }

  /** An operation leaves. */
  depart(): void {
    this.#inFlight += 1;
  }

  /** It is over, whatever came of it. */
  land(): void {
    this.#inFlight -= 1;
  }

  /** An exchange with the platform ended. `rate` is what its headers said, undefined when there were none. */
  observe(now: number, rate: RateLimit | undefined): void {
    this.#forgetBefore(now - FRAME_MS);
    this.#answeredAt.push(now);
    if (rate?.limit !== undefined) this.#limit = rate.limit;
    if (rate?.remaining === undefined) this.#spendUnseen(now);
    else this.#see(now, rate.remaining, this.#closingTime(now, rate.resetAt));
  }

  /** A 429: nothing leaves until `retryAfterMs` has passed, or the frame closes, or a whole frame when neither is known. */
  stop(now: number, retryAfterMs: number | undefined): void {
    const wait = retryAfterMs ?? (this.#openFrame(now)?.closesAt ?? now + FRAME_MS) - now;
    this.#stoppedUntil = Math.max(this.#stoppedUntil, now + Math.max(wait, 1_000));
    this.#frame = undefined;
  }

  #openFrame(now: number): Frame | undefined {
    return this.#frame !== undefined && now < this.#frame.closesAt ? this.#frame : undefined;
  }

  /** An answer still to come may show more than is known now only when the estimate subtracts what is in flight. */
  #hasHope(frame: Frame): boolean {
    return this.#limit !== undefined && frame.remaining > this.#limit - this.allowance;
  }

  #see(now: number, remaining: number, closesAt: number): void {
    const open = this.#openFrame(now);
    const sameFrame = open !== undefined && closesAt < open.closesAt + SAME_FRAME_MS;
    // Answers overtake each other: within a frame what remains only ever falls.
    if (sameFrame) {
      open.remaining = Math.min(open.remaining, remaining);
      open.closesAt = Math.min(open.closesAt, closesAt);
    } else this.#frame = { closesAt, remaining };
  }

  /** No header told: the operation is taken to have been counted, in the open frame or in one that it opened. */
  #spendUnseen(now: number): void {
    const open = this.#openFrame(now);
    if (open !== undefined) open.remaining -= 1;
    else if (this.#limit !== undefined)
      this.#frame = { closesAt: now + FRAME_MS, remaining: this.#limit - 1 };
  }

  #forgetBefore(time: number): void {
    while (this.#answeredAt[0] !== undefined && this.#answeredAt[0] <= time) this.#answeredAt.shift();
  }

  #closingTime(now: number, resetAt: number | undefined): number {
    if (resetAt === undefined) return this.#openFrame(now)?.closesAt ?? now + FRAME_MS;
    const closesAt = this.#options.platformClock.latestLocal(resetAt);
    // A reset far off or in the past is a broken clock or a broken header, not a frame.
    return closesAt > now && closesAt <= now + 10 * FRAME_MS ? closesAt : now + FRAME_MS;
  }

  #waitWithoutHeaders(now: number): number {
    this.#forgetBefore(now - FRAME_MS);
    const used = this.#answeredAt.length + this.#inFlight;
    if (used < this.allowance) return 0;
    const oldest = this.#answeredAt[0];
    return oldest === undefined ? Number.POSITIVE_INFINITY : oldest + FRAME_MS - now;
  }
}

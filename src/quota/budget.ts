import type { PlatformClock } from '../platform/platform-clock.ts';
import type { RateLimit } from '../platform/rate-limit-headers.ts';
import { AnswerSpan } from './answer-span.ts';
import type { FrameView } from './better-moment.ts';
import { FRAME_MS, type Frame } from './frame.ts';
import { Frames } from './frames.ts';
import { Look } from './look.ts';
import { withScatter } from './other-users.ts';

export interface BudgetOptions {
  /** Share of the limit (0 to 1) that is left to the token's other users. */
  readonly reserve: number;
  /** Operations per frame while the platform names no limit. */
  readonly assumedLimit: number;
  readonly platformClock: PlatformClock;
}

/** What an answer said is trusted for so long; after that a single operation goes first to look. */
const FRESH_MS = 1_000;

/** Share of the limit that others are feared to take from a frame at which nobody has looked for long. */
const FEARED_SHARE = 0.6;

/** A 429 stops for at least this long, even when its hint lies in the past. */
const SHORTEST_STOP_MS = 1_000;

/**
 * The operations that one limit scope of one token allows.
 *
 * Where the platform's headers tell, they steer: what remains in the frame, less what is in flight, less the reserve
 * or what the token's other users are expected to take until the frame closes. When no frame is open, or its last
 * answer is old, a single operation goes first: only its answer tells what others have taken. Without headers, no
 * more than the limit known or assumed leaves within any frame-long span.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #span = new AnswerSpan(FRAME_MS);
  readonly #frames: Frames;
  #limit: number | undefined;
  #answered = false;
  /** Whether the last answer told what remains. */
  #told = false;
  #stoppedUntil = 0;
  #inFlight = 0;
  readonly #look = new Look();

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#frames = new Frames(options.platformClock);
  }

  /** The limit that the platform named last, in operations per frame. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** Operations per frame that this exporter may use when the token has no other users. */
  get allowance(): number {
    return Math.max(1, this.#limitOrAssumed - this.#reserve);
  }

  /** Operations per minute that this exporter may expect beside the token's other users. */
  get perMinute(): number {
    const { lengthMs } = this.#frames;
    return (Math.max(1, this.#limitOrAssumed - this.#keptFree(lengthMs)) * 60_000) / lengthMs;
  }

  /** Operations per minute that the token's other users take, as far as seen. */
  get othersPerMinute(): number {
    return this.#frames.others.perMs(this.#frames.last) * 60_000;
  }

  /** The reset that the platform named last (platform ms). */
  get resetAt(): number | undefined {
    return this.#frames.last?.resetAt;
  }

  /** What the platform said remains of the frame, or undefined when no frame is open. */
  remaining(now: number): number | undefined {
    return this.#frames.open(now)?.remaining;
  }

  /** When the open frame closes (local ms), or undefined when no frame is open. */
  closesAt(now: number): number | undefined {
    return this.#frames.open(now)?.closesAt;
  }

  /** The open frame, for who chooses the moment. */
  view(now: number): FrameView | undefined {
    const frame = this.#frames.open(now);
    if (frame === undefined) return undefined;
    return {
      closesAt: frame.closesAt,
      seenAt: frame.seenAt,
      lookEveryMs: this.#frames.lookEveryMs(frame, this.#options.reserve),
    };
  }

  /** Until when a 429 has stopped this scope (local ms), or undefined. */
  stoppedUntil(now: number): number | undefined {
    return this.#stoppedUntil > now ? this.#stoppedUntil : undefined;
  }

  /** Whether an operation is out whose answer tells what is left of the frame. */
  isLooking(now: number): boolean {
    return this.#look.waitsUntil(now) !== undefined;
  }

  /** How many operations may leave now; where one must look first, the others may not leave before its answer. */
  free(now: number): number {
    if (this.#stoppedUntil > now) return 0;
    const look = this.isLooking(now) ? 0 : 1;
    if (!this.#answered) return look;
    if (!this.#told) return Math.max(0, this.allowance - this.#span.count(now) - this.#inFlight);
    const frame = this.#frames.open(now);
    if (frame === undefined) return look;
    if (now - frame.seenAt <= FRESH_MS) return this.#freeIn(frame, now);
    return look * this.#freeUnseen(frame, now);
  }

  /** Milliseconds until an operation may leave unless an answer comes in before, 0 for at once. */
  waitMs(now: number): number {
    if (this.#stoppedUntil > now) return this.#stoppedUntil - now;
    if (this.free(now) > 0) return 0;
    if (this.#answered && !this.#told) return this.#span.waitMs(now);
    const frame = this.#frames.open(now);
    const closesAt = frame?.closesAt ?? Number.POSITIVE_INFINITY;
    const looksUntil = this.#look.waitsUntil(now);
    if (frame === undefined || looksUntil !== undefined) return Math.min(looksUntil ?? now, closesAt) - now;
    const lookAt = frame.seenAt + this.#frames.lookEveryMs(frame, this.#options.reserve);
    const mayLook = lookAt > now && frame.remaining - this.#inFlight > this.#reserve;
    return Math.min(mayLook ? lookAt : closesAt, closesAt) - now;
  }

  /** An operation leaves. The function returned must be called when it is over, whatever came of it. */
  depart(now: number): () => void {
    const frame = this.#frames.open(now);
    const looks = frame === undefined || now - frame.seenAt > FRESH_MS;
    const looked = looks && !this.isLooking(now) ? this.#look.begin(now) : () => undefined;
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      looked();
    };
  }

  /** An exchange that began at `sentAt` ended. `rate` is what its headers said, undefined when there were none. */
  observe(now: number, rate: RateLimit | undefined, sentAt = now): void {
    this.#answered = true;
    this.#span.add(now);
    if (rate?.limit !== undefined) this.#limit = rate.limit;
    this.#told = rate?.remaining !== undefined;
    const limit = this.#told ? this.#limitOrAssumed : this.#limit;
    if (limit === undefined) return;
    const reading = { now, sentAt, limit, rate, alone: this.#inFlight <= 1 };
    if (this.#frames.read(reading)) this.#look.end();
  }

  /** A 429: nothing leaves until `retryAfterMs` has passed, or the frame closes, or a whole frame when neither is known. */
  stop(now: number, retryAfterMs: number | undefined): void {
    const wait = retryAfterMs ?? (this.closesAt(now) ?? now + FRAME_MS) - now;
    this.#stoppedUntil = Math.max(this.#stoppedUntil, now + Math.max(wait, SHORTEST_STOP_MS));
  }

  get #limitOrAssumed(): number {
    return this.#limit ?? this.#options.assumedLimit;
  }

  get #reserve(): number {
    return Math.ceil(this.#limitOrAssumed * this.#options.reserve);
  }

  #freeIn(frame: Frame, now: number): number {
    const unseen = (now - frame.seenAt) * this.#frames.others.perMs(frame);
    const kept = this.#keptFree(frame.closesAt - now);
    return Math.max(0, Math.floor(frame.remaining - unseen - this.#inFlight - kept));
  }

  /** After a while without an answer, what was free may be gone, and what was not may have become so. */
  #freeUnseen(frame: Frame, now: number): number {
    const unseenMs = now - frame.seenAt;
    const lookEveryMs = this.#frames.lookEveryMs(frame, this.#options.reserve);
    const { others, lengthMs } = this.#frames;
    const blind = others.met(frame) && unseenMs > lookEveryMs + FRESH_MS;
    const feared = blind ? withScatter((unseenMs / lengthMs) * FEARED_SHARE * this.#limitOrAssumed) : 0;
    const taken = Math.max(feared, others.atWorst(frame, unseenMs));
    const left = frame.remaining - this.#inFlight - taken;
    if (left < 1) return 0;
    const mayLook = unseenMs >= lookEveryMs && left > this.#reserve;
    return Math.max(mayLook ? 1 : 0, this.#freeIn(frame, now));
  }

  /**
   * What must remain when a frame is open for so long still: the reserve, or what the others will take by then with
   * its usual scatter to spare, at most the reserve on top of it.
   */
  #keptFree(openMs: number): number {
    const others = openMs * this.#frames.others.perMs(this.#frames.last);
    return Math.max(this.#reserve, Math.min(others + this.#reserve, withScatter(others)));
  }
}

import type { PlatformClock } from '../platform/platform-clock.ts';
import type { RateLimit } from '../platform/rate-limit-headers.ts';
import { AnswerSpan } from './answer-span.ts';
import type { FrameView } from './better-moment.ts';
import { FRAME_MS, type Frame } from './frame.ts';
import { FrameRoom } from './frame-room.ts';
import { Frames } from './frames.ts';
import { Look } from './look.ts';
import { keptForOthers } from './other-users.ts';

export interface BudgetOptions {
  /** Share of the limit (0 to 1) that is left to the token's other users. */
  readonly reserve: number;
  /** Operations per frame while the platform names no limit. */
  readonly assumedLimit: number;
  readonly platformClock: PlatformClock;
}

/**
 * Why nothing may leave: the platform has refused (429); an answer under way must tell first what others have taken;
 * nothing is left; or what is left is for the token's other users.
 */
export type Shortage = 'refused' | 'answer' | 'spent' | 'share';

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
    const { lengthMs, others, last } = this.#frames;
    const kept = keptForOthers(lengthMs * others.perMs(last), this.#reserve);
    return (Math.max(1, this.#limitOrAssumed - kept) * 60_000) / lengthMs;
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
    return { closesAt: frame.closesAt, seenAt: frame.seenAt, lookEveryMs: this.#room(frame).lookEveryMs };
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
    const room = this.#room(frame);
    return (room.isFresh(now) ? 1 : look) * room.free(now);
  }

  /** Why nothing may leave now; undefined when something may. */
  shortage(now: number): Shortage | undefined {
    if (this.#stoppedUntil > now) return 'refused';
    if (this.free(now) > 0) return undefined;
    if (this.#answered && !this.#told) {
      if (this.#span.count(now) < this.allowance) return 'answer';
      return this.#reserve > 0 ? 'share' : 'spent';
    }
    const frame = this.#frames.open(now);
    const room = frame && this.#room(frame);
    if (room === undefined || room.free(now) > 0) return 'answer';
    return room.isEmpty ? 'spent' : 'share';
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
    return this.#room(frame).opensAt(now) - now;
  }

  /** An operation leaves. The function returned must be called when it is over, whatever came of it. */
  depart(now: number): () => void {
    const frame = this.#frames.open(now);
    const looks = frame === undefined || !this.#room(frame).isFresh(now);
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

  #room(frame: Frame): FrameRoom {
    const { others, lengthMs } = this.#frames;
    return new FrameRoom({
      frame,
      others,
      lengthMs,
      limit: this.#limitOrAssumed,
      reserveShare: this.#options.reserve,
      inFlight: this.#inFlight,
    });
  }
}

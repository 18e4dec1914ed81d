import type { PlatformClock } from '../platform/platform-clock.ts';
import type { RateLimit } from '../platform/rate-limit-headers.ts';
import { AnswerSpan } from './answer-span.ts';
import type { FrameView } from './better-moment.ts';
import { FRAME_MS, Frame, type FrameReading } from './frame.ts';
import { OtherUsers, withScatter } from './other-users.ts';

export interface BudgetOptions {
  /** Share of the limit (0 to 1) that is left to the token's other users. */
  readonly reserve: number;
  /** Operations per frame while the platform names no limit. */
  readonly assumedLimit: number;
  readonly platformClock: PlatformClock;
}

/** What an answer said is trusted for so long; after that a single operation goes first to look. */
const FRESH_MS = 1_000;

/** A 429 without any hint stops for a frame; one whose hint is in the past for this long. */
const SHORTEST_STOP_MS = 1_000;

/**
 * The operations that one limit scope of one token allows.
 *
 * Where the platform's headers tell, they steer: what remains in the frame, less what is in flight, less the reserve
 * and what the token's other users are expected to take until the frame closes. When no frame is open, or its last
 * answer is old, a single operation goes first: only its answer tells what others have taken. Without headers, no
 * more than the limit known or assumed leaves within any frame-long span.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #span = new AnswerSpan(FRAME_MS);
  readonly #others = new OtherUsers();
  #frame: Frame | undefined;
  #frameMs = FRAME_MS;
  #limit: number | undefined;
  /** Whether the last answer told what remains. */
  #told = false;
  #answered = false;
  #stoppedUntil = 0;
  #inFlight = 0;
  /** The operation that looks while others wait for its answer. */
  #look: symbol | undefined;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** The limit that the platform named last, in operations per frame. */
  get limit(): number | undefined {
    return this.#limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Operations per frame that this exporter may use when the token has no other users. */
  get allowance(): number {
    return Math.max(1, this.#limitOrAssumed - this.#reserve);
  }

  /** Operations per minute that this exporter may expect beside the token's other users. */
  get perMinute(): number {
    const left = this.#limitOrAssumed - this.#keptFree(this.#frameMs);
    return (Math.max(1, left) * 60_000) / this.#frameMs;
  }

  /** Operations per minute that the token's other users take, as far as seen. */
  get othersPerMinute(): number {
    return this.#others.perMs(this.#frame) * 60_000;
  }

  /** What the platform said remains of the frame, or undefined when no frame is open. */
  remaining(now: number): number | undefined {
    return this.#openFrame(now)?.remaining;
  }

  /** When the open frame closes (local ms), or undefined when no frame is open. */
  closesAt(now: number): number | undefined {
    return this.#openFrame(now)?.closesAt;
  }

  /** The reset that the platform named last (platform ms). */
  get resetAt(): number | undefined {
    return this.#frame?.resetAt;
  }

  /** The open frame, for who decides on the moment. */
  view(now: number): FrameView | undefined {
    const frame = this.#openFrame(now);
    if (frame === undefined) return undefined;
    return { closesAt: frame.closesAt, seenAt: frame.seenAt, lookEveryMs: this.#lookEveryMs(frame) };
  }

  /** Until when a 429 has stopped this scope (local ms), or undefined. */
  stoppedUntil(now: number): number | undefined {
    return this.#stoppedUntil > now ? this.#stoppedUntil : undefined;
  }

  /** How many operations may leave now; where one must look first, the others may not leave before its answer. */
  free(now: number): number {
    if (this.#stoppedUntil > now) return 0;
    const looking = this.#look !== undefined;
    if (!this.#answered) return looking ? 0 : 1;
    if (!this.#told) return Math.max(0, this.allowance - this.#span.count(now) - this.#inFlight);
    const frame = this.#openFrame(now);
    if (frame === undefined) return looking ? 0 : 1;
    const unseenMs = now - frame.seenAt;
    const kept = this.#keptFree(frame.closesAt - now) + unseenMs * this.#others.perMs(frame);
    const free = Math.max(0, Math.floor(frame.remaining - this.#inFlight - kept));
    if (unseenMs <= FRESH_MS) return free;
    return looking ? 0 : this.#freeUnseen(frame, unseenMs, free);
  }

  /** Milliseconds until an operation may leave, 0 for at once, Infinity for "not before an answer comes in". */
  waitMs(now: number): number {
    if (this.#stoppedUntil > now) return this.#stoppedUntil - now;
    if (this.free(now) > 0) return 0;
    if (this.#answered && !this.#told) return this.#span.waitMs(now);
    const frame = this.#openFrame(now);
    if (frame === undefined) return Number.POSITIVE_INFINITY;
    const lookAt = frame.seenAt + this.#lookEveryMs(frame);
    const mayLook = lookAt > now && frame.remaining - this.#inFlight > this.#reserve;
    return (mayLook ? Math.min(lookAt, frame.closesAt) : frame.closesAt) - now;
  }

  /** An operation leaves. The function returned must be called when it is over, whatever came of it. */
  depart(now: number): () => void {
    const me = Symbol('operation');
    if (this.#mustLook(now)) this.#look ??= me;
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      if (this.#look === me) this.#look = undefined;
    };
  }

  /** An exchange that began at `sentAt` ended. `rate` is what its headers said, undefined when there were none. */
  observe(now: number, rate: RateLimit | undefined, sentAt = now): void {
    this.#answered = true;
    this.#span.add(now);
    if (rate?.limit !== undefined) this.#limit = rate.limit;
    this.#told = rate?.remaining !== undefined;
    const limit = this.#told ? this.#limitOrAssumed : this.#limit;
    if (limit !== undefined) this.#read({ now, sentAt, limit, rate, alone: this.#inFlight <= 1 });
  }

  /** A 429: nothing leaves until `retryAfterMs` has passed, or the frame closes, or a whole frame when neither is known. */
  stop(now: number, retryAfterMs: number | undefined): void {
    const wait = retryAfterMs ?? (this.#openFrame(now)?.closesAt ?? now + FRAME_MS) - now;
    this.#stoppedUntil = Math.max(this.#stoppedUntil, now + Math.max(wait, SHORTEST_STOP_MS));
  }

  get #limitOrAssumed(): number {
    return this.#limit ?? this.#options.assumedLimit;
  }

  get #reserve(): number {
    return Math.ceil(this.#limitOrAssumed * this.#options.reserve);
  }

  #openFrame(now: number): Frame | undefined {
    return this.#frame !== undefined && now < this.#frame.closesAt ? this.#frame : undefined;
  }

  #mustLook(now: number): boolean {
    const frame = this.#openFrame(now);
    return frame === undefined || now - frame.seenAt > FRESH_MS;
  }

  /**
   * What must remain when a frame is open for so long still: the reserve, or what the others will take by then with
   * twice its usual scatter to spare, at most the reserve on top of it.
   */
  #keptFree(openMs: number): number {
    const others = openMs * this.#others.perMs(this.#frame);
    return Math.max(this.#reserve, Math.min(others + this.#reserve, withScatter(others)));
  }

  /** After a while without an answer, what was free may be gone, and what was not may have become so. */
  #freeUnseen(frame: Frame, unseenMs: number, free: number): number {
    const left = frame.remaining - this.#inFlight - this.#others.atWorst(frame, unseenMs);
    if (left < 1) return 0;
    const mayLook = unseenMs >= this.#lookEveryMs(frame) && left > this.#reserve;
    return mayLook ? Math.max(1, free) : free;
  }

  /** While others use the token, a frame is not left unseen for longer than they could take the reserve in. */
  #lookEveryMs(frame: Frame): number {
    if (!this.#others.about(frame)) return Number.POSITIVE_INFINITY;
    return Math.max(FRESH_MS, this.#options.reserve * this.#frameMs);
  }

  #read(reading: FrameReading): void {
    const { platformClock } = this.#options;
    const relation = this.#frame?.relation(reading, platformClock) ?? 'later';
    if (relation === 'past') return;
    if (relation === 'later') this.#open(reading);
    if (relation === 'other') this.#frame?.limitTo(reading.rate?.remaining);
    else this.#frame?.take(reading, platformClock);
    this.#look = undefined;
  }

  #open(reading: FrameReading): void {
    const { now, limit, rate } = reading;
    const last = this.#frame;
    if (last !== undefined) this.#others.remember(last);
    this.#frame = new Frame(reading, this.#options.platformClock, this.#frameMs);
    if (last?.resetAt !== undefined && last.resetAt === rate?.resetAt) this.#frame.prolong(now);
    else if (rate?.remaining === limit - 1) this.#learnLength(this.#frame.closesAt - now);
  }

  /** We opened the frame ourselves, so that all of it lies ahead. */
  #learnLength(lengthMs: number): void {
    if (this.#options.platformClock.known) this.#frameMs = lengthMs;
  }
}

import type { Frame } from './frame.ts';
import { keptForOthers, type OtherUsers, withScatter } from './other-users.ts';

/** What an answer said is trusted for so long; after that a single operation goes first to look. */
const FRESH_MS = 1_000;

/** Share of a frame after which it is looked at again while others use the token, unless the reserve is larger. */
const LEAST_LOOK_SHARE = 0.1;

/** Share of the limit that others are feared to take from a frame at which nobody has looked for long. */
const FEARED_SHARE = 0.6;

/** What is known of an open frame and of those who draw on it. */
export interface RoomFacts {
  readonly frame: Frame;
  readonly others: OtherUsers;
  /** How long frames last (ms). */
  readonly lengthMs: number;
  /** Operations per frame. */
  readonly limit: number;
  /** Share of the limit (0 to 1) that is left to the token's other users. */
  readonly reserveShare: number;
  /** Operations of ours that have left and are not answered. */
  readonly inFlight: number;
}

/** What may still leave within the open frame. */
export class FrameRoom {
  readonly #facts: RoomFacts;

  constructor(facts: RoomFacts) {
    this.#facts = facts;
  }

  /** Whether an answer has just told what remains. */
  isFresh(now: number): boolean {
    return now - this.#facts.frame.seenAt <= FRESH_MS;
  }

  /** How many operations may leave now; where the frame was not seen just now, only one of them before it is. */
  free(now: number): number {
    return this.isFresh(now) ? this.#freeSeen(now) : this.#freeUnseen(now);
  }

  /** Whether nothing at all is left beside what is under way. */
  get isEmpty(): boolean {
    const { frame, inFlight } = this.#facts;
    return frame.remaining - inFlight < 1;
  }

  /** When an operation may leave although nothing is free (local ms): to look, or with the next frame. */
  opensAt(now: number): number {
    const { frame, inFlight } = this.#facts;
    const lookAt = frame.seenAt + this.lookEveryMs;
    const mayLook = lookAt > now && frame.remaining - inFlight > this.#reserve;
    return Math.min(mayLook ? lookAt : frame.closesAt, frame.closesAt);
  }

  /** While others use the token, a frame is not left unseen for longer than they could take the reserve in. */
  get lookEveryMs(): number {
    const { frame, others, lengthMs, reserveShare } = this.#facts;
    if (!others.about(frame)) return Number.POSITIVE_INFINITY;
    return Math.max(LEAST_LOOK_SHARE, reserveShare) * lengthMs;
  }

  get #reserve(): number {
    const { limit, reserveShare } = this.#facts;
    return Math.ceil(limit * reserveShare);
  }

  #freeSeen(now: number): number {
    const { frame, others, inFlight } = this.#facts;
    const perMs = others.perMs(frame);
    const unseen = (now - frame.seenAt) * perMs;
    const kept = keptForOthers((frame.closesAt - now) * perMs, this.#reserve);
    return Math.max(0, Math.floor(frame.remaining - unseen - inFlight - kept));
  }

  /** After a while without an answer, what was free may be gone, and what was not may have become so. */
  #freeUnseen(now: number): number {
    const { frame, others, lengthMs, limit, inFlight } = this.#facts;
    const unseenMs = now - frame.seenAt;
    const blind = others.met(frame) && unseenMs > this.lookEveryMs + FRESH_MS;
    const feared = blind ? withScatter((unseenMs / lengthMs) * FEARED_SHARE * limit) : 0;
    const taken = Math.max(feared, others.atWorst(frame, unseenMs));
    const left = frame.remaining - inFlight - taken;
    if (left < 1) return 0;
    const mayLook = unseenMs >= this.lookEveryMs && left > this.#reserve;
    return Math.max(mayLook ? 1 : 0, this.#freeSeen(now));
  }
}

import type { Frame } from './frame.ts';

/** How long (ms) what was seen in the last frame counts beside what is seen in the present one. */
const MEMORY_MS = 20_000;

/** A frame that was watched for less says too little to be remembered. */
const TELLING_MS = 20_000;

/** What is left after a frame of what was expected of others at worst: half of it in about an hour. */
const FADING = 0.99;

/** Fewer operations than this in a frame may be our own miscount. */
const SOMEBODY = 1;

/** How fast the token's other users take operations, from what is missing in a frame beside our own. */
export class OtherUsers {
  #lastPerMs = 0;
  #worstPerMs = 0;

  /** Operations per ms: as in the present frame, the less it has shown the more as in the last one. */
  perMs(frame: Frame | undefined): number {
    if (frame === undefined) return this.#lastPerMs;
    const watchedMs = frame.othersSeenAt - frame.openedAt;
    return (this.#lastPerMs * MEMORY_MS + frame.others) / (MEMORY_MS + watchedMs);
  }

  /** Operations per ms that they took at worst within the last hours. */
  worstPerMs(frame: Frame): number {
    return Math.max(this.#worstPerMs, this.perMs(frame));
  }

  /** Whether anybody else has used the token within the last hours. */
  about(frame: Frame): boolean {
    return this.worstPerMs(frame) * (frame.closesAt - frame.openedAt) >= SOMEBODY;
  }

  /** A frame is over. */
  remember(frame: Frame): void {
    this.#worstPerMs *= FADING;
    if (frame.othersSeenAt - frame.openedAt < TELLING_MS) return;
    this.#lastPerMs = this.perMs(frame);
    this.#worstPerMs = Math.max(this.#worstPerMs, this.#lastPerMs);
  }
}

import type { Frame } from './frame.ts';

/** How long (ms) what was seen in the last frame counts beside what is seen in the present one. */
const MEMORY_MS = 20_000;

/** A frame that was watched for less says too little to be remembered. */
const TELLING_MS = 20_000;

/** How fast the token's other users take operations, from what is missing in a frame beside our own. */
export class OtherUsers {
  #lastPerMs = 0;

  /** Operations per ms: as in the present frame, the less it has shown the more as in the last one. */
  perMs(frame: Frame | undefined): number {
    if (frame === undefined) return this.#lastPerMs;
    const watchedMs = frame.othersSeenAt - frame.openedAt;
    return (this.#lastPerMs * MEMORY_MS + frame.others) / (MEMORY_MS + watchedMs);
  }

  /** A frame is over. */
  remember(frame: Frame): void {
    if (frame.othersSeenAt - frame.openedAt >= TELLING_MS) this.#lastPerMs = this.perMs(frame);
  }
}

import type { Frame } from './frame.ts';

/** How long (ms) a frame must have been watched to count as much as what was known before. */
const MEMORY_MS = 20_000;

/** What is left after a frame of what was expected of others at worst: half of it in about an hour. */
const FADING = 0.99;

/** Fewer operations than this in a frame may be our own miscount. */
const SOMEBODY = 1;

/** What is feared of others (operations per ms) before anything has been seen of them. */
const FEARED_PER_MS = 2e-5;

/** How fast the token's other users take operations, from what is missing in a frame beside our own. */
export class OtherUsers {
  #lastPerMs = 0;
  /** What was seen of them at worst, fading. */
  #worstPerMs = 0;
  #fearedPerMs = FEARED_PER_MS;

  /** Operations per ms: as in the present frame; the less of that has been watched, the more as before. */
  perMs(frame: Frame | undefined): number {
    if (frame === undefined) return this.#lastPerMs;
    const watchedMs = frame.othersSeenAt - frame.openedAt;
    return (this.#lastPerMs * MEMORY_MS + frame.others) / (MEMORY_MS + watchedMs);
  }

  /** How many they may have taken within so many ms of a frame, at worst by the last hours. */
  atWorst(frame: Frame, ms: number): number {
    return withScatter(ms * this.#atWorstPerMs(frame));
  }

  /** Whether anybody else has used the token within the last hours, as far as seen. */
  met(frame: Frame): boolean {
    return this.#atWorstPerMs(frame) * (frame.closesAt - frame.openedAt) >= SOMEBODY;
  }

  /** Whether anybody else may be about: met, or not yet known not to be. */
  about(frame: Frame): boolean {
    return this.met(frame) || this.#fearedPerMs * (frame.closesAt - frame.openedAt) >= SOMEBODY;
  }

  /** A frame is over. */
  remember(frame: Frame): void {
    this.#lastPerMs = this.perMs(frame);
    this.#worstPerMs = Math.max(this.#worstPerMs * FADING, this.#lastPerMs);
    this.#fearedPerMs *= FADING;
  }

  #atWorstPerMs(frame: Frame): number {
    return Math.max(this.#worstPerMs, this.perMs(frame));
  }
}

/** A number of operations that is expected, with twice its usual scatter on top. */
export function withScatter(operations: number): number {
  return operations + 2 * Math.sqrt(operations);
}

/**
 * What must remain of a frame for others who are expected to take so many operations: the reserve, or these with their
 * usual scatter to spare, at most the reserve on top of them.
 */
export function keptForOthers(expected: number, reserve: number): number {
  return Math.max(reserve, Math.min(expected + reserve, withScatter(expected)));
}

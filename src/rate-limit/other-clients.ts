import type { RateLimitWindow } from './rate-limit-window.ts';

/** How long (ms) a window must have been watched to count as much as what was known before. */
const MEMORY_MS = 20_000;

/** What is left of an old worst case after each window: half of it in about an hour. */
const FADING = 0.99;

/** Fewer operations than this in a window may be our own miscount. */
const SOMEBODY = 1;

/** Operations per ms that unseen other clients may take, before anything has been observed. */
const POSSIBLE_PER_MS = 2e-5;

/** How fast the token's other clients take operations: what is missing in a window beside our own. */
export class OtherClients {
  #lastPerMs = 0;
  /** The most that was observed, fading. */
  #worstPerMs = 0;
  #possiblePerMs = POSSIBLE_PER_MS;

  /** Operations per ms: as in the present window; the less of that was watched, the more as before. */
  perMs(window: RateLimitWindow | undefined): number {
    if (window === undefined) return this.#lastPerMs;
    const watchedMs = window.othersSeenAt - window.openedAt;
    return (this.#lastPerMs * MEMORY_MS + window.others) / (MEMORY_MS + watchedMs);
  }

  /** How many operations they take in so many ms, in the assumed worst case: the worst of the last hours. */
  worstCase(window: RateLimitWindow, ms: number): number {
    return withScatter(ms * this.#worstCasePerMs(window));
  }

  /** Whether other clients have been observed within the last hours. */
  observed(window: RateLimitWindow): boolean {
    return this.#worstCasePerMs(window) * window.lengthMs >= SOMEBODY;
  }

  /** Whether there may be other clients: true until we have watched long enough to rule them out. */
  possible(window: RateLimitWindow): boolean {
    return this.observed(window) || this.#possiblePerMs * window.lengthMs >= SOMEBODY;
  }

  /** A window is over. */
  remember(window: RateLimitWindow): void {
    this.#lastPerMs = this.perMs(window);
    this.#worstPerMs = Math.max(this.#worstPerMs * FADING, this.#lastPerMs);
    this.#possiblePerMs *= FADING;
  }

  #worstCasePerMs(window: RateLimitWindow): number {
    return Math.max(this.#worstPerMs, this.perMs(window));
  }
}

/** An expected number of operations with twice its usual scatter on top. */
export function withScatter(operations: number): number {
  return operations + 2 * Math.sqrt(operations);
}

/** What must remain of a window for others that are expected to take so many operations: these with their scatter, or the reserve. */
export function reservedForOthers(expected: number, reserve: number): number {
  return Math.max(reserve, withScatter(expected));
}

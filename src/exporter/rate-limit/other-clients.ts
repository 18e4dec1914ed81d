/** How long (ms) a window must have been watched to count as much as what was known before. */
const MEMORY_MS = 20_000;

/** How much of the most that was observed is remembered after each window: half of it in about an hour. */
const FADING = 0.99;

/** Fewer operations than this in a window may be our own miscount. */
const SOMEBODY = 1;

/** Operations per ms that other clients may take, before anything has been observed. */
const POSSIBLE_PER_MS = 2e-5;

/** What a rate-limit window shows of other clients; times are local ms. */
export interface WatchedWindow {
  /** Operations that it allows in all. */
  readonly limit: number;
  readonly openedAt: number;
  readonly lengthMs: number;
  /** What others had taken of it, as of `othersSeenAt`. */
  readonly others: number;
  readonly othersSeenAt: number;
}

/** How fast the token's other clients take operations: what is missing in a window beside our own. */
export class OtherClients {
  #lastPerMs = 0;
  /** The most that was observed, fading. */
  #worstPerMs = 0;
  #possiblePerMs = POSSIBLE_PER_MS;

  /**
   * Operations per ms: as in this window, weighted against earlier ones by how long it was watched. Never more than the limit,
   * even if all that they take is seen within a moment.
   */
  perMs(window: WatchedWindow | undefined): number {
    if (window === undefined) return this.#lastPerMs;
    const watchedMs = window.othersSeenAt - window.openedAt;
    const perMs = (this.#lastPerMs * MEMORY_MS + window.others) / (MEMORY_MS + watchedMs);
    return Math.min(perMs, window.limit / window.lengthMs);
  }

  /** Whether other clients have been observed within the last hours. */
  observed(window: WatchedWindow): boolean {
    return Math.max(this.#worstPerMs, this.perMs(window)) * window.lengthMs >= SOMEBODY;
  }

  /** Whether there may be other clients: true until we have watched long enough to rule them out. */
  possible(window: WatchedWindow): boolean {
    return this.observed(window) || this.#possiblePerMs * window.lengthMs >= SOMEBODY;
  }

  /** A window is over. */
  remember(window: WatchedWindow): void {
    this.#lastPerMs = this.perMs(window);
    this.#worstPerMs = Math.max(this.#worstPerMs * FADING, this.#lastPerMs);
    this.#possiblePerMs *= FADING;
  }
}

/** An expected number of operations with twice its usual scatter on top. */
export function withScatter(operations: number): number {
  return operations + 2 * Math.sqrt(operations);
}

/** Operations to leave to other clients in a window: those expected of them with scatter, at least the reserve. */
export function reservedForOthers(expected: number, reserve: number): number {
  return Math.max(reserve, withScatter(expected));
}

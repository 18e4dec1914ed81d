/** Weight of each exchange in the moving average of durations. */
const SMOOTHING = 0.1;

/** Duration (ms) assumed for exchanges before the first. */
const USUAL_EXCHANGE_MS = 200;

/** Duration (ms) from which an exchange is excluded from the average, since it hangs. */
const HANGING_MS = 10_000;

/**
 * Limits the requests in flight. With several groups of operations, one group never uses the whole limit. So the other groups
 * continue if one API hangs.
 */
export class ConcurrencyLimit {
  readonly limit: number;
  /** Number of requests in flight, by group. */
  readonly #groups = new Map<string, number>();
  /** Moving average of exchange durations (ms). */
  #usualMs = USUAL_EXCHANGE_MS;
  #inFlight = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get full(): boolean {
    return this.#inFlight >= this.limit;
  }

  /** Requests per ms that one group can perform. */
  get throughput(): number {
    return this.#most / this.#usualMs;
  }

  /** Registers a group that may send requests. */
  register(group: string): void {
    this.#change(group, 0);
  }

  /** Returns true if another request of a group may be sent. */
  admits(group: string): boolean {
    return !this.full && (this.#groups.get(group) ?? 0) < this.#most;
  }

  /** Counts a request that is sent. The caller must call the returned function once when it ends. */
  send(group: string, now: number): (now: number) => void {
    this.#change(group, 1);
    return (endedAt) => {
      this.#change(group, -1);
      const tookMs = endedAt - now;
      if (tookMs < HANGING_MS) this.#usualMs += SMOOTHING * (tookMs - this.#usualMs);
    };
  }

  /** Maximum number of requests in flight per group. */
  get #most(): number {
    return this.#groups.size > 1 ? Math.max(1, this.limit - 1) : this.limit;
  }

  #change(group: string, by: number): void {
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + by);
    this.#inFlight += by;
  }
}

/** Weight of one more exchange in the mean duration. */
const SMOOTHING = 0.1;

/** Duration (ms) assumed of exchanges before any was seen. */
const USUAL_EXCHANGE_MS = 200;

/** An exchange that takes longer (ms) says nothing of the pace of the others. */
const HANGING_MS = 10_000;

/**
 * Limits requests in flight. No group of operations gets the whole limit while there are others: when one API hangs, the
 * others go on by the connection that is left.
 */
export class ConcurrencyLimit {
  readonly limit: number;
  /** Requests in flight, by group. */
  readonly #groups = new Map<string, number>();
  /** Mean duration of exchanges. */
  #usualMs = USUAL_EXCHANGE_MS;
  #inFlight = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get full(): boolean {
    return this.#inFlight >= this.limit;
  }

  /** Requests per ms that a group can perform. */
  get throughput(): number {
    return this.#most / this.#usualMs;
  }

  /** Counts this group among those that may want to send. */
  register(group: string): void {
    this.#change(group, 0);
  }

  /** True if another request of a group may leave. */
  admits(group: string): boolean {
    return !this.full && (this.#groups.get(group) ?? 0) < this.#most;
  }

  /** Counts a request that leaves. The function returned must be called once when it is over. */
  send(group: string, now: number): (now: number) => void {
    this.#change(group, 1);
    return (endedAt) => {
      this.#change(group, -1);
      const tookMs = endedAt - now;
      if (tookMs < HANGING_MS) this.#usualMs += SMOOTHING * (tookMs - this.#usualMs);
    };
  }

  /** The most requests of one group in flight. */
  get #most(): number {
    return this.#groups.size > 1 ? Math.max(1, this.limit - 1) : this.limit;
  }

  #change(group: string, by: number): void {
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + by);
    this.#inFlight += by;
  }
}

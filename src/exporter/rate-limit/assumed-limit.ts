export interface AssumedLimitOptions {
  /** Operations per window while the platform names no limit. */
  readonly assumedLimit: number;
  /** Whether refusals lower the assumed limit; by default it stands, since an operator has set it. */
  readonly learnsLimit?: boolean;
  /** Among how many it is divided, called each time; default: 1. */
  readonly sharers?: () => number;
}

/** Factor by which a refusal lowers a learned limit. */
const LEFT_BY_REFUSAL = 0.75;

/** After each such time (ms) without a refusal the limit rises by one, up to its first value. */
const RAISED_AFTER_MS = 15 * 60_000;

/** Operations per window while the platform names no limit. It recovers from refusals, such as those of an outage. */
export class AssumedLimit {
  readonly #options: AssumedLimitOptions;
  #learned: number;
  /** When it was lowered or raised last (local ms). */
  #correctedAt = 0;

  constructor(options: AssumedLimitOptions) {
    this.#options = options;
    this.#learned = options.assumedLimit;
  }

  /** Operations for each who shares the limit, at least one. */
  get each(): number {
    const { sharers = () => 1 } = this.#options;
    return Math.max(1, Math.floor(this.#learned / sharers()));
  }

  refused(now: number): void {
    this.#correct(now, Math.floor(this.#learned * LEFT_BY_REFUSAL));
  }

  answered(now: number): void {
    if (now >= this.#correctedAt + RAISED_AFTER_MS) this.#correct(now, this.#learned + 1);
  }

  #correct(now: number, limit: number): void {
    const { learnsLimit, assumedLimit } = this.#options;
    if (learnsLimit !== true) return;
    this.#learned = Math.max(1, Math.min(assumedLimit, limit));
    this.#correctedAt = now;
  }
}

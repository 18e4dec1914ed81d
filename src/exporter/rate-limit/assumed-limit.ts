export interface AssumedLimitOptions {
  /** Operations per window while the platform names no limit. */
  readonly assumedLimit: number;
  /** Whether refusals lower the assumed limit; default: it is what an operator has set, and stands. */
  readonly learnsLimit?: boolean;
  /** Among how many it is divided, called each time; default: it is all of one. */
  readonly sharers?: () => number;
}

/** What a refusal leaves of an assumed limit that is learned. */
const LEFT_BY_REFUSAL = 0.75;

/** After so long (ms) without a refusal it is one operation more, up to what it was at first. */
const RAISED_AFTER_MS = 15 * 60_000;

/** Operations per window while the platform names no limit. Refusals that are over, as those of an outage, leave no trace in the end. */
export class AssumedLimit {
  readonly #options: AssumedLimitOptions;
  #learned: number;
  /** When it was lowered or raised last (local ms). */
  #correctedAt = 0;

  constructor(options: AssumedLimitOptions) {
    this.#options = options;
    this.#learned = options.assumedLimit;
  }

  /** The part of each that shares it: at least one operation. */
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

import type { Clock } from '../clock.ts';
import type { Ticker } from '../poll/ticker.ts';

/** If the scheduler has not run for this long, it is considered dead. */
const LONGEST_SILENCE_MS = 150_000;

/** Something must have been polled within this many of the shortest polling interval. */
const LONGEST_SILENCE_INTERVALS = 3;

/**
 * Whether an account is alive: runs every minute on the scheduler's own ticker, so that a missing run shows that the
 * scheduler has stopped, and remembers when something was last polled.
 */
export class Heartbeat {
  readonly #clock: Clock;
  #beatAt: number;
  #polledAt: number;
  #intervalMs = Number.POSITIVE_INFINITY;
  #stop: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beatAt = clock.now();
    this.#polledAt = clock.now();
  }

  start(ticker: Ticker, onBeat: () => void): void {
    this.#stop = ticker('* * * * *', () => {
      this.#beatAt = this.#clock.now();
      onBeat();
    });
  }

  stop(): void {
    this.#stop();
  }

  /** Records that something was polled. */
  polled(): void {
    this.#polledAt = this.#clock.now();
  }

  /** @param intervals at which the jobs are polled now (ms) */
  expect(intervals: Iterable<number>): void {
    let shortest = Number.POSITIVE_INFINITY;
    for (const interval of intervals) shortest = Math.min(shortest, interval);
    this.#intervalMs = shortest;
  }

  /**
   * Why the account is not alive, as a sentence; undefined if it is.
   * @param platformUp while the platform is down, polls wait longer and longer: `edge_up` tells, and its metrics must be seen
   */
  silence(platformUp: boolean): string | undefined {
    const now = this.#clock.now();
    const beatMs = now - this.#beatAt;
    if (beatMs > LONGEST_SILENCE_MS) return `the scheduler has not run for ${Math.round(beatMs / 1_000)} s`;
    const polledMs = now - this.#polledAt;
    if (!platformUp || polledMs <= LONGEST_SILENCE_INTERVALS * this.#intervalMs) return undefined;
    return `nothing was polled for ${Math.round(polledMs / 1_000)} s`;
  }
}

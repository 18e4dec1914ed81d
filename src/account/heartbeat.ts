import type { Clock } from '../clock.ts';
import type { Ticker } from '../poll/ticker.ts';

/** The scheduler must have beaten within this time, or it does not live. */
const LONGEST_SILENCE_MS = 150_000;

/** Something must have been polled within so many intervals of what is polled most often. */
const LONGEST_SILENCE_INTERVALS = 3;

/**
 * Whether an account is at work: it beats every minute on the scheduler's own ticker, so that its silence shows that the
 * scheduler does not run, and it knows when something was polled last.
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

  /** Something was polled. */
  polled(): void {
    this.#polledAt = this.#clock.now();
  }

  /** @param intervals at which the jobs are polled now (ms) */
  expect(intervals: Iterable<number>): void {
    let shortest = Number.POSITIVE_INFINITY;
    for (const interval of intervals) shortest = Math.min(shortest, interval);
    this.#intervalMs = shortest;
  }

  /** Why it is not at work, in plain words; undefined when it is. */
  silence(): string | undefined {
    const now = this.#clock.now();
    const beatMs = now - this.#beatAt;
    if (beatMs > LONGEST_SILENCE_MS) return `the scheduler has not run for ${Math.round(beatMs / 1_000)} s`;
    const polledMs = now - this.#polledAt;
    if (polledMs <= LONGEST_SILENCE_INTERVALS * this.#intervalMs) return undefined;
    return `nothing was polled for ${Math.round(polledMs / 1_000)} s`;
  }
}

import type { Clock } from '../clock.ts';
import type { Ticker } from '../poll/ticker.ts';

/** The scheduler must have beaten within this time, or it does not live. */
const LONGEST_SILENCE_MS = 150_000;

/** Beats every minute on the scheduler's own ticker, so that its silence shows that the scheduler does not run. */
export class Heartbeat {
  readonly #clock: Clock;
  #beatAt: number;
  #stop: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beatAt = clock.now();
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

  /** For how long (ms) there was no beat, when it is for too long; else undefined. */
  silence(): number | undefined {
    const silence = this.#clock.now() - this.#beatAt;
    return silence > LONGEST_SILENCE_MS ? silence : undefined;
  }
}

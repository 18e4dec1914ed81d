import type { Clock } from '../clock.ts';

/** Calls back once, at the time it was set to last. */
export class Timer {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #sleep: AbortController | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** Sets it to another time (local ms); Infinity for none. */
  set(at: number): void {
    if (at === this.#at) return;
    this.#sleep?.abort();
    this.#at = at;
    if (at === Number.POSITIVE_INFINITY) return;
    this.#sleep = new AbortController();
    this.#clock.sleep(Math.max(1, at - this.#clock.now()), this.#sleep.signal).then(
      () => {
        this.#at = Number.POSITIVE_INFINITY;
        this.#callback();
      },
      // The only way to fail is the abort above: the timer was set to another time.
      () => undefined,
    );
  }
}

/**
 * The source of time. Whatever waits or needs the time gets one, so that tests can simulate days.
 *
 * Whatever lasts, expires or falls due is measured by `now`, which no change of the machine's clock touches. `wall` only
 * names moments for others: buckets (until the platform's `Date` tells its time), cron moments, and what is displayed.
 */
export interface Clock {
  /** Local time: milliseconds since the epoch as the machine's clock told at the start, and steady from then on. */
  now(): number;
  /** What the machine's clock shows: milliseconds since the epoch. It may be set, forward and back. */
  wall(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What the machine's clock would show at a local time, as it is set now. */
export function wallAt(clock: Pick<Clock, 'now' | 'wall'>, local: number): number {
  return local + clock.wall() - clock.now();
}

/** The longest delay a timer takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  wall: () => Date.now(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const wake = () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
      const cancel = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
    });
  },
};

/** Why the sleep of a timer ends early. One for all: to make an error for each, as `abort` does by itself, takes its time. */
const SET_ANEW = new Error('set to another time');

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
    this.#sleep?.abort(SET_ANEW);
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

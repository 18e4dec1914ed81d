import type { Clock } from '../src/clock.ts';

/** A clock that stands still until the test moves it, for parts that ask the time and never sleep. */
export class ManualClock implements Clock {
  #now: number;

  constructor(now = Date.UTC(2026, 0, 5, 12)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  sleep(): Promise<never> {
    return Promise.reject(new Error('nothing here was expected to sleep'));
  }
}

/** When the platform answered the exporter's reads, by the clock that all processes share. */
import type { Server } from './scrape-process.ts';
import { monotonicMs, pause } from './statistics.ts';

/** What the platform tells: when it sent answers (shared ms), in their order. */
export interface AnswersSent {
  readonly answered: readonly number[];
}

export class Answers {
  readonly #times: number[] = [];

  constructor({ child }: Server) {
    child.on('message', ({ answered = [] }: Partial<AnswersSent>) => this.#times.push(...answered));
  }

  get count(): number {
    return this.#times.length;
  }

  /** How many were sent at `from` or later, up to before `to`. */
  between(from: number, to: number): number {
    return this.#before(to) - this.#before(from);
  }

  /** When each of them left the platform, in ms from the first. */
  offsetsBetween(from: number, to: number): readonly number[] {
    const times = this.#times.slice(this.#before(from), this.#before(to));
    return times.map((time) => time - (times[0] ?? 0));
  }

  /** Resolves when none has been sent for so long (ms), or at `latest`. */
  async untilNone(ms: number, latest: number): Promise<void> {
    while (monotonicMs() - (this.#times.at(-1) ?? 0) < ms && monotonicMs() < latest) await pause(50);
  }

  /** How many were sent before a time. */
  #before(time: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

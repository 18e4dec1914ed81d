import type { Window } from '../settling/window.ts';
import { type Absence, absentAgain, isExhausted, isOvertaken } from './patience.ts';

/** Which settled buckets of a window an answer lacked. */
export interface Absent {
  readonly window: Window;
  /** The starts of the buckets, ascending. */
  readonly buckets: readonly number[];
  /** Up to where the counter has counted; what is before is a settled matter. */
  readonly watermark: number;
  /** Whether no row of the answer was dropped. */
  readonly sound: boolean;
}

/**
 * The settled buckets that a series' answers lack. One malformed or partial answer must not cost a bucket, so it is
 * asked for again; but a bucket that the platform never had must not stop the counter for ever.
 */
export class Absences {
  readonly #noted = new Map<number, Absence>();

  /** Notes which settled buckets an answer lacked whose window reaches back to the watermark. */
  note({ window, buckets, watermark, sound }: Absent, now: number): void {
    const absent = new Set(buckets);
    for (const bucket of this.#noted.keys()) {
      const present = bucket >= window.from && bucket < window.to && !absent.has(bucket);
      if (bucket < watermark || present) this.#noted.delete(bucket);
    }
    for (const bucket of buckets) {
      this.#noted.set(bucket, absentAgain(this.#noted.get(bucket), sound, now));
    }
  }

  /**
   * Whether a bucket was absent for so long, and from so many answers, that the platform does not have it.
   * @param newest the start of the platform's newest bucket
   */
  exhausted(bucket: number, now: number, newest: number): boolean {
    const noted = this.#noted.get(bucket);
    return noted !== undefined && isOvertaken(bucket, newest) && isExhausted(noted, now);
  }
}

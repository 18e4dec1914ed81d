import { MINUTE_MS, type Window } from '../settling/window.ts';

/** How long, and in how many answers, a bucket must be absent before the counter goes on without it. */
const PATIENCE_MS = 30 * MINUTE_MS;
const PATIENCE_ANSWERS = 5;

/** The same where rows were dropped from the answers: any of those may have been the bucket's. */
const PATIENCE_DAMAGED_ANSWERS = 30;

/**
 * How far the platform's newest bucket must be beyond an absent one: before that it may only be late. Less than the
 * longest window, so that a series that has ended stays within the windows that are read anyway.
 */
const OVERTAKEN_MS = 40 * MINUTE_MS;

/** Which settled buckets of a window an answer lacked. */
export interface Absent {
  readonly window: Window;
  /** The starts of the buckets, ascending. */
  readonly buckets: readonly number[];
  /** Up to where the counter has counted; what is before is a settled matter. */
  readonly mark: number;
  /** Whether no row of the answer was dropped. */
  readonly sound: boolean;
}

interface Absence {
  readonly since: number;
  sound: number;
  damaged: number;
}

/**
 * The settled buckets that a series' answers lack. One malformed or partial answer must not cost a bucket, so it is
 * asked for again; but a bucket that the platform never had must not stop the counter for ever.
 */
export class Absences {
  readonly #noted = new Map<number, Absence>();

  /** Notes which settled buckets an answer lacked whose window reaches back to the mark. */
  note({ window, buckets, mark, sound }: Absent, now: number): void {
    const absent = new Set(buckets);
    for (const bucket of this.#noted.keys()) {
      const present = bucket >= window.from && bucket < window.to && !absent.has(bucket);
      if (bucket < mark || present) this.#noted.delete(bucket);
    }
    for (const bucket of buckets) {
      const noted = this.#noted.get(bucket) ?? { since: now, sound: 0, damaged: 0 };
      noted[sound ? 'sound' : 'damaged'] += 1;
      this.#noted.set(bucket, noted);
    }
  }

  /**
   * Whether a bucket was absent for so long, and from so many answers, that the platform does not have it.
   * @param newest the start of the platform's newest bucket
   */
  exhausted(bucket: number, now: number, newest: number): boolean {
    const noted = this.#noted.get(bucket);
    if (noted === undefined || newest < bucket + OVERTAKEN_MS || now - noted.since < PATIENCE_MS)
      return false;
    return noted.sound >= PATIENCE_ANSWERS || noted.sound + noted.damaged >= PATIENCE_DAMAGED_ANSWERS;
  }
}

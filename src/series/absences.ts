import { MINUTE_MS } from './window.ts';

/** How long, and in how many answers, a bucket must be absent before the counter goes on without it. */
const PATIENCE_MS = 30 * MINUTE_MS;
const PATIENCE_ANSWERS = 5;

/** How far the platform's newest bucket must be beyond an absent one: before that it may only be late. */
const OVERTAKEN_MS = 60 * MINUTE_MS;

interface Absence {
  readonly since: number;
  answers: number;
}

/**
 * The settled buckets that a series' answers lack. One malformed or partial answer must not cost a bucket, so it is
 * asked for again; but a bucket that the platform never had must not stop the counter for ever.
 */
export class Absences {
  readonly #noted = new Map<number, Absence>();

  /** Notes which settled buckets an answer lacked; those before the first of them are settled matters. */
  note(absent: readonly number[], now: number): void {
    const first = absent[0] ?? Number.POSITIVE_INFINITY;
    for (const bucket of this.#noted.keys()) if (bucket < first) this.#noted.delete(bucket);
    for (const bucket of absent) {
      const noted = this.#noted.get(bucket);
      if (noted === undefined) this.#noted.set(bucket, { since: now, answers: 1 });
      else noted.answers += 1;
    }
  }

  /** Whether a bucket was absent for so long, and from so many answers, that the platform does not have it. */
  exhausted(bucket: number, now: number, newest: number): boolean {
    const noted = this.#noted.get(bucket);
    if (noted === undefined || newest < bucket + OVERTAKEN_MS) return false;
    return noted.answers >= PATIENCE_ANSWERS && now - noted.since >= PATIENCE_MS;
  }
}

import type { Points } from '../decode/points.ts';
import { type Completeness, OLDEST_MINUTE } from './completeness.ts';
import { MINUTE_MS } from './window.ts';

interface Watched {
  /** By minute of age; NaN where it was not read at that age. */
  readonly shown: number[];
  /** How many series the sums are over: sums over different series cannot be compared. */
  series: number;
}

/** Watches the buckets of one target grow from answer to answer, and reports each once it is final. */
export class GrowthWatch {
  readonly #completeness: Completeness;
  readonly #watched = new Map<number, Watched>();

  constructor(completeness: Completeness) {
    this.#completeness = completeness;
  }

  /** @param finalAge from which age on (ms) a bucket is taken to be final; `now` is the platform's time */
  observe(series: ReadonlyMap<string, Points>, width: number, now: number, finalAge: number): void {
    for (const [bucket, { sum, count }] of sumsByBucket(series)) {
      const age = now - bucket - width;
      if (age >= finalAge) this.#finish(bucket, sum, count);
      else if (age >= 0) this.#note(bucket, Math.floor(age / MINUTE_MS), sum, count);
    }
    const forgotten = now - width - 3 * finalAge;
    for (const bucket of this.#watched.keys()) if (bucket < forgotten) this.#watched.delete(bucket);
  }

  #note(bucket: number, minute: number, sum: number, count: number): void {
    let watched = this.#watched.get(bucket);
    if (watched === undefined) {
      // Of what was first read when it was older there is nothing to tell.
      if (minute > OLDEST_MINUTE) return;
      watched = { shown: unknown(), series: count };
      this.#watched.set(bucket, watched);
    }
    if (watched.series !== count) watched.series = Number.NaN;
    else if (minute <= OLDEST_MINUTE) watched.shown[minute] = sum;
  }

  #finish(bucket: number, final: number, count: number): void {
    const watched = this.#watched.get(bucket);
    if (watched?.series === count) this.#completeness.learn({ shown: watched.shown, final });
    this.#watched.delete(bucket);
  }
}

/** No typed array: each of those has a buffer of its own, and there are twenty of them for each target. */
function unknown(): number[] {
  return new Array<number>(OLDEST_MINUTE + 1).fill(Number.NaN);
}

function sumsByBucket(series: ReadonlyMap<string, Points>): Map<number, { sum: number; count: number }> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { timestamps, values } of series.values()) {
    for (const [index, bucket] of timestamps.entries()) {
      const known = sums.get(bucket) ?? { sum: 0, count: 0 };
      known.sum += values[index] ?? 0;
      known.count += 1;
      sums.set(bucket, known);
    }
  }
  return sums;
}

import type { Points } from '../decode/points.ts';
import { MINUTE_MS } from './window.ts';

/** Ages up to this many minutes are told apart. */
export const OLDEST_MINUTE = 20;

/** From how many finished buckets on an age's completeness is trusted. */
const ENOUGH = 60;

/** After this many measurements, old ones count half: the platform's behaviour may change. */
const MEMORY = 5_000;

/** What was shown of one bucket at each age (whole minutes), as the sum over its series. */
export interface Growth {
  /** By minute of age; NaN where it was not read at that age. */
  readonly shown: ArrayLike<number>;
  readonly final: number;
}

/**
 * How much of their final value the buckets of one metric hold by age, over all targets: learned from every bucket
 * that was read both young and final, weighted by size.
 */
export class Completeness {
  readonly #shown = new Float64Array(OLDEST_MINUTE + 1);
  readonly #final = new Float64Array(OLDEST_MINUTE + 1);
  readonly #buckets = new Float64Array(OLDEST_MINUTE + 1);

  /** Takes in a bucket that is final. One without traffic tells nothing. */
  learn({ shown, final }: Growth): void {
    if (!(final > 0)) return;
    for (let minute = 0; minute < shown.length; minute += 1) {
      const value = Number(shown[minute]);
      if (Number.isNaN(value)) continue;
      if ((this.#buckets[minute] ?? 0) >= MEMORY) this.#halve(minute);
      // A bucket restated downwards was complete before.
      add(this.#shown, minute, Math.min(value, final));
      add(this.#final, minute, final);
      add(this.#buckets, minute, 1);
    }
  }

  /** The share (0 to 1) of its final value that a bucket holds at an age of so many minutes; undefined before enough was seen. */
  at(minute: number): number | undefined {
    if ((this.#buckets[minute] ?? 0) < ENOUGH) return undefined;
    return (this.#shown[minute] ?? 0) / (this.#final[minute] ?? 1);
  }

  /** The least age (ms) at which buckets hold at least `share` of their final value, or undefined while none is known to. */
  leastAge(share: number): number | undefined {
    for (let minute = 0; minute <= OLDEST_MINUTE; minute += 1) {
      const completeness = this.at(minute);
      if (completeness !== undefined && completeness >= share) return minute * MINUTE_MS;
    }
    return undefined;
  }

  #halve(minute: number): void {
    for (const sums of [this.#shown, this.#final, this.#buckets]) sums[minute] = (sums[minute] ?? 0) / 2;
  }
}

function add(sums: Float64Array, index: number, value: number): void {
  sums[index] = (sums[index] ?? 0) + value;
}

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

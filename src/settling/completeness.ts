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

  /** Takes in a bucket that is final. Nothing is learned from one without traffic. */
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

/** What was shown of one bucket by minute of age, as NaN where it was not read at that age. */
const ROW = OLDEST_MINUTE + 1;

/** Rows are added by so many: of buckets of a minute, ten are young until the settle delay is known. */
const MORE_ROWS = 10;

/**
 * Watches the buckets of one target grow from answer to answer, and reports each once it is final. Their rows are one
 * array, and of single precision: there are ten for each target, and it is shares of a percent that are to be learned.
 */
export class GrowthWatch {
  readonly #completeness: Completeness;
  /** The bucket of each row. */
  readonly #buckets: number[] = [];
  /** How many series the sums of each row are over: sums over different series cannot be compared. NaN where they differ. */
  readonly #series: number[] = [];
  #shown = new Float32Array(0);

  constructor(completeness: Completeness) {
    this.#completeness = completeness;
  }

  /** @param finalAge from which age on (ms) a bucket is taken to be final; `now` is the platform's time */
  observe(series: ReadonlyMap<string, Points>, width: number, now: number, finalAge: number): void {
    for (const { bucket, sum, count } of sumsByBucket(series)) {
      const age = now - bucket - width;
      if (age >= finalAge) this.#finish(bucket, sum, count);
      else if (age >= 0) this.#note(bucket, Math.floor(age / MINUTE_MS), sum, count);
    }
    const forgotten = now - width - 3 * finalAge;
    for (const bucket of this.#buckets.filter((bucket) => bucket < forgotten)) this.#remove(bucket);
  }

  #note(bucket: number, minute: number, sum: number, count: number): void {
    // Of what was first read when it was older there is nothing to tell.
    if (minute > OLDEST_MINUTE && !this.#buckets.includes(bucket)) return;
    const row = this.#rowOf(bucket, count);
    if (this.#series[row] !== count) this.#series[row] = Number.NaN;
    else if (minute <= OLDEST_MINUTE) this.#shown[row * ROW + minute] = sum;
  }

  /** The row of a bucket, a new one where it has none. */
  #rowOf(bucket: number, count: number): number {
    const known = this.#buckets.indexOf(bucket);
    if (known >= 0) return known;
    const row = this.#buckets.push(bucket) - 1;
    this.#series.push(count);
    if (row * ROW >= this.#shown.length) {
      const larger = new Float32Array((row + MORE_ROWS) * ROW);
      larger.set(this.#shown);
      this.#shown = larger;
    }
    this.#shown.fill(Number.NaN, row * ROW, (row + 1) * ROW);
    return row;
  }

  #finish(bucket: number, final: number, count: number): void {
    const row = this.#buckets.indexOf(bucket);
    if (row < 0) return;
    const shown = this.#shown.subarray(row * ROW, (row + 1) * ROW);
    // Of the same precision: a bucket that was shown whole was shown whole.
    if (this.#series[row] === count) this.#completeness.learn({ shown, final: Math.fround(final) });
    this.#remove(bucket);
  }

  #remove(bucket: number): void {
    const row = this.#buckets.indexOf(bucket);
    for (const column of [this.#buckets, this.#series]) column.splice(row, 1);
    this.#shown.copyWithin(row * ROW, (row + 1) * ROW);
  }
}

/** The sum of a bucket over all series, and how many of them have it. */
interface BucketSum {
  readonly bucket: number;
  sum: number;
  count: number;
}

function sumsByBucket(series: ReadonlyMap<string, Points>): Iterable<BucketSum> {
  const byBucket = new Map<number, BucketSum>();
  const inOrder: BucketSum[] = [];
  for (const { timestamps, values } of series.values()) {
    for (let index = 0; index < timestamps.length; index += 1) {
      const bucket = Number(timestamps[index]);
      // Most series have the same buckets as the first: then it need not be looked up.
      let known = inOrder[index];
      if (known?.bucket !== bucket) known = byBucket.get(bucket);
      if (known === undefined) {
        known = { bucket, sum: 0, count: 0 };
        byBucket.set(bucket, known);
        inOrder.push(known);
      }
      known.sum += Number(values[index]);
      known.count += 1;
    }
  }
  return inOrder;
}

import type { Points } from '../decode/points.ts';
import { MINUTE_MS } from './window.ts';

/** Completeness is learned for each minute of age, up to this one. */
export const OLDEST_MINUTE = 20;

/** From how many finished buckets on an age's completeness is trusted. */
const ENOUGH = 60;

/** After this many measurements, old ones count half: the platform's behaviour may change. */
const MOST_MEASUREMENTS = 5_000;

/**
 * How much of their final value the buckets of one metric hold by age, over all targets: learned from every bucket
 * that was read both young and final, weighted by size. Three sums for each whole minute of age.
 */
export interface Completeness {
  readonly shown: readonly number[];
  readonly final: readonly number[];
  readonly buckets: readonly number[];
}

const ZEROS: readonly number[] = Array<number>(OLDEST_MINUTE + 1).fill(0);

export const NO_COMPLETENESS: Completeness = { shown: ZEROS, final: ZEROS, buckets: ZEROS };

/** What was shown of one bucket at each age (whole minutes), as the sum over its series. */
export interface Growth {
  /** By minute of age; NaN where it was not read at that age. */
  readonly shown: readonly number[];
  readonly final: number;
}

/** The completeness with buckets that are final. Nothing is learned from one without traffic. */
export function withGrown(known: Completeness, grown: readonly Growth[]): Completeness {
  const sums = { shown: [...known.shown], final: [...known.final], buckets: [...known.buckets] };
  for (const { shown, final } of grown.filter((one) => one.final > 0)) {
    for (const [minute, value] of shown.entries()) {
      if (Number.isNaN(value)) continue;
      const weight = (sums.buckets[minute] ?? 0) >= MOST_MEASUREMENTS ? 0.5 : 1;
      // A bucket restated downwards was complete before.
      sums.shown[minute] = (sums.shown[minute] ?? 0) * weight + Math.min(value, final);
      sums.final[minute] = (sums.final[minute] ?? 0) * weight + final;
      sums.buckets[minute] = (sums.buckets[minute] ?? 0) * weight + 1;
    }
  }
  return sums;
}

/** The share (0 to 1) of its final value that a bucket holds at an age of so many minutes; undefined before enough was seen. */
export function completeAt({ shown, final, buckets }: Completeness, minute: number): number | undefined {
  if ((buckets[minute] ?? 0) < ENOUGH) return undefined;
  return (shown[minute] ?? 0) / (final[minute] ?? 1);
}

/** The completeness by minute of age, as far as enough was seen. */
export function* completeByMinute(known: Completeness): Generator<[minute: number, share: number]> {
  for (let minute = 0; minute <= OLDEST_MINUTE; minute += 1) {
    const share = completeAt(known, minute);
    if (share !== undefined) yield [minute, share];
  }
}

/** The least age (ms) at which buckets hold at least `share` of their final value, or undefined while none is known to. */
export function leastAgeWith(completeness: Completeness, share: number): number | undefined {
  for (const [minute, complete] of completeByMinute(completeness))
    if (complete >= share) return minute * MINUTE_MS;
  return undefined;
}

/** Minutes of age in a row. */
const ROW = OLDEST_MINUTE + 1;

/**
 * The buckets of one target that are not final yet, as sums over its series. All rows are one array, of single precision:
 * there are ten for each of thousands of targets, and it is shares of a percent that are to be learned.
 */
export interface YoungBuckets {
  /** Where each starts (ms since the epoch). */
  readonly starts: readonly number[];
  /** How many series the sums of each are over; NaN where they differ: such sums cannot be compared. */
  readonly series: readonly number[];
  /** A row for each, by minute of age; NaN where it was not read at that age. */
  readonly shown: Float32Array;
}

export const NONE_YOUNG: YoungBuckets = { starts: [], series: [], shown: new Float32Array() };

/** What was shown of a young bucket, by minute of age. */
function shownOf({ shown }: YoungBuckets, row: number): number[] {
  return [...shown.subarray(row * ROW, (row + 1) * ROW)];
}

/** A young bucket by itself. */
interface YoungRow {
  readonly start: number;
  readonly series: number;
  readonly shown: readonly number[];
}

/** Young buckets as rows. */
export function rowsOf(young: YoungBuckets): YoungRow[] {
  return young.starts.map((start, row) => {
    return { start, series: young.series[row] ?? Number.NaN, shown: shownOf(young, row) };
  });
}

/** Young buckets of rows. */
export function youngOf(rows: readonly YoungRow[]): YoungBuckets {
  const all = new Float32Array(rows.length * ROW).fill(Number.NaN);
  for (const [row, { shown }] of rows.entries()) all.set(shown.slice(0, ROW), row * ROW);
  return { starts: rows.map(({ start }) => start), series: rows.map(({ series }) => series), shown: all };
}

/** The young buckets after an answer, and those that have become final with it. */
export interface WatchedGrowth {
  readonly young: YoungBuckets;
  readonly grown: readonly Growth[];
}

/**
 * Watches the buckets of one target grow from answer to answer.
 * @param now the platform's time @param finalAge from which age on (ms) a bucket is taken to be final
 */
export function watchGrowth(
  before: YoungBuckets,
  answer: { readonly series: ReadonlyMap<string, Points>; readonly width: number; readonly now: number },
  finalAge: number,
): WatchedGrowth {
  const { series, width, now } = answer;
  const sums = sumsByBucket(series);
  const ageOf = (start: number) => now - start - width;
  const grown: Growth[] = [];
  for (const [row, start] of before.starts.entries()) {
    const bucket = sums.get(start);
    if (bucket === undefined || ageOf(start) < finalAge || before.series[row] !== bucket.count) continue;
    // In the same precision as what was shown, so that a bucket that was complete counts as complete.
    grown.push({ shown: shownOf(before, row), final: Math.fround(bucket.sum) });
  }
  // One that an answer lacks may come with the next.
  const lacking = before.starts.filter((start) => ageOf(start) <= 3 * finalAge && !sums.has(start));
  const read = [...sums.keys()].filter((start) => ageOf(start) >= 0 && ageOf(start) < finalAge);
  return { young: withRead(before, [...lacking, ...read], sums, now - width), grown };
}

/** @param closed where the bucket starts that closes at the answer's time */
function withRead(
  before: YoungBuckets,
  starts: readonly number[],
  read: ReadonlyMap<number, BucketSum>,
  closed: number,
): YoungBuckets {
  const shown = new Float32Array(starts.length * ROW).fill(Number.NaN);
  const series = starts.map((start, row) => {
    const known = before.starts.indexOf(start);
    if (known >= 0) shown.set(before.shown.subarray(known * ROW, (known + 1) * ROW), row * ROW);
    const bucket = read.get(start);
    const count = before.series[known] ?? bucket?.count ?? Number.NaN;
    if (bucket === undefined) return count;
    const minute = Math.floor((closed - start) / MINUTE_MS);
    if (bucket.count !== count) return Number.NaN;
    if (minute < ROW) shown[row * ROW + minute] = bucket.sum;
    return count;
  });
  return { starts, series, shown };
}

/** The sum of a bucket over all series, and how many of them have it. */
interface BucketSum {
  sum: number;
  count: number;
}

function sumsByBucket(series: ReadonlyMap<string, Points>): ReadonlyMap<number, BucketSum> {
  const byStart = new Map<number, BucketSum>();
  for (const { timestamps, values } of series.values()) {
    for (let index = 0; index < timestamps.length; index += 1) {
      const start = Number(timestamps[index]);
      let known = byStart.get(start);
      if (known === undefined) {
        known = { sum: 0, count: 0 };
        byStart.set(start, known);
      }
      known.sum += Number(values[index]);
      known.count += 1;
    }
  }
  return byStart;
}

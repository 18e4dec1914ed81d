import { addedUp } from '../catalogue/decimal.ts';
import type { Points } from '../decode/points.ts';
import type { Window } from '../settling/window.ts';

/** What a counter has taken in: a sum, and up to where. Both are only ever replaced together. */
export interface Counter {
  /** The sum of all counted buckets, in the platform's unit. */
  readonly total: number;
  /** The start of the next bucket to count (ms since the epoch); everything before it is counted or skipped. */
  readonly watermark: number;
}

/** What is true of every series of one answer. */
export interface Settlement {
  readonly window: Window;
  /** Bucket width in milliseconds. */
  readonly width: number;
  /** Buckets that closed at or before this time do not change any more (platform ms). */
  readonly settledUntil: number;
}

/** A bucket that a counter has taken in. */
export interface CountedBucket {
  /** Start of the bucket (ms since the epoch). */
  readonly start: number;
  /** In ms. */
  readonly width: number;
  /** In the platform's unit. */
  readonly value: number;
  /** The counter's value after it. */
  readonly total: number;
}

/** The counter after an answer, and what happened on the way. */
export interface Posting {
  readonly counter: Counter;
  /** The buckets counted, in order. */
  readonly settled: readonly CountedBucket[];
  /** Buckets skipped because the platform kept leaving them out. */
  readonly skipped: number;
  /** Starts of settled buckets that the answer lacks and that are waited for; the watermark stops at the first of them. */
  readonly absent: readonly number[];
}

/** Whether an absent bucket, told by its start, was waited for long enough. */
export type Skips = (bucketStart: number) => boolean;

/**
 * Takes the settled buckets of an answer into a counter, each exactly once and in order: the watermark moves from bucket
 * to bucket, and stops at the first one that the window does not cover whole, that has not settled, or that the
 * answer lacks. Any order, repetition or overlap of answers therefore gives the same total.
 */
export function post(counter: Counter, points: Points, settlement: Settlement, skips: Skips): Posting {
  const { window, width, settledUntil } = settlement;
  const end = Math.min(window.to, settledUntil);
  let { total, watermark } = counter;
  const settled: CountedBucket[] = [];
  let skipped = 0;
  let index = firstAtOrAfter(points.timestamps, watermark);
  while (watermark >= window.from && watermark + width <= end) {
    const timestamp = points.timestamps[index];
    if (timestamp === watermark) {
      const value = points.values[index] ?? 0;
      total = addedUp(total, value);
      settled.push({ start: watermark, width, value, total });
      index += 1;
      watermark += width;
    } else if (skips(watermark)) {
      skipped += 1;
      watermark = nextBucket(watermark, width, timestamp);
    } else {
      return {
        counter: { total, watermark },
        settled,
        skipped,
        absent: absentBuckets(points, watermark, width, end),
      };
    }
  }
  return { counter: { total, watermark }, settled, skipped, absent: [] };
}

function absentBuckets(points: Points, from: number, width: number, end: number): number[] {
  const absent: number[] = [];
  let index = firstAtOrAfter(points.timestamps, from);
  for (let bucket = from; bucket + width <= end; bucket += width) {
    if (points.timestamps[index] === bucket) index += 1;
    else absent.push(bucket);
  }
  return absent;
}

/** The start of the bucket after `watermark`; where the grid has changed its width, the next one on the new grid. */
function nextBucket(watermark: number, width: number, timestamp: number | undefined): number {
  if (timestamp === undefined) return watermark + width;
  const offGrid = (timestamp - watermark) % width;
  return offGrid === 0 ? watermark + width : watermark + offGrid;
}

/** The oldest watermark, or undefined where there is no counter. */
export function oldestWatermark(counters: ReadonlyMap<string, Counter> = new Map()): number | undefined {
  let oldest: number | undefined;
  for (const { watermark } of counters.values()) oldest = Math.min(oldest ?? watermark, watermark);
  return oldest;
}

/** Index of the first timestamp at or after `time`, by bisection. */
export function firstAtOrAfter(timestamps: Float64Array, time: number): number {
  let low = 0;
  let high = timestamps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timestamps[middle] ?? Number.POSITIVE_INFINITY) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

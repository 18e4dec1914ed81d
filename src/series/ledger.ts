import { addedUp } from '../catalogue/decimal.ts';
import type { Points } from '../decode/points.ts';
import type { Window } from '../settling/window.ts';

/** What a counter has taken in: a sum, and up to where. Both are only ever replaced together. */
export interface Ledger {
  /** The sum of all counted buckets, in the platform's unit. */
  readonly total: number;
  /** The start of the next bucket to count (ms since the epoch); everything before it is counted or given up. */
  readonly mark: number;
}

/** What is true of every series of one answer. */
export interface Settlement {
  readonly window: Window;
  /** Bucket width in milliseconds. */
  readonly width: number;
  /** Buckets that closed at or before this time do not change any more (platform ms). */
  readonly settledUntil: number;
}

/** The ledger after an answer, and what happened on the way. */
export interface Posting {
  readonly ledger: Ledger;
  /** Buckets counted. */
  readonly counted: number;
  /** Buckets given up because the platform kept leaving them out. */
  readonly givenUp: number;
  /** Starts of settled buckets that the answer lacks and that are waited for; the mark stops at the first of them. */
  readonly absent: readonly number[];
}

/** Whether an absent bucket, told by its start, was waited for long enough. */
export type GivesUp = (bucketStart: number) => boolean;

/**
 * Takes the settled buckets of an answer into a ledger, each exactly once and in order: the mark moves from bucket
 * to bucket, and stops at the first one that the window does not cover whole, that has not settled, or that the
 * answer lacks. Any order, repetition or overlap of answers therefore gives the same total.
 */
export function post(ledger: Ledger, points: Points, settlement: Settlement, givesUp: GivesUp): Posting {
  const { window, width, settledUntil } = settlement;
  const end = Math.min(window.to, settledUntil);
  let { total, mark } = ledger;
  let counted = 0;
  let givenUp = 0;
  let index = firstAtOrAfter(points.timestamps, mark);
  while (mark >= window.from && mark + width <= end) {
    const timestamp = points.timestamps[index];
    if (timestamp === mark) {
      total = addedUp(total, points.values[index] ?? 0);
      counted += 1;
      index += 1;
      mark += width;
    } else if (givesUp(mark)) {
      givenUp += 1;
      mark = nextBucket(mark, width, timestamp);
    } else {
      return { ledger: { total, mark }, counted, givenUp, absent: absentBuckets(points, mark, width, end) };
    }
  }
  return { ledger: { total, mark }, counted, givenUp, absent: [] };
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

/** The start of the bucket after `mark`; where the grid has changed its width, the next one on the new grid. */
function nextBucket(mark: number, width: number, timestamp: number | undefined): number {
  if (timestamp === undefined) return mark + width;
  const offGrid = (timestamp - mark) % width;
  return offGrid === 0 ? mark + width : mark + offGrid;
}

/** The oldest mark, or undefined where there is no ledger. */
export function oldestMark(ledgers: ReadonlyMap<string, Ledger> = new Map()): number | undefined {
  let oldest: number | undefined;
  for (const { mark } of ledgers.values()) oldest = Math.min(oldest ?? mark, mark);
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

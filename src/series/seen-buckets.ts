import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points, shortLivedArray } from '../decode/points.ts';
import type { Restatements } from '../poll/result.ts';
import { firstAtOrAfter } from '../settling/spans.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { PackedPoints, type PointsByDimension } from './packed-series.ts';
import type { WindowedAnswer } from './series-reader.ts';

/** The newest buckets of a metric as the answers before have shown them, by dimension. */
export interface SeenBuckets {
  readonly width: number;
  readonly series: PointsByDimension;
}

/** How long before the newest bucket others are remembered: long enough for some that have settled. */
const KEPT_MS = 25 * MINUTE_MS;

/** What was seen, with what an answer shows. */
export function seenAgain(seen: SeenBuckets | undefined, { series }: Decoded, width: number): SeenBuckets {
  if (seen === undefined || seen.width !== width) return { width, series: new PackedPoints(series) };
  const together = new Map<string, Points>();
  const oldest = newestIn(series) - KEPT_MS;
  // A dimension that answers no longer have goes with its buckets: names that never come again would add up.
  for (const [name, points] of seen.series)
    if (series.has(name) || Number(points.timestamps.at(-1)) >= oldest) together.set(name, points);
  for (const [name, points] of series) together.set(name, merged(together.get(name) ?? NO_POINTS, points));
  return { width, series: new PackedPoints(together) };
}

function newestIn(series: Decoded['series']): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { timestamps } of series.values())
    if (timestamps.length > 0) newest = Math.max(newest, Number(timestamps[timestamps.length - 1]));
  return newest;
}

/** The later points, and of the earlier ones those that they lack and that are not too old. */
function merged(earlier: Points, later: Points): Points {
  const { length } = later.timestamps;
  const newest = length === 0 ? Number.NEGATIVE_INFINITY : Number(later.timestamps[length - 1]);
  let next = firstAtOrAfter(earlier.timestamps, newest - KEPT_MS);
  const all = sizeTogether(earlier.timestamps, next, later.timestamps);
  if (all === length) return later;
  const [timestamps, values] = [shortLivedArray(all), shortLivedArray(all)];
  for (let place = 0, index = 0; place < all; place += 1) {
    const isLater = index < length && !isBefore(earlier.timestamps, next, Number(later.timestamps[index]));
    const points = isLater ? later : earlier;
    const from = isLater ? index : next;
    timestamps[place] = Number(points.timestamps[from]);
    values[place] = Number(points.values[from]);
    if (!isLater || isAt(earlier.timestamps, next, Number(timestamps[place]))) next += 1;
    if (isLater) index += 1;
  }
  return { timestamps, values };
}

/** How many times there are in some and, from an index on, in earlier ones. */
function sizeTogether(earlier: Float64Array, from: number, later: Float64Array): number {
  let size = earlier.length - from + later.length;
  for (let index = 0, next = from; index < later.length; index += 1) {
    const time = Number(later[index]);
    while (isBefore(earlier, next, time)) next += 1;
    if (isAt(earlier, next, time)) size -= 1;
  }
  return size;
}

// A read beyond the end of an array gives no number: the engine then makes an object of each number that it reads there.

function isBefore(times: Float64Array, index: number, time: number): boolean {
  return index < times.length && Number(times[index]) < time;
}

function isAt(times: Float64Array, index: number, time: number): boolean {
  return index < times.length && times[index] === time;
}

/**
 * What was seen of the time of a wider bucket: the value of its first bucket, undefined where that was not seen, and the
 * sum of the others, which is undefined where not all were.
 */
export function partsOf(
  { timestamps, values }: Points,
  from: number,
  length: number,
  width: number,
): { readonly first: number; readonly rest: number | undefined } | undefined {
  const count = length / width;
  const begin = firstAtOrAfter(timestamps, from);
  if (timestamps[begin] !== from) return undefined;
  const first = Number(values[begin]);
  let rest = 0;
  for (let part = 1; part < count; part += 1) {
    if (timestamps[begin + part] !== from + part * width) return { first, rest: undefined };
    rest += Number(values[begin + part]);
  }
  return { first, rest };
}

/**
 * What an answer changes of the buckets seen before, for each dimension.
 * @param isCounted whether the counter of a dimension has taken in a time
 */
export function restatedIn(
  seen: SeenBuckets | undefined,
  { decoded, now }: WindowedAnswer,
  width: number,
  isCounted: (dimension: string, time: Window) => boolean,
): Restatements[] {
  if (seen === undefined) return [];
  return Array.from(decoded.series, ([name, points]) => {
    const before = { points: seen.series.get(name) ?? NO_POINTS, width: seen.width };
    return restatements(before, { points, width }, (time) => isCounted(name, time), now);
  });
}

/** The buckets of a series, with their width in ms. */
export interface Buckets {
  readonly points: Points;
  readonly width: number;
}

/**
 * Compares an answer with what was seen of the same series before. Where the widths differ, each of the wider buckets
 * is compared with the sum of those in its time, if all of them are there.
 * @param isCounted whether a counter has taken in a time: a change comes too late for it
 */
export function restatements(
  before: Buckets,
  after: Buckets,
  isCounted: (time: Window) => boolean,
  now: number,
): Restatements {
  const ages: number[] = [];
  let downwards = 0;
  let late = 0;
  let lateAmount = 0;
  const width = Math.max(before.width, after.width);
  const [valueBefore, valueAfter] = [sumsOf(before, width), sumsOf(after, width)];
  const { timestamps } = before.width === width ? before.points : after.points;
  const first = Math.max(Number(before.points.timestamps[0]), Number(after.points.timestamps[0]));
  for (let index = firstAtOrAfter(timestamps, first); index < timestamps.length; index += 1) {
    const time = Number(timestamps[index]);
    const value = valueAfter(time);
    const seen = valueBefore(time);
    if (value === undefined || seen === undefined || isSame(value, seen)) continue;
    ages.push(now - time - width);
    if (value < seen) downwards += 1;
    if (!isCounted({ from: time, to: time + width })) continue;
    late += 1;
    lateAmount += Math.abs(value - seen);
  }
  return { ages, downwards, late, lateAmount };
}

/** The value of [from, from + length), asked for in ascending order; undefined where not all of it is there. */
function sumsOf({ points, width }: Buckets, length: number): (from: number) => number | undefined {
  const { timestamps, values } = points;
  let next = 0;
  return (from) => {
    while (isBefore(timestamps, next, from)) next += 1;
    let sum = 0;
    for (let time = from, index = next; time < from + length; time += width, index += 1) {
      if (!isAt(timestamps, index, time) || time + width > from + length) return undefined;
      sum += Number(values[index]);
    }
    return sum;
  };
}

/** Sums of fractions differ by their rounding. */
export function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(a, b);
}

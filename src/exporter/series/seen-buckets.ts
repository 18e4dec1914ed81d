import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points, shortLivedArray } from '../decode/points.ts';
import type { Restatements } from '../poll/job.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { PackedPoints, type PointsByDimension } from './packed-series.ts';
import type { WindowedAnswer } from './series-source.ts';
import { type Buckets, firstAtOrAfter, newestStart, partsOf } from './spans.ts';

/** The newest buckets of a metric as the answers before have shown them, by dimension. */
export interface SeenBuckets {
  readonly width: number;
  readonly series: PointsByDimension;
  /** Whether the latest answer lacked none of its rows. */
  readonly whole?: boolean;
  /** The buckets from before they became wider, or their width unclear: of a wide one that covers some of them only the rest is counted. */
  readonly narrower?: {
    readonly width: number;
    readonly series: PointsByDimension;
    /** Up to when they had settled (platform ms). */
    readonly until: number;
  };
}

/**
 * How long before the newest bucket others are remembered: when they become ones of ten minutes, wherever these begin, all
 * minutes of one that has settled are known, which shows it for what it is.
 */
const KEPT_MS = 30 * MINUTE_MS;

/** For how long after them narrower buckets are remembered: until the first of the wider ones has settled. */
const NARROWER_MS = 3 * 60 * MINUTE_MS;

/** What was seen, with what an answer shows. @param settledUntil as of the answers before */
export function seenAgain(
  before: SeenBuckets | undefined,
  { series, unclear, rejected }: Decoded,
  width: number,
  settledUntil: number,
): SeenBuckets {
  // Once buckets are narrower again, those from before they became wider are no longer the latest narrow ones.
  const seen = before !== undefined && before.width <= width ? before : undefined;
  const together = new Map<string, Points>();
  const newest = newestStart(series);
  const oldest = newest - KEPT_MS;
  // Forget dimensions that answers no longer contain: names that never come again would add up.
  for (const [name, points] of seen?.width === width ? seen.series : [])
    if (series.has(name) || Number(points.timestamps.at(-1)) >= oldest) together.set(name, points);
  let room = shortLivedArray(2 * (rowsIn(together) + rowsIn(series)));
  for (const [name, points] of series) {
    const earlier = together.get(name) ?? NO_POINTS;
    // Some series come later than the others.
    together.set(name, merged(earlier, points, Number(points.timestamps.at(-1)) - KEPT_MS, room));
    room = room.subarray(2 * (earlier.timestamps.length + points.timestamps.length));
  }
  const isBeside = unclear !== undefined && seen?.width === width && seen.narrower === undefined;
  const narrower = isBeside
    ? { width, series: seen.series, until: settledUntil }
    : narrowerBefore(seen, width, settledUntil);
  const isKept = narrower !== undefined && newestStart(narrower.series) >= newest - NARROWER_MS;
  return {
    width,
    series: new PackedPoints(together),
    whole: rejected.size === 0,
    ...(isKept && { narrower }),
  };
}

/** What was seen of buckets narrower than those of an answer. */
function narrowerBefore(
  seen: SeenBuckets | undefined,
  width: number,
  settledUntil: number,
): SeenBuckets['narrower'] {
  if (seen === undefined || seen.width >= width) return seen?.narrower;
  return { width: seen.width, series: seen.series, until: settledUntil };
}

/**
 * The narrower buckets of one series that had settled when they were last seen. A platform that has fallen behind may show
 * buckets again with less than before: these do not say what was counted.
 * @param settledUntil as of the answers before
 */
export function narrowerThan(
  width: number,
  seen: SeenBuckets | undefined,
  dimension: string,
  settledUntil: number,
): Buckets | undefined {
  const known = narrowerBefore(seen, width, settledUntil);
  const points = known?.series.get(dimension);
  if (known === undefined || points === undefined) return undefined;
  const { timestamps, values } = points;
  const size = firstAtOrAfter(timestamps, known.until - known.width + 1);
  return {
    points: { timestamps: timestamps.subarray(0, size), values: values.subarray(0, size) },
    width: known.width,
  };
}

function rowsIn(series: Iterable<readonly [string, Points]>): number {
  let rows = 0;
  for (const [, { timestamps }] of series) rows += timestamps.length;
  return rows;
}

/**
 * The later points, and of the earlier ones those that they lack and that are not too old.
 * @param room at whose beginning they are written
 */
function merged(earlier: Points, later: Points, oldest: number, room: Float64Array): Points {
  const [old, fresh] = [earlier.timestamps, later.timestamps];
  let next = firstAtOrAfter(old, oldest);
  const most = old.length - next + fresh.length;
  const [timestamps, values] = [room.subarray(0, most), room.subarray(most, 2 * most)];
  let size = 0;
  for (let index = 0; index < fresh.length || next < old.length; size += 1) {
    // A read beyond the end of an array gives no number: the engine then makes an object of each number that it reads there.
    const known = next < old.length ? Number(old[next]) : Number.POSITIVE_INFINITY;
    const read = index < fresh.length ? Number(fresh[index]) : Number.POSITIVE_INFINITY;
    const isLater = read <= known;
    timestamps[size] = isLater ? read : known;
    values[size] = isLater ? Number(later.values[index]) : Number(earlier.values[next]);
    if (known <= read) next += 1;
    if (isLater) index += 1;
  }
  return { timestamps: timestamps.subarray(0, size), values: values.subarray(0, size) };
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
  let comparedAge = 0;
  let downwards = 0;
  let late = 0;
  let lateAmount = 0;
  const width = Math.max(before.width, after.width);
  const seen = before.width === width ? before.points : summedAt(after.points.timestamps, width, before);
  const shown = after.width === width ? after.points : summedAt(before.points.timestamps, width, after);
  const { timestamps } = shown;
  for (let index = 0, next = 0; index < timestamps.length; index += 1) {
    const time = Number(timestamps[index]);
    while (next < seen.timestamps.length && Number(seen.timestamps[next]) < time) next += 1;
    if (next >= seen.timestamps.length) break;
    if (seen.timestamps[next] !== time) continue;
    const age = now - time - width;
    comparedAge = Math.max(comparedAge, age);
    const [value, was] = [Number(shown.values[index]), Number(seen.values[next])];
    if (isSame(value, was)) continue;
    ages.push(age);
    if (value < was) downwards += 1;
    if (!isCounted({ from: time, to: time + width })) continue;
    late += 1;
    lateAmount += Math.abs(value - was);
  }
  return { ages, comparedAge, downwards, late, lateAmount };
}

/** Sums of narrow buckets, as wider buckets that begin at `times`, where all their parts are there. */
function summedAt(times: Float64Array, wider: number, { points, width }: Buckets): Points {
  const starts: number[] = [];
  const sums: number[] = [];
  for (const time of Number.isInteger(wider / width) ? times : []) {
    const found = partsOf(points, time, wider, width);
    if (found?.rest === undefined) continue;
    starts.push(time);
    sums.push(found.first + found.rest);
  }
  return { timestamps: Float64Array.from(starts), values: Float64Array.from(sums) };
}

/** Sums of fractions differ by their rounding. */
export function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(a, b);
}

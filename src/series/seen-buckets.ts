import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points } from '../decode/points.ts';
import { shortLivedArray } from '../decode/short-lived.ts';
import { USUAL_SETTLE_MS } from '../settling/delays.ts';
import { firstAtOrAfter } from '../settling/spans.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { PackedPoints, type PointsByDimension } from './packed-points.ts';

/** The newest buckets of a metric as the answers before have shown them, by dimension. */
export interface SeenBuckets {
  readonly width: number;
  readonly series: PointsByDimension;
}

/** How long before the newest bucket others are remembered: long enough for some that have settled. */
const KEPT_MS = 25 * MINUTE_MS;

/** What was seen with what an answer shows, which also says what has changed. */
export function seenAgain(seen: SeenBuckets | undefined, { series }: Decoded, width: number): SeenBuckets {
  if (seen === undefined || seen.width !== width) return { width, series: new PackedPoints(series) };
  const together = new Map(seen.series);
  for (const [name, points] of series) together.set(name, merged(seen.series.get(name) ?? NO_POINTS, points));
  return { width, series: new PackedPoints(together) };
}

/** The later points, and of the earlier ones those that they lack and that are not too old. */
function merged(earlier: Points, later: Points): Points {
  const newest = later.timestamps.at(-1) ?? Number.NEGATIVE_INFINITY;
  let from = firstAtOrAfter(earlier.timestamps, newest - KEPT_MS);
  if (from === earlier.timestamps.length) return later;
  const most = earlier.timestamps.length - from + later.timestamps.length;
  const [timestamps, values] = [shortLivedArray(most), shortLivedArray(most)];
  let size = 0;
  const take = (points: Points, index: number) => {
    timestamps[size] = Number(points.timestamps[index]);
    values[size] = Number(points.values[index]);
    size += 1;
  };
  for (const [index, time] of later.timestamps.entries()) {
    for (; Number(earlier.timestamps[from]) < time; from += 1) take(earlier, from);
    if (earlier.timestamps[from] === time) from += 1;
    take(later, index);
  }
  for (; from < earlier.timestamps.length; from += 1) take(earlier, from);
  if (size === later.timestamps.length) return later;
  return { timestamps: timestamps.subarray(0, size), values: values.subarray(0, size) };
}

/**
 * Why the rows of an answer lie further apart than the buckets seen before: they are wider where each holds the sum of
 * those seen in its time; the answer lacks rows where the values seen at the same times are unchanged.
 */
export function widerOrHoled(
  { series }: Decoded,
  apart: number,
  seen: SeenBuckets,
): 'wider' | 'holed' | undefined {
  const verdicts = new Set<'wider' | 'holed'>();
  for (const [name, points] of series) {
    const earlier = seen.series.get(name) ?? NO_POINTS;
    const settled = Number(earlier.timestamps.at(-1)) - USUAL_SETTLE_MS;
    for (const [index, time] of points.timestamps.entries()) {
      if (time + apart > settled) break;
      const parts = partsOf(earlier, time, apart, seen.width);
      if (parts?.rest === undefined || parts.rest === 0) continue;
      const value = Number(points.values[index]);
      if (value === parts.first) verdicts.add('holed');
      else if (isAbout(value, parts.first + parts.rest)) verdicts.add('wider');
    }
  }
  const [verdict] = verdicts;
  return verdicts.size === 1 ? verdict : undefined;
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

function isAbout(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

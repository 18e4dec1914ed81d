import type { Points } from '../decode/points.ts';
import type { Restatements } from '../poll/result.ts';
import { firstAtOrAfter } from '../settling/spans.ts';
import type { Window } from '../settling/window.ts';

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
  const { timestamps } = before.width === width ? before.points : after.points;
  const first = Math.max(Number(before.points.timestamps[0]), Number(after.points.timestamps[0]));
  for (let index = firstAtOrAfter(timestamps, first); index < timestamps.length; index += 1) {
    const time = Number(timestamps[index]);
    const value = sumOver(after, time, width);
    const seen = sumOver(before, time, width);
    if (value === undefined || seen === undefined || isSame(value, seen)) continue;
    ages.push(now - time - width);
    if (value < seen) downwards += 1;
    if (!isCounted({ from: time, to: time + width })) continue;
    late += 1;
    lateAmount += Math.abs(value - seen);
  }
  return { ages, downwards, late, lateAmount };
}

/** The value of [from, from + length); undefined where not all of it is there. */
function sumOver({ points, width }: Buckets, from: number, length: number): number | undefined {
  const { timestamps, values } = points;
  let index = firstAtOrAfter(timestamps, from);
  let sum = 0;
  for (let time = from; time < from + length; time += width, index += 1) {
    if (timestamps[index] !== time || time + width > from + length) return undefined;
    sum += Number(values[index]);
  }
  return sum;
}

/** Sums of fractions differ by their rounding. */
function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(a, b);
}

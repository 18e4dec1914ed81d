import type { Points } from '../decode/points.ts';
import { firstAtOrAfter } from '../settling/window.ts';

/** The buckets of a series, with their width in ms. */
export interface Buckets {
  readonly points: Points;
  readonly width: number;
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

import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points, reject } from '../decode/points.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { partsOf, type SeenBuckets } from './seen-buckets.ts';

/** Widths that platforms have beside the minute (ms). */
const USUAL_WIDTHS = new Set([5, 10, 15, 30, 60].map((minutes) => minutes * MINUTE_MS));

/** A bucket seen young may have grown so much; one that holds the sum of several has grown more. */
const MOST_GROWTH = 1.5;

/**
 * An answer without the rows that may be wider buckets than its others: rows with nothing after them until where a
 * wider bucket would end. What was seen of their time before tells whether they are, or whether the rows after them
 * are missing; where nothing was seen they are dropped, and counted as `unclear_width`: to take a wider bucket for a
 * minute would count the others in its time twice. An answer of which rows were dropped stays as it is: that explains
 * its gaps.
 */
export function withoutWideRows(decoded: Decoded, seen: SeenBuckets | undefined): Decoded {
  const { width } = decoded;
  if (width === undefined || decoded.rejected.size > 0) return decoded;
  const rejected = new Map(decoded.rejected);
  const series = new Map<string, Points>();
  for (const [name, points] of decoded.series) {
    const earlier = seen?.width === width ? (seen.series.get(name) ?? NO_POINTS) : NO_POINTS;
    const wide = wideRows(points, width, earlier);
    reject(rejected, 'unclear_width', wide.size);
    series.set(name, wide.size === 0 ? points : without(points, wide));
  }
  return rejected.get('unclear_width') === decoded.rejected.get('unclear_width')
    ? decoded
    : { ...decoded, series, rejected };
}

const NONE: ReadonlySet<number> = new Set();

/** Which rows may be wider buckets, by their index. */
function wideRows({ timestamps, values }: Points, width: number, earlier: Points): ReadonlySet<number> {
  const last = timestamps.length - 1;
  const at = (index: number) => Number(timestamps[index]);
  if (last < 1 || at(last) - at(0) === last * width) return NONE;
  const wide = new Set<number>();
  let length = 0;
  for (let index = 0; index <= last; index += 1) {
    const apart = index < last ? at(index + 1) - at(index) : length;
    if (index < last) length = apart > width ? apart : 0;
    if (apart <= width || at(index) % apart !== 0) continue;
    const again = at(index) - at(index - 1) === apart || at(index + 2) - at(index + 1) === apart;
    if (!again && !USUAL_WIDTHS.has(apart)) continue;
    if (isWide(Number(values[index]), partsOf(earlier, at(index), apart, width))) wide.add(index);
  }
  return wide;
}

/** Whether a value is that of the whole of a time, rather than of its first bucket, by what was seen of it before. */
function isWide(value: number, seen: ReturnType<typeof partsOf>): boolean {
  if (seen === undefined) return true;
  const { first, rest } = seen;
  if (rest === undefined) return value > MOST_GROWTH * first;
  return rest > 0 && Math.abs(value - first - rest) < Math.abs(value - first);
}

function without({ timestamps, values }: Points, dropped: ReadonlySet<number>): Points {
  const isKept = (_: number, index: number) => !dropped.has(index);
  return { timestamps: timestamps.filter(isKept), values: values.filter(isKept) };
}

import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points, type RejectionReason, reject } from '../decode/points.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { partsOf, type SeenBuckets } from './seen-buckets.ts';

/** Widths that platforms have beside the minute (ms). */
const USUAL_WIDTHS = [5, 10, 15, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** A bucket seen young may have grown so much; one that holds the sum of several has grown more. */
const MOST_GROWTH = 1.5;

/** Rows dropped for these reasons may have been any bucket's. */
const UNPLACED: readonly RejectionReason[] = ['not_a_pair', 'bad_timestamp', 'seconds', 'misaligned'];

/**
 * An answer without the rows that may be wider buckets than its others: rows with nothing after them until where a
 * wider bucket would end. What was seen of their time before tells whether they are, or whether the rows after them
 * are missing; where nothing was seen they are dropped, and counted as `unclear_width`: to take a wider bucket for a
 * minute would count the others in its time twice. Rows without a usable value tell where buckets begin all the same.
 */
export function withoutWideRows(decoded: Decoded, seen: SeenBuckets | undefined): Decoded {
  const { width, valueless } = decoded;
  if (width === undefined) return decoded;
  const isUnplaced = UNPLACED.some((reason) => decoded.rejected.has(reason));
  // Few answers have such rows: what they are without them is made only then.
  let series: Map<string, Points> | undefined;
  let dropped = 0;
  for (const [name, points] of decoded.series) {
    const starts = together(points.timestamps, valueless?.get(name));
    if (isGapless(starts, width)) continue;
    const earlier = seen?.width === width ? (seen.series.get(name) ?? NO_POINTS) : NO_POINTS;
    const wide = wideRows(points, starts, earlier, { width, isUnplaced });
    if (wide.size === 0) continue;
    dropped += wide.size;
    series ??= new Map(decoded.series);
    series.set(name, without(points, wide));
  }
  if (series === undefined) return decoded;
  const rejected = new Map(decoded.rejected);
  reject(rejected, 'unclear_width', dropped);
  return { ...decoded, series, rejected };
}

function together(timestamps: Float64Array, others = NO_POINTS.timestamps): Float64Array {
  return others.length === 0 ? timestamps : Float64Array.of(...timestamps, ...others).sort();
}

/** Whether buckets begin one width after the other: none of them can be wider. */
function isGapless(starts: Float64Array, width: number): boolean {
  const last = starts.length - 1;
  return last < 1 || Number(starts[last]) - Number(starts[0]) === last * width;
}

/** The width of an answer's buckets, and whether there may be more of them than it has rows with a time. */
interface Grid {
  readonly width: number;
  readonly isUnplaced: boolean;
}

/**
 * Which rows may be wider buckets, by their index.
 * @param starts where the buckets of the answer begin, those without a usable value included
 * @param earlier what was seen of the series before
 */
function wideRows(
  { timestamps, values }: Points,
  starts: Float64Array,
  earlier: Points,
  grid: Grid,
): ReadonlySet<number> {
  const { width } = grid;
  const last = starts.length - 1;
  const at = (place: number) => Number(starts[place]);
  const wide = new Set<number>();
  let length = 0;
  let index = 0;
  for (let place = 0; place <= last; place += 1) {
    const apart = place < last ? at(place + 1) - at(place) : length;
    if (place < last) length = apart > width ? apart : 0;
    if (at(place) !== timestamps[index]) continue;
    const again = at(place) - at(place - 1) === apart || at(place + 2) - at(place + 1) === apart;
    const value = Number(values[index]);
    const isLikely = (wider: number) =>
      at(place) % wider === 0 && isWide(value, partsOf(earlier, at(place), wider, width));
    if (widthsWithin(apart, again, grid).some(isLikely)) wide.add(index);
    index += 1;
  }
  return wide;
}

/**
 * Which widths beyond that of the answer a bucket may have of which the next is known to begin so much later.
 * @param again whether the buckets beside it lie as far apart
 */
function widthsWithin(apart: number, again: boolean, { width, isUnplaced }: Grid): readonly number[] {
  if (apart <= width) return [];
  const usual = USUAL_WIDTHS.filter(
    (usual) => usual > width && (isUnplaced ? usual <= apart : usual === apart),
  );
  return again && !usual.includes(apart) ? [...usual, apart] : usual;
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

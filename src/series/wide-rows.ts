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
  const rejected = new Map(decoded.rejected);
  const isUnplaced = UNPLACED.some((reason) => rejected.has(reason));
  const series = new Map<string, Points>();
  let dropped = 0;
  for (const [name, points] of decoded.series) {
    const earlier = seen?.width === width ? (seen.series.get(name) ?? NO_POINTS) : NO_POINTS;
    const starts = together(points.timestamps, valueless?.get(name));
    const wide = wideRows(points, { starts, width, earlier, isUnplaced });
    dropped += wide.size;
    series.set(name, wide.size === 0 ? points : without(points, wide));
  }
  reject(rejected, 'unclear_width', dropped);
  return dropped === 0 ? decoded : { ...decoded, series, rejected };
}

function together(timestamps: Float64Array, others: Float64Array = new Float64Array()): Float64Array {
  return others.length === 0 ? timestamps : Float64Array.of(...timestamps, ...others).sort();
}

const NONE: ReadonlySet<number> = new Set();

interface AnswerRows {
  /** Where the buckets of the answer begin, those without a usable value included. */
  readonly starts: Float64Array;
  readonly width: number;
  readonly earlier: Points;
  /** Whether there may be buckets besides. */
  readonly isUnplaced: boolean;
}

/** Which rows may be wider buckets, by their index. */
function wideRows(
  { timestamps, values }: Points,
  { starts, width, earlier, isUnplaced }: AnswerRows,
): ReadonlySet<number> {
  const last = starts.length - 1;
  const at = (place: number) => Number(starts[place]);
  if (last < 1 || at(last) - at(0) === last * width) return NONE;
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
    if (widthsWithin(apart, { width, again, isUnplaced }).some(isLikely)) wide.add(index);
    index += 1;
  }
  return wide;
}

/** Which widths beyond that of the answer a bucket may have of which the next is known to begin so much later. */
function widthsWithin(
  apart: number,
  {
    width,
    again,
    isUnplaced,
  }: { readonly width: number; readonly again: boolean; readonly isUnplaced: boolean },
): readonly number[] {
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

import { mostFrequent } from '../decode/decode.ts';
import type { Points } from '../decode/points.ts';
import { valueAt } from './spans.ts';

/** Row of an answer, in a dimension with a known bucket width. Times are ms since the epoch. */
export interface Row {
  readonly start: number;
  /** End of the bucket if it is clear; otherwise the start of the next row, which is the latest possible end. */
  readonly end: number;
  readonly value: number;
  /** True if the next row begins where a bucket of the known width ends. Any other row may be a wider bucket. */
  readonly isClear: boolean;
}

/** Rows of one dimension in an answer. */
export interface AnswerRows {
  /** Rows in ascending order. */
  readonly rows: readonly Row[];
  /** Clear rows, the newest row if it follows a clear one, and rows whose value is unchanged from a usable one. */
  readonly usable: Points;
  /** Number of rows off the grid. */
  readonly misaligned: number;
}

/**
 * Returns the rows of a dimension on its grid.
 * @param starts starts of all rows, including rows without a usable value
 * @param width bucket width (ms)
 * @param recent buckets of that width in the latest answer
 */
export function rowsOf(
  { timestamps, values }: Points,
  starts: Float64Array,
  width: number,
  recent: Points,
): AnswerRows {
  const phase = usualPhase(starts, width);
  const rows: Row[] = [];
  let misaligned = 0;
  for (let index = 0, at = 0; index < timestamps.length; index += 1) {
    const start = Number(timestamps[index]);
    while (Number(starts[at]) < start) at += 1;
    if (start % width !== phase) {
      misaligned += 1;
      continue;
    }
    const end = Number(starts[at + 1] ?? Number.POSITIVE_INFINITY);
    rows.push({ start, end, value: Number(values[index]), isClear: end === start + width });
  }
  return { rows, usable: usableOf(rows, width, recent), misaligned };
}

function usableOf(rows: readonly Row[], width: number, recent: Points): Points {
  const usable = rows.filter(
    ({ start, end, value, isClear }, index) =>
      isClear ||
      (end === Number.POSITIVE_INFINITY && rows[index - 1]?.start === start - width) ||
      valueAt(recent, start) === value,
  );
  return {
    timestamps: Float64Array.from(usable, ({ start }) => start),
    values: Float64Array.from(usable, ({ value }) => value),
  };
}

/** Returns the most frequent offset of rows from the multiples of the width; the smallest of equally frequent ones. */
function usualPhase(starts: Float64Array, width: number): number {
  const counts = new Map<number, number>();
  for (const start of starts) counts.set(start % width, (counts.get(start % width) ?? 0) + 1);
  return mostFrequent(counts) ?? 0;
}

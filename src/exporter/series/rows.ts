import { type Points, shortLivedArray } from '../decode/points.ts';
import { FINEST_WINDOW_MS } from '../settling/window.ts';
import { firstAtOrAfter } from './spans.ts';

/** A row of an answer whose dimension has a known width. Times are ms since the epoch. */
export interface Row {
  readonly start: number;
  /** End of its bucket if it is clear; else where the next row begins, which is where it ends at the latest. */
  readonly end: number;
  readonly value: number;
  /** True if its bucket is as wide as the dimension's others. */
  readonly isClear: boolean;
}

/** Rows of one dimension in an answer. */
export interface AnswerRows {
  /** Ascending. */
  readonly rows: readonly Row[];
  /** The clear rows, and the newest if it follows a clear one. */
  readonly usable: Points;
  /** Rows beside the grid. */
  readonly misaligned: number;
}

/** Knowledge of a dimension's rows before an answer. */
interface KnownRows {
  readonly width: number;
  /** Buckets of that width. */
  readonly recent: Points;
  /** True if values prove that rows are missing between narrow ones. */
  readonly areNarrow: boolean;
}

/**
 * Returns the rows of a dimension on its grid. A row is clear if the next row begins where it ends, or if it was seen
 * with the same value beside the next one before. Any other row may be a wider bucket.
 * @param starts starts of all rows, including rows without a usable value
 */
export function rowsOf(points: Points, starts: Float64Array, known: KnownRows): AnswerRows {
  const { width, recent, areNarrow } = known;
  const phase = usualPhase(starts, width);
  const { timestamps, values } = points;
  const rows: Row[] = [];
  const usable = new PointsBuilder(timestamps.length);
  const widestGap = widestGapIn(starts);
  let misaligned = 0;
  let before = Number.NaN;
  for (let index = 0, at = 0; index < timestamps.length; index += 1) {
    const start = Number(timestamps[index]);
    const value = Number(values[index]);
    while (Number(starts[at]) < start) at += 1;
    if (start % width !== phase) {
      misaligned += 1;
      continue;
    }
    const next = Number(starts[at + 1] ?? Number.POSITIVE_INFINITY);
    const seen = seenAt(recent, start, width, value);
    const isClear =
      next >= start + width &&
      (next === start + width ||
        seen === 'beside the next' ||
        (areNarrow && !mayBeWider(start, width, next)));
    const isNewest =
      next === Number.POSITIVE_INFINITY &&
      before === start - width &&
      !mayBeWider(start, width, start + widestGap);
    if (isClear || isNewest || seen !== undefined) usable.add(start, value);
    rows.push({ start, end: isClear ? start + width : next, value, isClear });
    before = start;
  }
  return { rows, usable: usable.points, misaligned };
}

/** True if a wider bucket may begin at a row and end before the next, where buckets begin at multiples of their width. */
function mayBeWider(start: number, width: number, next: number): boolean {
  const widest = Math.min(next - start, FINEST_WINDOW_MS);
  for (let wider = 2 * width; wider <= widest; wider += width) if (start % wider === 0) return true;
  return false;
}

function widestGapIn(starts: Float64Array): number {
  let widest = 0;
  for (let index = 1; index < starts.length; index += 1)
    widest = Math.max(widest, Number(starts[index]) - Number(starts[index - 1]));
  return widest;
}

/** Tells if a bucket was known with the same value, and if the next one was known beside it. */
function seenAt({ timestamps, values }: Points, start: number, width: number, value: number) {
  const index = firstAtOrAfter(timestamps, start);
  if (timestamps[index] !== start || values[index] !== value) return undefined;
  return timestamps[index + 1] === start + width ? 'beside the next' : 'alone';
}

/** Collects points that are needed only while an answer is dealt with. */
class PointsBuilder {
  readonly #timestamps: Float64Array;
  readonly #values: Float64Array;
  #size = 0;

  constructor(most: number) {
    this.#timestamps = shortLivedArray(most);
    this.#values = shortLivedArray(most);
  }

  add(timestamp: number, value: number): void {
    this.#timestamps[this.#size] = timestamp;
    this.#values[this.#size] = value;
    this.#size += 1;
  }

  get points(): Points {
    return {
      timestamps: this.#timestamps.subarray(0, this.#size),
      values: this.#values.subarray(0, this.#size),
    };
  }
}

/** Offset of most rows from the multiples of the width, the smaller of two as frequent. */
function usualPhase(starts: Float64Array, width: number): number {
  const [first] = starts;
  if (first === undefined) return 0;
  const counts = new Map<number, number>();
  for (let index = 0; index < starts.length; index += 1) {
    const phase = Number(starts[index]) % width;
    counts.set(phase, (counts.get(phase) ?? 0) + 1);
  }
  let usual = first % width;
  let most = 0;
  for (const [phase, times] of counts) {
    if (times < most || (times === most && phase > usual)) continue;
    usual = phase;
    most = times;
  }
  return usual;
}

/** Buckets of an answer joined to those known before, down to an age. Values of the answer replace known ones. */
export function joinedPoints(before: Points, answer: Points, oldest: number): Points {
  const { timestamps, values } = answer;
  const { timestamps: knownAt, values: known } = before;
  const begin = firstAtOrAfter(timestamps, oldest);
  let from = firstAtOrAfter(knownAt, oldest);
  const joint = new PointsBuilder(knownAt.length - from + timestamps.length - begin);
  for (let index = begin; index <= timestamps.length; index += 1) {
    const time = Number(timestamps[index] ?? Number.POSITIVE_INFINITY);
    for (; Number(knownAt[from]) < time; from += 1) joint.add(Number(knownAt[from]), Number(known[from]));
    if (index === timestamps.length) break;
    if (knownAt[from] === time) from += 1;
    joint.add(time, Number(values[index]));
  }
  return joint.points;
}

import { mostFrequent } from '../decode/decode.ts';
import type { Points } from '../decode/points.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { partsOf } from './spans.ts';

/** Width of a dimension's buckets (ms), and another one that its latest answers show. */
export interface KnownWidth {
  readonly width: number | undefined;
  readonly doubt?: WidthDoubt | undefined;
}

/** Another width than the known one, as answers in a row show it. */
interface WidthDoubt {
  readonly width: number;
  /** Offset of the rows from the multiples of `width`. */
  readonly phase: number;
  readonly answers: number;
}

/** Answers in a row that must agree on another width. */
const AGREEING_ANSWERS = 5;

/** Rows of a gap or two do not show a width: as many distances of rows must be equal. */
const LEAST_DISTANCES = 3;

/**
 * Returns what is known of a dimension's width after an answer.
 * @param starts starts of the answer's rows, ascending
 * @param points rows with a value; those that equal a known bucket show that rows are missing
 * @param known.usual width of the metric's other dimensions
 * @param recent buckets of the known width
 * @returns `isKnown` false while the width is in doubt: the rows wait for further answers. `areNarrow` true if values
 *   prove that the rows are narrow buckets between which others are missing
 */
export function nextWidth(
  starts: Float64Array,
  points: Points,
  known: KnownWidth & { readonly usual: number | undefined },
  recent: Points,
): KnownWidth & { readonly isKnown: boolean; readonly areNarrow: boolean } {
  const expected = known.width ?? known.usual ?? MINUTE_MS;
  const { most, times, least } = distancesOf(starts);
  const areNarrow = most !== undefined && lacksRows(points, most, recent, expected);
  const isAsKnown =
    most === undefined ||
    most === expected ||
    times < LEAST_DISTANCES ||
    // Some buckets are narrower than the usual distance: the others are followed by missing ones, or wider.
    (least < most && most % expected === 0) ||
    areNarrow;
  if (isAsKnown) return { width: expected, isKnown: true, areNarrow };
  const doubt = doubtAfter(known.doubt, most, Number(starts.at(-1)) % most);
  const narrower = commonWidth(known.doubt, doubt);
  if (narrower === expected) return { width: expected, isKnown: true, areNarrow: true };
  if (doubt.answers >= AGREEING_ANSWERS) return { width: most, isKnown: true, areNarrow };
  return { width: known.width, doubt, isKnown: false, areNarrow };
}

function distancesOf(starts: Float64Array) {
  const counts = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < starts.length; index += 1) {
    const distance = Number(starts[index]) - Number(starts[index - 1]);
    counts.set(distance, (counts.get(distance) ?? 0) + 1);
    least = Math.min(least, distance);
  }
  const most = mostFrequent(counts);
  return { most, least, times: most === undefined ? 0 : Number(counts.get(most)) };
}

function doubtAfter(before: WidthDoubt | undefined, width: number, phase: number): WidthDoubt {
  const isSame = before?.width === width && before.phase === phase;
  return { width, phase, answers: isSame ? before.answers + 1 : 1 };
}

/** Returns the width that two answers show together if rows of one lie between those of the other. */
function commonWidth(before: WidthDoubt | undefined, { width, phase }: WidthDoubt): number | undefined {
  if (before?.width !== width || before.phase === phase) return undefined;
  return commonDivisor(width, Math.abs(before.phase - phase));
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** True if rows equal the known buckets at their starts although others of their time had a value too, and none is their sum. */
function lacksRows({ timestamps, values }: Points, apart: number, recent: Points, width: number): boolean {
  if (apart <= width || apart % width !== 0 || recent.timestamps.length === 0) return false;
  let isProven = false;
  for (let index = 0; index < timestamps.length; index += 1) {
    const parts = partsOf(recent, Number(timestamps[index]), apart, width);
    if (parts?.rest === undefined || parts.rest === 0) continue;
    const value = Number(values[index]);
    if (value === parts.first) isProven = true;
    else if (value === parts.first + parts.rest) return false;
  }
  return isProven;
}

import { mostFrequent } from '../decode/decode.ts';
import { MINUTE_MS } from '../settling/window.ts';

/** Bucket width (ms) of a dimension, and a conflicting width in its latest answers. */
export interface KnownWidth {
  readonly width: number | undefined;
  readonly doubt?: WidthDoubt | undefined;
}

/** Width that conflicts with the known one, from consecutive answers of the present. */
interface WidthDoubt {
  readonly width: number;
  /** Offset of the rows from the multiples of `width`. */
  readonly phase: number;
  readonly answers: number;
}

/** Number of consecutive answers that must agree on another width. */
const AGREEING_ANSWERS = 5;

/** Number of equal distances between rows that show a width; fewer may come from gaps. */
const LEAST_DISTANCES = 3;

/**
 * Returns the bucket width of a dimension after an answer, and a conflicting width while it is in doubt.
 * @param starts starts of the answer's rows, ascending
 * @param known.usual width of the metric's other dimensions; undefined before any is known
 * @param isPresent false for an answer of the past, whose rows are counted at once with the narrower width
 * @returns `isKnown` false while the width is in doubt, so that the rows are not usable yet
 */
export function nextWidth(
  starts: Float64Array,
  known: KnownWidth & { readonly usual: number | undefined },
  isPresent: boolean,
): KnownWidth & { readonly isKnown: boolean } {
  const expected = known.width ?? known.usual ?? MINUTE_MS;
  const { most, times } = usualDistance(starts);
  if (most === undefined || most === expected || times < LEAST_DISTANCES)
    return { width: expected, isKnown: true };
  // A past answer does not wait: later answers cannot decide about it, and its hole would stop all catching up.
  if (!isPresent) return { width: Math.min(most, expected), doubt: known.doubt, isKnown: true };
  const doubt = doubtAfter(known.doubt, most, Number(starts.at(-1)) % most);
  if (doubt.answers >= AGREEING_ANSWERS) return { width: most, isKnown: true };
  return { width: known.width, doubt, isKnown: false };
}

function usualDistance(starts: Float64Array): { readonly most: number | undefined; readonly times: number } {
  const counts = new Map<number, number>();
  for (let index = 1; index < starts.length; index += 1) {
    const distance = Number(starts[index]) - Number(starts[index - 1]);
    counts.set(distance, (counts.get(distance) ?? 0) + 1);
  }
  const most = mostFrequent(counts);
  return { most, times: most === undefined ? 0 : Number(counts.get(most)) };
}

function doubtAfter(before: WidthDoubt | undefined, width: number, phase: number): WidthDoubt {
  const isSame = before?.width === width && before.phase === phase;
  return { width, phase, answers: isSame ? before.answers + 1 : 1 };
}

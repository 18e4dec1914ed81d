import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points, sumWithin } from '../decode/points.ts';
import { bucketsWithin, without } from '../settling/spans.ts';
import { reachesPresent, type Window } from '../settling/window.ts';
import { someStart } from './answer-width.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** A platform that lacks buckets has one gap; an answer with more gaps has lost rows. */
const MOST_HOLES = 2;

/** The start of the platform's newest bucket, as far as an answer tells: one that reaches the present and has rows. */
export function newestTold(answer: WindowedAnswer): number | undefined {
  const newest = newestStart(answer.decoded);
  return newest === Number.NEGATIVE_INFINITY || !reaches(answer) ? undefined : newest;
}

/** The end of that bucket, which may not be over yet. */
export function newestEnd(answer: WindowedAnswer, width: number): number | undefined {
  const told = newestTold(answer);
  return told === undefined ? undefined : Math.min(answer.now, told + width);
}

/** Whether an answer was to bring the newest bucket. */
export function reaches({ window, now }: WindowedAnswer): boolean {
  return reachesPresent(window, now);
}

/** The start of the newest bucket of any series; -Infinity where there is none. */
export function newestStart({ series }: Decoded): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { timestamps } of series.values()) newest = Math.max(newest, timestamps.at(-1) ?? newest);
  return newest;
}

/** The start of the bucket that holds a time, on the grid of an answer. */
export function startOfBucketAt(time: number, width: number, decoded: Decoded): number {
  const start = someStart(decoded) ?? 0;
  return start + Math.floor((time - start) / width) * width;
}

/** Whether what an answer lacks is the platform's doing: it has rows, none was dropped, and they are not full of holes. */
export function isWhole({ series, rejected }: Decoded, width: number): boolean {
  let rows = 0;
  for (const points of series.values()) {
    rows += points.timestamps.length;
    if (holesIn(points, width) > MOST_HOLES) return false;
  }
  return rows > 0 && rejected.size === 0;
}

function holesIn({ timestamps }: Points, width: number): number {
  const { length } = timestamps;
  if (length === 0 || Number(timestamps[length - 1]) - Number(timestamps[0]) <= (length - 1) * width)
    return 0;
  let holes = 0;
  for (let index = 1; index < length; index += 1) {
    if (Number(timestamps[index]) - Number(timestamps[index - 1]) > width) holes += 1;
  }
  return holes;
}

/** What a coarse read shows of a dimension. */
export interface CoarseBuckets {
  /** The buckets that the platform has. */
  readonly present: readonly Window[];
  /** Where it has nothing. */
  readonly lacking: readonly Window[];
}

/**
 * What a coarse read shows. One without rows that tell their width shows nothing: it may as well be a failure of the
 * platform. What is newer than its newest bucket is not told.
 */
export function coarseBuckets({
  decoded,
  window,
  now,
}: WindowedAnswer): (dimension: string) => CoarseBuckets {
  const { series, width, rejected } = decoded;
  if (width === undefined || rejected.size > 0) return () => ({ present: [], lacking: [] });
  const told = { from: window.from, to: reachesPresent(window, now) ? newestStart(decoded) : window.to };
  return (dimension) => {
    const points = series.get(dimension) ?? NO_POINTS;
    const present = bucketsWithin(points, width, { from: told.from - width, to: told.to + width });
    return { present, lacking: without([told], present) };
  };
}

/**
 * The sum of all buckets of some dimensions in a window; undefined where the answer lacks any of them, or a row was
 * dropped that may have been one.
 */
export function sumIfWhole(
  { series, rejected }: Decoded,
  dimensions: readonly string[],
  window: Window,
  width: number | undefined,
): number | undefined {
  if (width === undefined || rejected.size > 0) return undefined;
  const wanted = dimensions.map((name) => series.get(name) ?? NO_POINTS);
  const lacks = (points: Points) => without([window], bucketsWithin(points, width, window)).length > 0;
  return wanted.some(lacks) ? undefined : sumWithin(wanted, window);
}

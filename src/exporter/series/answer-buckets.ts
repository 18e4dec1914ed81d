import type { Decoded } from '../decode/decode.ts';
import type { Points } from '../decode/points.ts';
import { FINEST_WINDOW_MS, HISTORY_MS, MINUTE_MS, type Window } from '../settling/window.ts';
import type { WindowedAnswer } from './series-source.ts';
import { newestStart } from './spans.ts';

/** The platform does not fall further behind than this (ms) between one answer and the next. */
const LATEST_MS = 60 * MINUTE_MS;

/** A settle delay (ms) that takes up nearly all of a window. */
const LONG_SETTLE_MS = FINEST_WINDOW_MS - 10 * MINUTE_MS;

/** A platform that lacks buckets has a gap or two; an answer with more gaps has lost rows. */
const MOST_HOLES = 2;

/** Fewer buckets than these do not show how many an answer lacks. */
const FEWEST_BUCKETS = 5;

/** What one answer shows about the buckets of all counters of a metric. */
export interface Reading {
  readonly window: Window;
  /** The platform's time when the answer came. */
  readonly now: number;
  /** Bucket width in ms. */
  readonly width: number;
  /** Buckets that closed at or before this time do not change any more (platform ms). */
  readonly settledUntil: number;
  /** Where the watermark belongs, on the grid of the answer; undefined where the answer does not reach the present. */
  readonly watermark: number | undefined;
  /** Where the platform's history begins (ms since the epoch). */
  readonly forgottenUntil: number;
  /** Whether the answer had rows, and none was dropped. */
  readonly whole: boolean;
}

/** What is known before an answer is read. */
export interface KnownOfPlatform {
  /** The start of the platform's newest bucket in the latest answer that reached the present. */
  readonly newest: number | undefined;
  /** Age (ms) at which buckets have settled. */
  readonly settleDelay: number;
  /** What time it is at least, on the platform. */
  readonly certainNow: number;
}

/** Reads from an answer how far buckets have settled, and what may be missing. */
export function readingOf(answer: WindowedAnswer, width: number, known: KnownOfPlatform): Reading {
  const { decoded, window, now } = answer;
  const shown = newestShown(answer);
  const newest = (reaches(answer) ? shown : newestProven(answer, width, known)) ?? Number.NEGATIVE_INFINITY;
  // Ignore a newest bucket in the future: it dates from before the platform's clock was set back.
  const settledUntil =
    shown === undefined && newest > now
      ? Number.NEGATIVE_INFINITY
      : Math.min(now, newest, known.certainNow) - known.settleDelay;
  return {
    window,
    now,
    width,
    settledUntil,
    watermark: shown === undefined ? undefined : startOfBucketAt(settledUntil, width, decoded),
    forgottenUntil: settledUntil - HISTORY_MS,
    whole: isWhole(decoded, width),
  };
}

/**
 * How far an answer about the past proves that the platform has come. The platform may have fallen behind since the last
 * answer that reached the present; then even buckets that it had before may be incomplete again.
 */
function newestProven(
  { decoded, window, now }: WindowedAnswer,
  width: number,
  { newest, settleDelay }: KnownOfPlatform,
): number | undefined {
  const shown = newestStart(decoded.series);
  if (newest === undefined || shown === Number.NEGATIVE_INFINITY) return newest;
  // After so long a delay no window holds both what has settled and the rows that prove it.
  const reachesEnd = settleDelay >= LONG_SETTLE_MS && shown + width >= window.to;
  return reachesEnd || window.to <= now - LATEST_MS ? newest : Math.min(newest, shown);
}

/**
 * How far the platform has come (platform ms): the end of its newest bucket, of this answer or one before. Buckets
 * fill up by this time, not by the clock: while it stands still, so do they.
 * @param before what this was for the answer before
 */
export function reachedBy(
  answer: WindowedAnswer,
  width: number,
  before: number | undefined,
): number | undefined {
  const newest = newestEnd(answer, width);
  // An earlier answer's bucket ends in the future if the platform's clock was set back since.
  const held = before !== undefined && before <= answer.now ? before : undefined;
  return newest === undefined || held === undefined ? (newest ?? held) : Math.max(newest, held);
}

/** The start of the platform's newest bucket; undefined unless the answer reaches the present and has rows. */
export function newestShown(answer: WindowedAnswer): number | undefined {
  const newest = newestStart(answer.decoded.series);
  return newest === Number.NEGATIVE_INFINITY || !reaches(answer) ? undefined : newest;
}

/** The end of that bucket, which may not be over yet. */
export function newestEnd(answer: WindowedAnswer, width: number): number | undefined {
  const start = newestShown(answer);
  return start === undefined ? undefined : Math.min(answer.now, start + width);
}

/**
 * How far the platform's data reaches (platform ms). A wide bucket is given only when it ends, so the platform is further
 * than the end of its newest: by the time since then less the usual lag, and at most a width less a minute. With buckets of a
 * minute it is that end.
 * @param lag how long after its end (ms) a bucket is usually given
 */
export function progressBeyond(newestEnd: number, width: number, now: number, lag: number): number {
  return Math.max(newestEnd, Math.min(now - lag, newestEnd + width - MINUTE_MS));
}

/**
 * The share of buckets that the series of an answer lack, each between its first and its newest.
 * @returns undefined where the answer is too short to tell, or is not of the present
 */
export function shareMissing(answer: WindowedAnswer, width: number): number | undefined {
  const { series, valueless, unclear } = answer.decoded;
  if (!reaches(answer)) return undefined;
  let [expected, missing] = [0, 0];
  for (const [name, { timestamps }] of series) {
    const apart = [...(valueless?.get(name) ?? []), ...(unclear?.get(name) ?? []).map(({ start }) => start)];
    const starts = apart.length === 0 ? timestamps : new Set([...timestamps, ...apart].sort((a, b) => a - b));
    const [first, last, count] = endsOf(starts);
    const buckets = (last - first) / width + 1;
    if (!(buckets >= FEWEST_BUCKETS)) continue;
    expected += buckets;
    missing += Math.max(0, buckets - count);
  }
  return expected === 0 ? undefined : missing / expected;
}

function endsOf(starts: Iterable<number>): readonly [first: number, last: number, count: number] {
  let [first, last, count] = [Number.NaN, Number.NaN, 0];
  for (const start of starts) {
    if (count === 0) first = start;
    last = start;
    count += 1;
  }
  return [first, last, count];
}

/** Whether an answer's window reaches up to the present, so that it should contain the newest bucket. */
export function reaches({ window, now }: WindowedAnswer): boolean {
  return reachesPresent(window, now);
}

/** The start of any bucket: all others of its width begin a multiple of the width away. Undefined if there is none. */
export function someStart({ series }: Decoded): number | undefined {
  for (const { timestamps } of series.values()) if (timestamps[0] !== undefined) return timestamps[0];
  return undefined;
}

/** The start of the bucket that holds a time, on the grid of an answer. */
function startOfBucketAt(time: number, width: number, decoded: Decoded): number {
  const start = someStart(decoded) ?? 0;
  return start + Math.floor((time - start) / width) * width;
}

/** Whether the platform itself lacks what an answer lacks: the answer has rows, none was dropped, and it has few gaps. */
function isWhole({ series, rejected }: Decoded, width: number): boolean {
  let rows = 0;
  for (const points of series.values()) {
    rows += points.timestamps.length;
    if (holesIn(points, width) > MOST_HOLES) return false;
  }
  return rows > 0 && rejected.size === 0;
}

function holesIn({ timestamps }: Points, width: number): number {
  let holes = 0;
  for (let index = 1; index < timestamps.length; index += 1) {
    if (Number(timestamps[index]) - Number(timestamps[index - 1]) > width) holes += 1;
  }
  return holes;
}

/** How far from the present a window that was to reach it may end: the answer took its time. */
const PRESENT_MS = 5 * MINUTE_MS;

/** Whether a window reaches up to the present, so that its newest bucket is the platform's. */
export function reachesPresent({ to }: Window, now: number): boolean {
  return to > now - PRESENT_MS;
}

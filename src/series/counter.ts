import { addedUp } from '../catalogue/decimal.ts';
import type { Points } from '../decode/points.ts';
import {
  type Evidence,
  isTimedOut,
  type MissingBucketTimeout,
  missedAgain,
} from '../settling/missing-buckets.ts';
import { changedWithin, covers, firstAtOrAfter, joined, without } from '../settling/spans.ts';
import { MINUTE_MS, reachesPresent, type Window } from '../settling/window.ts';
import type { CoarseBuckets, Reading } from './answer-buckets.ts';

/** Time whose buckets a counter lacks: never read yet (`asked` is 0), or missing from the answers. */
export interface MissingSpan extends Window, Evidence {}

/** What a counter has taken in. All of it is only ever replaced together. */
export interface Counter {
  /** The sum of all counted buckets, in the platform's unit. */
  readonly total: number;
  /** Everything before it is counted, skipped or missing (ms since the epoch). */
  readonly watermark: number;
  /** What is still to be counted before the watermark, ascending. */
  readonly missing: readonly MissingSpan[];
}

/** Counters that lack buckets. */
export interface Lacking {
  readonly counters: readonly Counter[];
  /** Bucket width (ms). */
  readonly width: number;
  /** Up to where buckets have settled (platform ms). */
  readonly settledUntil: number;
}

/** A bucket that a counter has taken in. */
export interface CountedBucket {
  /** Start of the bucket (ms since the epoch). */
  readonly start: number;
  /** In ms. */
  readonly width: number;
  /** In the platform's unit. */
  readonly value: number;
  /** The counter's value after it. */
  readonly total: number;
}

/** A counter after an answer; the same object where the answer changes nothing. */
export interface Counted {
  readonly counter: Counter;
  readonly settled: readonly CountedBucket[];
  /** Buckets skipped, in widths of the answer's. */
  readonly skipped: number;
}

/** For how long and from how many answers a bucket must be missing to be skipped. */
export const TIMEOUT: MissingBucketTimeout = { after: 30 * MINUTE_MS, whole: 3, asked: 15 };

/** When an answer lacked buckets is noted to this precision, so that many of them make few spans. */
const NOTED_STEP_MS = MINUTE_MS;

/**
 * Takes the settled buckets of an answer into a counter. What is due is told by time, not by a list of buckets: a
 * bucket counts if all of its time is due, and is due no more afterwards. So any order, repetition or overlap of
 * answers, and any change of width, counts no moment twice; and what an answer lacks stays due, without holding up
 * what comes after it.
 *
 * Why a bucket is not counted: it may still change (it ends after `settledUntil`); the answer's window cuts it, or some
 * of its time is no longer due; the answer lacks it, or had its row dropped. It stays due, until it is skipped: when the
 * platform forgets it, or was asked for so long and so often without having it (`TIMEOUT`).
 */
export function count(counter: Counter, points: Points, reading: Reading): Counted {
  const due = dueSpans(counter, reading);
  if (due.length === 0) return { counter, settled: [], skipped: 0 };
  const settled = dueBuckets(due, counter.total, points, reading);
  const cuts = settled.map(({ start, width }) => ({ from: start, to: start + width }));
  const left = noteMissing(without(due, cuts), reading);
  const missing = left.filter((span) => !isSkipped(span, reading));
  const skipped = left.reduce(
    (sum, span) => sum + (isSkipped(span, reading) ? bucketsIn(span, reading.width) : 0),
    0,
  );
  const watermark = Math.max(counter.watermark, reading.watermark ?? counter.watermark);
  const total = settled.at(-1)?.total ?? counter.total;
  const after = { total, watermark, missing: joined(missing, areAlike) };
  return { counter: isSame(after, counter) ? counter : after, settled, skipped };
}

/** Whether a counter has taken in all of a time, or skipped it. */
export function hasCounted(counter: Counter | undefined, { from, to }: Window): boolean {
  if (counter === undefined || to > counter.watermark) return false;
  return !counter.missing.some((span) => span.from < to && span.to > from);
}

/** So many buckets of a width take up a span. */
export function bucketsIn({ from, to }: Window, width: number): number {
  return Math.ceil((to - from) / width);
}

/** What a counter lacks, with all that has settled since its watermark. */
function dueSpans({ watermark, missing }: Counter, reading: Reading): readonly MissingSpan[] {
  const { now, watermark: to = watermark } = reading;
  if (to <= watermark) return missing;
  const fresh = { from: watermark, to, since: now, until: now, asked: 0, whole: 0 };
  return joined([...missing, fresh], areAlike).flatMap((span) =>
    beforeAndAfter(span, reading.forgottenUntil),
  );
}

/** Splits off the history that the platform no longer has, which is skipped. */
function beforeAndAfter(span: MissingSpan, time: number): MissingSpan[] {
  if (time <= span.from || time >= span.to) return [span];
  return [
    { ...span, to: time },
    { ...span, from: time },
  ];
}

function dueBuckets(
  due: readonly MissingSpan[],
  before: number,
  { timestamps, values }: Points,
  { window, width, settledUntil }: Reading,
): CountedBucket[] {
  const buckets: CountedBucket[] = [];
  let total = before;
  const from = Math.max(window.from, due[0]?.from ?? window.from);
  const to = Math.min(window.to, settledUntil);
  for (let index = firstAtOrAfter(timestamps, from); index < timestamps.length; index += 1) {
    const start = Number(timestamps[index]);
    if (start + width > to) break;
    if (!covers(due, start, start + width)) continue;
    const value = values[index] ?? 0;
    total = addedUp(total, value);
    buckets.push({ start, width, value, total });
  }
  return buckets;
}

function noteMissing(spans: readonly MissingSpan[], reading: Reading): MissingSpan[] {
  const { window, settledUntil, whole } = reading;
  const now = noted(reading.now);
  const asked = { from: window.from, to: Math.min(window.to, settledUntil) };
  // An answer that shows but the first of its window proves none of it to have settled.
  if (asked.to <= asked.from) return [...spans];
  return changedWithin(spans, asked, (span) => ({ ...span, ...missedAgain(span, whole, now) }));
}

/** Only an answer that reaches the present tells that the platform is well: without one nothing is skipped. */
function isSkipped(span: MissingSpan, { watermark, forgottenUntil }: Reading): boolean {
  if (watermark === undefined) return false;
  return span.to <= forgottenUntil || isTimedOut(span, TIMEOUT);
}

/** Of what was never asked for, the older moment holds. */
function areAlike(a: MissingSpan, b: MissingSpan): boolean {
  if (a.asked === 0 && b.asked === 0) return true;
  return a.since === b.since && a.until === b.until && a.asked === b.asked && a.whole === b.whole;
}

/** Whether two counters have taken in the same, and lack the same. */
export function isSame(a: Counter, b: Counter): boolean {
  if (a.total !== b.total || a.watermark !== b.watermark || a.missing.length !== b.missing.length)
    return false;
  return a.missing.every((span, index) => {
    const other = b.missing[index];
    return other !== undefined && span.from === other.from && span.to === other.to && areAlike(span, other);
  });
}

/**
 * The read that tells most of a span. An answer that lost rows, or has none, says little: a coarse read of all up to
 * the present shows whether the platform has anything around the span, one of the day does near the ends of a gap.
 */
export function bestRead({ asked, whole }: Evidence): 'fine' | 'coarse' | 'day' {
  const unclear = asked - whole;
  return unclear === 0 ? 'fine' : (TURNS[(unclear - 1) % TURNS.length] ?? 'fine');
}

const TURNS = ['coarse', 'day', 'fine'] as const;

/** Up to this length coarse reads are as fine as they get (ms). */
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The counter after a coarse read: what it shows to be lacking is missing once more, what it has is for another read. */
export function noteCoarse(counter: Counter, shown: CoarseBuckets, read: Window, now: number): Counter {
  const reads = [reachesPresent(read, now) ? 'coarse' : '', read.to - read.from <= DAY_MS ? 'day' : ''];
  const lacks = (span: MissingSpan) =>
    span.asked === 0 ? span : { ...span, ...missedAgain(span, true, noted(now)) };
  // Another read must tell, and need not wait.
  const tellsNothing = (span: MissingSpan) =>
    span.asked > 0 && reads.includes(bestRead(span)) ? { ...span, asked: span.asked + 1 } : span;
  let { missing } = counter;
  for (const part of shown.lacking) missing = changedWithin(missing, part, lacks);
  for (const part of without([read], shown.lacking)) missing = changedWithin(missing, part, tellsNothing);
  // What earlier reads did not have has turned up: that the platform lacks it must be shown anew.
  for (const bucket of shown.present) {
    if (covers(counter.missing, bucket.from, bucket.to)) {
      missing = changedWithin(missing, bucket, (span) => ({ ...span, whole: 0 }));
    }
  }
  return { ...counter, missing: joined(missing, areAlike) };
}

/** The counter after an answer to a window that could not be used. */
export function noteUnclear(counter: Counter, window: Window, now: number): Counter {
  const missing = changedWithin(counter.missing, window, (span) => ({
    ...span,
    ...missedAgain(span, false, noted(now)),
  }));
  return { ...counter, missing: joined(missing, areAlike) };
}

function noted(time: number): number {
  return Math.ceil(time / NOTED_STEP_MS) * NOTED_STEP_MS;
}

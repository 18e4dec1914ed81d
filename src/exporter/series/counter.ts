import { isDeepStrictEqual } from 'node:util';
import type { UnclearRow } from '../decode/decode.ts';
import type { Points } from '../decode/points.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Reading } from './answer-buckets.ts';
import { type Buckets, changedWithin, covers, firstAtOrAfter, joined, partsOf, without } from './spans.ts';

/** How often answers lacked the buckets of a span of time. */
export interface Evidence {
  /** When the first answer lacked it (platform ms); before the first request, when it fell due. */
  readonly since: number;
  /** When the latest answer lacked it (platform ms). */
  readonly until: number;
  /** Answers that lacked it. */
  readonly asked: number;
  /** Answers among them that were whole: they had rows, and none was dropped. */
  readonly whole: number;
}

/** When a bucket that stays missing is skipped. */
export interface MissingBucketTimeout {
  /** How long after the first answer that lacked it (ms). */
  readonly after: number;
  /** After this many whole answers without it. */
  readonly whole: number;
  /** After this many answers without it in all: a row that an answer dropped may have been the bucket's. */
  readonly asked: number;
}

/** The evidence after one more answer that lacked the span. */
export function missedAgain({ since, asked, whole }: Evidence, isWhole: boolean, now: number): Evidence {
  // A time in the future was noted before the clock was set back.
  const first = asked === 0 ? now : Math.min(since, now);
  return { since: first, until: now, asked: asked + 1, whole: whole + (isWhole ? 1 : 0) };
}

/** Whether the platform was asked so often and for so long that missing buckets are to be skipped. */
export function isTimedOut({ since, until, asked, whole }: Evidence, timeout: MissingBucketTimeout): boolean {
  return until - since >= timeout.after && (whole >= timeout.whole || asked >= timeout.asked);
}

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

/** When a row of unclear width is counted: earlier than it would be skipped, since the last answers may lack it. */
const LATE: MissingBucketTimeout = { after: 20 * MINUTE_MS, whole: 2, asked: 10 };

/** When an answer lacked buckets is noted to this precision, so that many of them make few spans. */
const NOTED_STEP_MS = MINUTE_MS;

/**
 * Takes the settled buckets of an answer into a counter. What is due is kept as time, not as a list of buckets: a
 * bucket counts if all of its time is due, and is due no more afterwards. So any order, repetition or overlap of
 * answers, and any change of width, counts no moment twice; and what an answer lacks stays due, without holding up
 * what comes after it.
 *
 * Why a bucket is not counted: it may still change (it ends after `settledUntil`); the answer's window cuts it, or some
 * of its time is no longer due; the answer lacks it, or had its row dropped. It stays due, until it is skipped: when the
 * platform forgets it, or was asked for so long and so often without having it (`TIMEOUT`).
 */
export function count(
  counter: Counter,
  points: Points,
  reading: Reading,
  { unclear = [], before }: Beside = {},
): Counted {
  const due = dueSpans(counter, reading);
  if (due.length === 0) return { counter, settled: [], skipped: 0 };
  const clear = dueBuckets(due, counter.total, points, reading, before);
  const asked = noteMissing(without(due, timesOf(clear)), reading);
  const late = lateBuckets(asked, clear.at(-1)?.total ?? counter.total, { unclear, before }, reading);
  // Time that a row of unclear width may cover is not skipped before that row has settled.
  const isHeld = (span: MissingSpan) =>
    unclear.some(({ start, end }) => start < span.to && end > span.from && end > reading.settledUntil);
  const missing: MissingSpan[] = [];
  // A row counted late may be one narrow bucket: its time beyond that is reported as skipped, even if the bucket was wide.
  const skipped: Window[] = late.map(({ start, width }) => ({
    from: start + reading.width,
    to: start + width,
  }));
  for (const span of without(asked, timesOf(late)))
    (isSkipped(span, reading) && !isHeld(span) ? skipped : missing).push(span);
  const settled = [...clear, ...late];
  const watermark = Math.max(counter.watermark, reading.watermark ?? counter.watermark);
  const total = settled.at(-1)?.total ?? counter.total;
  const after = { total, watermark, missing: joined(missing, areAlike) };
  return {
    counter: isDeepStrictEqual(after, counter) ? counter : after,
    settled,
    skipped: skipped.reduce((sum, span) => sum + bucketsIn(span, reading.width), 0),
  };
}

/** What is known of a series besides an answer's buckets. */
export interface Beside {
  /** Rows whose width the answer does not show. */
  readonly unclear?: readonly UnclearRow[] | undefined;
  /** Narrower buckets that were shown before. */
  readonly before?: Buckets | undefined;
}

function timesOf(buckets: readonly CountedBucket[]): Window[] {
  return buckets.map(({ start, width }) => ({ from: start, to: start + width }));
}

/**
 * Rows of unclear width whose time would soon be skipped. Either they are wide buckets, or narrow ones followed by missing
 * ones; the platform has had no more than this for so long that they are counted as they are.
 */
function lateBuckets(
  due: readonly MissingSpan[],
  before: number,
  { unclear = [], before: narrower }: Beside,
  reading: Reading,
): CountedBucket[] {
  const buckets: CountedBucket[] = [];
  let total = before;
  const to = Math.min(reading.window.to, reading.settledUntil);
  for (const { start, end, value } of unclear) {
    if (start < reading.window.from || end > to) continue;
    const parts = due.filter((span) => span.from < end && span.to > start);
    if (reading.watermark === undefined || !parts.some((span) => isTimedOut(span, LATE))) continue;
    // If some of its time after what is lacked was counted, the row may be a wide bucket that holds that once more.
    const counted = wholeOrRest({ start, width: end - start, value }, parts, narrower);
    // If all of a row's value was counted already, it is a narrow bucket, and what follows it is skipped.
    if (counted === undefined || (counted.start > start && counted.value === 0)) continue;
    total = addedUp(total, counted.value);
    buckets.push({ ...counted, total });
  }
  return buckets;
}

/** Whether a counter has taken in all of a time, or skipped it. */
export function hasCounted(counter: Counter | undefined, { from, to }: Window): boolean {
  if (counter === undefined || to > counter.watermark) return false;
  return !counter.missing.some((span) => span.from < to && span.to > from);
}

/** How many buckets of a width a span holds. */
export function bucketsIn({ from, to }: Window, width: number): number {
  return Math.ceil((to - from) / width);
}

/** What a counter lacks, including everything that has settled since its watermark. */
function dueSpans({ watermark, missing }: Counter, reading: Reading): readonly MissingSpan[] {
  const { now, watermark: to = watermark } = reading;
  if (to <= watermark) return missing;
  const fresh = { from: watermark, to, since: now, until: now, asked: 0, whole: 0 };
  // The history that the platform no longer has is a span by itself, which is skipped.
  const forgotten = { from: Number.NEGATIVE_INFINITY, to: reading.forgottenUntil };
  return changedWithin(joined([...missing, fresh], areAlike), forgotten, (span) => span);
}

function dueBuckets(
  due: readonly MissingSpan[],
  before: number,
  { timestamps, values }: Points,
  { window, width, settledUntil }: Reading,
  narrower: Buckets | undefined,
): CountedBucket[] {
  const buckets: CountedBucket[] = [];
  let total = before;
  const first = due[0]?.from ?? window.from;
  // Of a wider bucket that begins before what is due the rest may be.
  const from = Math.max(window.from, first - width + 1);
  const to = Math.min(window.to, settledUntil);
  for (let index = firstAtOrAfter(timestamps, from); index < timestamps.length; index += 1) {
    const start = Number(timestamps[index]);
    if (start + width > to) break;
    const value = values[index] ?? 0;
    const bucket = wholeOrRest({ start, width, value }, due, narrower);
    if (bucket === undefined) continue;
    total = addedUp(total, bucket.value);
    buckets.push({ ...bucket, total });
  }
  return buckets;
}

/**
 * What is to be counted of a bucket: all of it, if all of its time is due. When buckets become wider, one of them covers both
 * sides of the change: then the rest, beyond the narrower buckets that were counted, if these are known. Otherwise nothing.
 */
function wholeOrRest(
  bucket: Omit<CountedBucket, 'total'>,
  due: readonly MissingSpan[],
  narrower: Buckets | undefined,
): Omit<CountedBucket, 'total'> | undefined {
  const { start, width, value } = bucket;
  const end = start + width;
  if (covers(due, start, end)) return bucket;
  if (narrower === undefined) return undefined;
  const from = due.find((span) => span.to > start)?.from ?? end;
  if (from >= end || !covers(due, from, end)) return undefined;
  const counted = partsOf(narrower.points, start, from - start, narrower.width);
  if (counted?.rest === undefined) return undefined;
  const rest = value - counted.first - counted.rest;
  return rest < 0 ? undefined : { start: from, width: end - from, value: rest };
}

function noteMissing(spans: readonly MissingSpan[], reading: Reading): MissingSpan[] {
  const { window, settledUntil, whole } = reading;
  const now = notedAt(reading.now);
  const asked = { from: window.from, to: Math.min(window.to, settledUntil) };
  // If nothing in the window has settled, the answer does not show that anything is missing.
  if (asked.to <= asked.from) return [...spans];
  return changedWithin(spans, asked, (span) => ({ ...span, ...missedAgain(span, whole, now) }));
}

/** Only an answer that reaches the present shows that the platform is well; no other skips anything. */
function isSkipped(span: MissingSpan, { watermark, forgottenUntil }: Reading): boolean {
  if (watermark === undefined) return false;
  return span.to <= forgottenUntil || isTimedOut(span, TIMEOUT);
}

/** Whether two spans can be merged; of two that were never asked for, the first's `since` is kept. */
export function areAlike(a: MissingSpan, b: MissingSpan): boolean {
  if (a.asked === 0 && b.asked === 0) return true;
  return a.since === b.since && a.until === b.until && a.asked === b.asked && a.whole === b.whole;
}

/** The counter after an answer to a window that could not be used. */
export function noteUnclear(counter: Counter, window: Window, now: number): Counter {
  const missing = changedWithin(counter.missing, window, (span) => ({
    ...span,
    ...missedAgain(span, false, notedAt(now)),
  }));
  return { ...counter, missing: joined(missing, areAlike) };
}

/** When an answer that lacked buckets came (ms), to the precision to which that is noted. */
export function notedAt(time: number): number {
  return Math.ceil(time / NOTED_STEP_MS) * NOTED_STEP_MS;
}

/** Decimals of up to this many significant digits survive a conversion to a double and back. */
const DIGITS = 15;

/** How far (relative) a sum or a product of two or three factors may be beside the true one: a rounding or two. */
const NOISE = 2 ** -51;

/**
 * The decimal that a computed value stands for. The platform writes decimals (megabytes with three places, percent), and
 * sums and products of them are decimals, too; in binary they come out a digit beside it, as 7337999.999999999 for
 * 7338000. A value that is no short decimal stays as it is.
 */
export function decimal(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  const short = Number(value.toPrecision(DIGITS));
  return Math.abs(short - value) <= Math.abs(value) * NOISE ? short : value;
}

/** A running total of values that are not negative, after one more. It never falls. */
export function addedUp(total: number, value: number): number {
  return Math.max(total, decimal(total + value));
}

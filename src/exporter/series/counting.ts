import { MINUTE_MS, type Window } from '../settling/window.ts';
import { addedUp } from './decimals.ts';
import type { Row } from './rows.ts';
import { changedWithin, covers, joined, without } from './spans.ts';

/** Time that a counter has not counted yet. Times are platform ms. */
export interface Hole extends Window {
  /** Time of the first answer that lacked the hole; 0 if it was never read. */
  readonly since: number;
  /** Accumulated evidence of rereads that lacked the hole; see `REREAD`. */
  readonly asked: number;
}

const NO_HOLES: readonly Hole[] = [];

/** Running total of settled buckets. It is immutable. */
export interface Counter {
  /** Sum of all counted buckets, in the platform's unit. */
  readonly total: number;
  /** Time (ms since the epoch) before which everything is counted, skipped or in a hole. */
  readonly watermark: number;
  /** Holes: time before the watermark that is still to be counted, ascending. */
  readonly holes: readonly Hole[];
}

/** Bucket that a counter has added. */
export interface CountedBucket {
  /** Start (ms since the epoch) and width (ms). */
  readonly start: number;
  readonly width: number;
  /** Value in the platform's unit, and the counter's total after it. */
  readonly value: number;
  readonly total: number;
}

/** Counter after an answer; the same object if the answer changes nothing. */
export interface Counted {
  readonly counter: Counter;
  readonly settled: readonly CountedBucket[];
  /** Number of skipped buckets. */
  readonly skipped: number;
}

/** Context in which an answer is counted for one dimension. */
export interface Reading {
  readonly window: Window;
  /** Platform's time of the answer (ms). */
  readonly now: number;
  readonly width: number;
  /** Time (platform ms) up to which buckets have settled. */
  readonly settledUntil: number;
  /** New watermark, on the grid, at `settledUntil`; undefined if the answer does not reach the present. */
  readonly watermark: number | undefined;
  /** Start of the platform's history (platform ms). */
  readonly forgottenUntil: number;
  /** True if no row of the answer was dropped. */
  readonly isClean: boolean;
}

/** Delays (ms) of the rereads of a hole, after the first answer that lacked it. */
const REREAD_AFTER_MS: readonly number[] = [5 * MINUTE_MS, 10 * MINUTE_MS, 20 * MINUTE_MS];

/** Evidence per reread of a hole. Dropped rows weaken it, since one of them may belong to the hole. */
const REREAD = 4;
const DIRTY_REREAD = 1;

/**
 * Adds the settled rows of an answer to a counter. A row counts if all of its time is due: in a hole, or after the watermark.
 * Counted time is no longer due, so no order or repetition of answers counts a bucket twice.
 */
export function count(counter: Counter, rows: readonly Row[], reading: Reading): Counted {
  const due = dueIn(counter, reading);
  if (due.length === 0) return { counter, settled: [], skipped: 0 };
  const until = Math.min(reading.window.to, reading.settledUntil);
  const settled: CountedBucket[] = [];
  let { total } = counter;
  const take = ({ start, end, value }: Row) => {
    total = addedUp(total, value);
    settled.push({ start, width: end - start, value, total });
  };
  for (const row of rows) {
    if (!row.isClear || row.start < reading.window.from || row.end > until) continue;
    if (covers(due, row.start, row.end)) take(row);
  }
  const lacking = lackingAfter(without(due, timesOf(settled)), reading, askedUntil(rows, reading, until));
  const late = lateIn(rows, lacking, reading, until);
  let skipped = 0;
  for (const row of late) {
    take(row);
    // The row may be one narrow bucket. The rest of its time is reported as skipped, even if the bucket was wide.
    skipped += bucketsIn({ from: row.start, to: row.end }, reading.width) - 1;
  }
  const holes: Hole[] = [];
  for (const hole of without(
    lacking,
    late.map(({ start, end }) => ({ from: start, to: end })),
  )) {
    if (isTimedOut(hole, reading)) skipped += bucketsIn(hole, reading.width);
    else holes.push(hole);
  }
  const watermark = Math.max(counter.watermark, reading.watermark ?? counter.watermark);
  return {
    counter: { total, watermark, holes: holes.length === 0 ? NO_HOLES : joined(holes, areAlike) },
    settled,
    skipped,
  };
}

/** Returns the unclear rows whose hole times out. Each is counted once for all the time up to the next row. */
function lateIn(rows: readonly Row[], lacking: readonly Hole[], reading: Reading, until: number): Row[] {
  const late: Row[] = [];
  for (const row of lacking.length === 0 ? [] : rows) {
    const { start } = row;
    const end = Math.min(row.end, until);
    if (row.isClear || start < reading.window.from || end <= start) continue;
    if (row.end > until && row.end < Number.POSITIVE_INFINITY) continue;
    const hole = lacking.find(({ from, to }) => from <= start && to > start);
    if (hole !== undefined && isTimedOut(hole, reading) && covers(lacking, start, end))
      late.push({ ...row, end });
  }
  return late;
}

/** Returns true if a counter has counted or skipped all of a span. */
export function hasCounted(counter: Counter | undefined, { from, to }: Window): boolean {
  if (counter === undefined || to > counter.watermark) return false;
  return !counter.holes.some((hole) => hole.from < to && hole.to > from);
}

/** Returns the time (platform ms) of the next reread of a hole; 0 if it was never read. */
export function rereadAt({ since, asked }: Hole): number {
  return since === 0 ? 0 : since + (REREAD_AFTER_MS[Math.floor(asked / REREAD)] ?? 0);
}

/** Returns the number of buckets of a width in a span. */
export function bucketsIn({ from, to }: Window, width: number): number {
  return Math.ceil((to - from) / width);
}

/** Returns the holes, and all time that has settled since the watermark. */
function dueIn({ watermark, holes }: Counter, { watermark: to = watermark, forgottenUntil }: Reading) {
  if (to <= watermark) return holes;
  const due = joined([...holes, { from: watermark, to, since: 0, asked: 0 }], areAlike);
  // Time before the platform's history becomes a separate span, which is skipped.
  const forgotten = { from: Number.NEGATIVE_INFINITY, to: forgottenUntil };
  return changedWithin(due, forgotten, (hole) => hole);
}

function timesOf(buckets: readonly CountedBucket[]): Window[] {
  return buckets.map(({ start, width }) => ({ from: start, to: start + width }));
}

/** Returns the time up to which an answer shows missing buckets. The last row of a window of the past may extend beyond it. */
function askedUntil(rows: readonly Row[], { watermark, width }: Reading, until: number): number {
  const last = rows.at(-1);
  const isCut = watermark === undefined && last?.isClear === false && last.start + width === until;
  return isCut ? last.start : until;
}

/** Returns the due time that an answer lacked, with its evidence. */
function lackingAfter(due: readonly Hole[], reading: Reading, until: number): Hole[] {
  const asked = { from: reading.window.from, to: until };
  if (asked.to <= asked.from || due.length === 0) return [...due];
  // Rounding to the minute merges neighbouring holes into few spans.
  const now = Math.ceil(reading.now / MINUTE_MS) * MINUTE_MS;
  return changedWithin(due, asked, (hole) => {
    if (hole.since === 0) return { ...hole, since: now };
    // A time in the future was recorded before the platform's clock was set back.
    const since = Math.min(hole.since, now);
    if (now < rereadAt({ ...hole, since })) return { ...hole, since };
    return { ...hole, since, asked: hole.asked + (reading.isClean ? REREAD : DIRTY_REREAD) };
  });
}

function isTimedOut({ to, asked }: Hole, { forgottenUntil }: Reading): boolean {
  return to <= forgottenUntil || asked >= REREAD * REREAD_AFTER_MS.length;
}

/** Returns true if two neighbouring holes can be merged. */
export function areAlike(one: Hole, other: Hole): boolean {
  return one.since === other.since && one.asked === other.asked;
}

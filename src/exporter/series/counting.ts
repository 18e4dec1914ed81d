import { MINUTE_MS, type Window } from '../settling/window.ts';
import { addedUp } from './decimals.ts';
import type { Row } from './rows.ts';
import { changedWithin, covers, joined, without } from './spans.ts';

/** Time that a counter lacks. Times are platform ms. */
export interface Hole extends Window {
  /** Time of the first answer that lacked it; 0 if it was never read. */
  readonly since: number;
  /** Evidence of the rereads that lacked it. */
  readonly asked: number;
}

const NO_HOLES: readonly Hole[] = [];

/** A running total of settled buckets. It is only ever replaced as a whole. */
export interface Counter {
  /** Sum of all counted buckets, in the platform's unit. */
  readonly total: number;
  /** Everything before it is counted, skipped or in a hole (ms since the epoch). */
  readonly watermark: number;
  /** Time before the watermark that is still to be counted, ascending. */
  readonly holes: readonly Hole[];
}

/** A bucket that a counter has taken in. */
export interface CountedBucket {
  /** Start (ms since the epoch) and width (ms). */
  readonly start: number;
  readonly width: number;
  /** Value in the platform's unit, and the counter's total after it. */
  readonly value: number;
  readonly total: number;
}

/** A counter after an answer; the same object if the answer changes nothing. */
export interface Counted {
  readonly counter: Counter;
  readonly settled: readonly CountedBucket[];
  /** Buckets skipped. */
  readonly skipped: number;
}

/** Time of one dimension as an answer shows it. */
export interface Reading {
  readonly window: Window;
  /** Platform's time of the answer. */
  readonly now: number;
  readonly width: number;
  /** Buckets that end by this time do not change any more (platform ms). */
  readonly settledUntil: number;
  /** New watermark, on the grid, at `settledUntil`. Undefined if the answer does not reach the present. */
  readonly watermark: number | undefined;
  /** Start of the platform's history (platform ms). */
  readonly forgottenUntil: number;
  /** True if no row of the answer was dropped. */
  readonly isClean: boolean;
}

/** Delays (ms), after the first answer that lacked it, at which a hole is read again. */
const REREAD_AFTER_MS: readonly number[] = [5 * MINUTE_MS, 10 * MINUTE_MS, 20 * MINUTE_MS];

/** Evidence of a reread of a hole. Dropped rows make it weaker, since one of them may belong to the hole. */
const REREAD = 4;
const DIRTY_REREAD = 1;

/**
 * Takes the settled rows of an answer into a counter. A row counts if all of its time is due: in a hole, or after the
 * watermark. Counted time is due no more, so no order or repetition of answers counts a moment twice.
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
    // It may be one narrow bucket: its time beyond that is reported as skipped, even if the bucket was wide.
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

/** Unclear rows whose hole times out: each is counted once for all the time up to the next row. */
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

/** True if a counter has counted or skipped all of a time. */
export function hasCounted(counter: Counter | undefined, { from, to }: Window): boolean {
  if (counter === undefined || to > counter.watermark) return false;
  return !counter.holes.some((hole) => hole.from < to && hole.to > from);
}

/** Returns when to read a hole again (platform ms). */
export function rereadAt({ since, asked }: Hole): number {
  return since === 0 ? 0 : since + (REREAD_AFTER_MS[Math.floor(asked / REREAD)] ?? 0);
}

/** Number of buckets of a width in a span. */
export function bucketsIn({ from, to }: Window, width: number): number {
  return Math.ceil((to - from) / width);
}

/** Holes, and all time that has settled since the watermark. */
function dueIn({ watermark, holes }: Counter, { watermark: to = watermark, forgottenUntil }: Reading) {
  if (to <= watermark) return holes;
  const due = joined([...holes, { from: watermark, to, since: 0, asked: 0 }], areAlike);
  // Time that the platform has forgotten becomes a span of its own, which is skipped.
  const forgotten = { from: Number.NEGATIVE_INFINITY, to: forgottenUntil };
  return changedWithin(due, forgotten, (hole) => hole);
}

function timesOf(buckets: readonly CountedBucket[]): Window[] {
  return buckets.map(({ start, width }) => ({ from: start, to: start + width }));
}

/** Time up to which an answer shows what is missing: the last row of a window of the past may go on behind it. */
function askedUntil(rows: readonly Row[], { watermark, width }: Reading, until: number): number {
  const last = rows.at(-1);
  const isCut = watermark === undefined && last?.isClear === false && last.start + width === until;
  return isCut ? last.start : until;
}

/** Due time after an answer lacked it. */
function lackingAfter(due: readonly Hole[], reading: Reading, until: number): Hole[] {
  const asked = { from: reading.window.from, to: until };
  if (asked.to <= asked.from || due.length === 0) return [...due];
  // To the minute, so that many of them make few spans.
  const now = Math.ceil(reading.now / MINUTE_MS) * MINUTE_MS;
  return changedWithin(due, asked, (hole) => {
    if (hole.since === 0) return { ...hole, since: now };
    // A time to come was noted before the platform's clock was set back.
    const since = Math.min(hole.since, now);
    if (now < rereadAt({ ...hole, since })) return { ...hole, since };
    return { ...hole, since, asked: hole.asked + (reading.isClean ? REREAD : DIRTY_REREAD) };
  });
}

function isTimedOut({ to, asked }: Hole, { forgottenUntil }: Reading): boolean {
  return to <= forgottenUntil || asked >= REREAD * REREAD_AFTER_MS.length;
}

/** True if two neighbouring holes can be one. */
export function areAlike(one: Hole, other: Hole): boolean {
  return one.since === other.since && one.asked === other.asked;
}

import { FINEST_WINDOW_MS, HISTORY_MS, MINUTE_MS } from '../settling/window.ts';
import { wholeBuckets } from './breakdown.ts';
import { type Counter, count } from './counting.ts';
import { countersIn, type Ledger, type LedgerRules, type SettledBucket, usualWidth } from './ledger.ts';
import type { Progress, ReadAnswer } from './read-answer.ts';
import type { WindowedAnswer } from './series-source.ts';

/** Counters of all dimensions after an answer. */
export interface CountedAnswer {
  readonly since: number | undefined;
  /** Counter by dimension; undefined for a dimension without a counter. */
  readonly counters: ReadonlyMap<string, Counter | undefined>;
  readonly settled: readonly SettledBucket[];
  readonly skipped: number;
}

/** Counts the settled rows of an answer, and creates counters of new dimensions. */
export function countAnswer(
  ledger: Ledger,
  answer: WindowedAnswer,
  read: ReadAnswer,
  rules: LedgerRules,
): CountedAnswer {
  const settledUntil = settledIn(ledger, answer, read, rules);
  const { counters, since } = openCounters(ledger, answer, read, { ...rules, settledUntil });
  const rows = wholeBuckets(answer.decoded, read.dimensions, rules.counts);
  const usual = usualWidth(ledger) ?? MINUTE_MS;
  const settled: SettledBucket[] = [];
  let skipped = 0;
  for (const [name, counter] of counters) {
    const one = read.dimensions.get(name);
    const known = ledger.dimensions.get(name);
    const width = one?.width ?? known?.width ?? usual;
    // A dimension that is excluded now resumes from its watermark once it is included again.
    if (counter === undefined || !rules.counts(name) || one?.isKnown === false) continue;
    const mine = rows.get(name) ?? [];
    const { progress } = read;
    const counted = count(counter, mine, {
      window: answer.window,
      now: answer.now,
      width,
      settledUntil,
      watermark:
        progress.newest === undefined
          ? undefined
          : bucketAt(settledUntil, width, mine[0]?.start ?? counter.watermark),
      forgottenUntil: settledUntil - HISTORY_MS,
      isClean: read.rejected.size === 0,
    });
    counters.set(name, counted.counter);
    for (const bucket of counted.settled) settled.push({ dimension: name, ...bucket });
    skipped += counted.skipped;
  }
  return { since, counters, settled, skipped };
}

/** Returns the time (platform ms) up to which buckets have settled, from the platform's progress. */
function settledIn(
  { newest: known }: Ledger,
  answer: WindowedAnswer,
  { progress }: ReadAnswer,
  { delays, certainNow }: LedgerRules,
): number {
  const { now } = answer;
  const proven = progress.reachesPresent
    ? progress.newest
    : newestProven(known, answer, progress, delays.settle);
  const newest = proven ?? Number.NEGATIVE_INFINITY;
  // A newest bucket in the future predates a step back of the platform's clock.
  if (progress.newest === undefined && newest > now) return Number.NEGATIVE_INFINITY;
  // The time is on a whole minute, so that no hole begins or ends within a bucket.
  return Math.floor((Math.min(now, newest, certainNow) - delays.settle) / MINUTE_MS) * MINUTE_MS;
}

/** Longest time (ms) that the platform is assumed to fall behind between two answers. */
const MOST_BEHIND_MS = FINEST_WINDOW_MS;

/** Settle delay (ms) from which no window contains both a settled bucket and the rows that prove it. */
const LONG_SETTLE_MS = FINEST_WINDOW_MS - 10 * MINUTE_MS;

/**
 * Returns the start of the newest bucket that an answer of the past proves. A node that has fallen behind since the latest answer
 * of the present may lack buckets of other nodes.
 */
function newestProven(
  known: number | undefined,
  { window, now }: WindowedAnswer,
  { last }: Progress,
  settle: number,
): number | undefined {
  if (known === undefined || last === undefined) return known;
  const isTooOld = window.to <= now - MOST_BEHIND_MS;
  return isTooOld || settle >= LONG_SETTLE_MS ? known : Math.min(known, last);
}

/** Returns the start of the bucket that contains a time. @param anchor start of any bucket of the grid */
function bucketAt(time: number, width: number, anchor: number): number {
  return anchor + Math.floor((time - anchor) / width) * width;
}

function openCounters(
  ledger: Ledger,
  { decoded, window, now }: WindowedAnswer,
  { dimensions, progress }: ReadAnswer,
  { counts, certainNow, settledUntil }: LedgerRules & { readonly settledUntil: number },
) {
  const counters = new Map<string, Counter | undefined>();
  for (const [name, { counter }] of ledger.dimensions) counters.set(name, counter);
  const since =
    ledger.since ?? firstBegin(dimensions, progress.newest !== undefined && certainNow >= now, settledUntil);
  for (const [name, { rows, isKnown }] of dimensions) {
    const counter = counters.get(name);
    counters.set(name, counter);
    // A counter whose rows are not usable yet begins with the others, so that their time is not lost.
    if (counter !== undefined || !counts(name) || (isKnown && rows.length === 0)) continue;
    // In a breakdown by value, no time before the first answer with a value is missing.
    const begin = since && (decoded.insteadOf === undefined ? since : Math.max(since, window.from));
    if (begin !== undefined) counters.set(name, newCounter(ledger, counts, begin));
  }
  return { counters, since };
}

/** Returns the start of counting, on the grid of the first dimension; undefined while the platform's time is uncertain. */
function firstBegin(
  dimensions: ReadAnswer['dimensions'],
  isCertain: boolean,
  settledUntil: number,
): number | undefined {
  if (!isCertain) return undefined;
  for (const { rows, width } of dimensions.values())
    if (width !== undefined && rows[0] !== undefined) return bucketAt(settledUntil, width, rows[0].start);
  return undefined;
}

/** Returns a counter that joins others: it begins at their watermark, with the holes that they have not read yet. */
function newCounter({ dimensions }: Ledger, counts: LedgerRules['counts'], since: number): Counter {
  let watermark: number | undefined;
  let holes: Counter['holes'] = [];
  for (const counter of countersIn(dimensions, counts)) {
    if (watermark === undefined) holes = counter.holes.filter((hole) => hole.since === 0);
    watermark = Math.min(watermark ?? counter.watermark, counter.watermark);
  }
  const begin = watermark ?? since;
  return { total: 0, watermark: begin, holes: holes.filter(({ to }) => to <= begin) };
}

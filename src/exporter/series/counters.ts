import { NO_POINTS, type Rejections, reject } from '../decode/points.ts';
import type { Counting, Restatements } from '../poll/job.ts';
import { watchGrowth } from '../settling/completeness.ts';
import { type Delays, type MetricEvidence, nothingShown } from '../settling/learned.ts';
import { freshWindow, MINUTE_MS, type Window } from '../settling/window.ts';
import { newestEnd, newestShown, progressBeyond, reachedBy, reaches, readingOf } from './answer-buckets.ts';
import { answerWidth, withoutUnclear } from './bucket-width.ts';
import { countable, isOutdated, withCountersOf } from './counted-breakdown.ts';
import { type CountedBucket, type Counter, count, hasCounted, noteUnclear } from './counter.ts';
import { narrowerThan, restatedIn, seenAgain } from './seen-buckets.ts';
import {
  type CountersRecord,
  type HasCounter,
  recordOf,
  type SeriesMemory,
  withCheckpoint,
} from './series-memory.ts';
import type { WindowedAnswer } from './series-source.ts';
import { doubtAgain } from './width-doubt.ts';

/** A bucket that the counter of a dimension has taken in. */
export interface SettledBucket extends CountedBucket {
  readonly dimension: string;
}

/** What one answer changes in the counters of a series. */
export interface CounterUpdate extends Counting {
  /** The same object as before where the answer changes nothing that is kept. */
  readonly record: CountersRecord;
  /** Each bucket taken in. */
  readonly settled: readonly SettledBucket[];
}

/** What an answer is counted by, besides the memory of its series. */
export interface CountingRules {
  readonly counts: HasCounter;
  readonly delays: Delays;
  /** What time it was at least, on the platform, when the answer came. */
  readonly certainNow: number;
}

/** An answer, as far as it can be used. */
export interface UnderstoodAnswer {
  /** Without the rows that may be wider buckets than its others. */
  readonly answer: WindowedAnswer;
  /** The width of its buckets (ms); undefined where it is in doubt, and of a coarse read. */
  readonly width: number | undefined;
  /** The rows that cannot be used, by reason: all of them where the width is in doubt. */
  readonly rejected: Rejections;
  /** How far the platform has come (platform ms); undefined where neither this answer nor one before shows it. */
  readonly reached: number | undefined;
}

/** What an answer means for a series. */
export interface CountedAnswer extends UnderstoodAnswer {
  /** What is remembered once what was counted is durable. */
  readonly memory: SeriesMemory;
  /** What is remembered if the state refuses the commit: what the answer shows of the platform, with the counters as before. */
  readonly refused: SeriesMemory;
  /** Undefined where nothing of the answer could be counted. */
  readonly update: CounterUpdate | undefined;
  /** What it shows of the metric, for all its targets. */
  readonly evidence: MetricEvidence;
}

/**
 * The window that brings the newest buckets.
 * @param expected where the newest begins (platform ms), as far as others of the metric show it, while the series itself has none
 */
export function windowOfPresent(
  memory: SeriesMemory,
  now: number,
  horizon: number,
  expected?: number,
): Window {
  const { record, newest = expected, doubt } = memory;
  const { width = MINUTE_MS, progress } = record ?? {};
  const lacking = progress?.lacking ?? [];
  return freshWindow({ now, horizon, width, newest, lacking, doubtful: doubt?.answers ?? 0 });
}

/** How wide the buckets of an answer to a window of an hour or less are, and which of its rows are of that width. */
export function understood(memory: SeriesMemory, answered: WindowedAnswer): UnderstoodAnswer {
  const decoded = withoutUnclear(answered.decoded);
  const answer = decoded === answered.decoded ? answered : { ...answered, decoded };
  const width = answerWidth(decoded, knownWidth(memory));
  if (width !== undefined)
    return { answer, width, rejected: decoded.rejected, reached: reachedBy(answer, width, memory.reached) };
  const rejected = new Map(decoded.rejected);
  for (const { timestamps } of decoded.series.values()) reject(rejected, 'unclear_width', timestamps.length);
  return { answer, width, rejected, reached: undefined };
}

/**
 * What an answer means for the counters of one metric of one target, one for each dimension, and for all else that is
 * remembered of them. Nothing changes before the poll that brought it adopts the memory.
 */
export function countAnswer(
  memory: SeriesMemory,
  answered: UnderstoodAnswer,
  rules: CountingRules,
): CountedAnswer {
  const { counts } = rules;
  const { answer, width } = answered;
  // The next read asks for the present breakdown.
  if (isOutdated(memory, answer.decoded)) return uncounted(answered, memory);
  const { memory: before, leftOut } = withCountersOf(memory, answer.decoded, counts);
  const counted = width === undefined ? undefined : updateOf(before, answer, width, rules);
  if (counted === undefined) return uncounted(answered, withUncounted(memory, answered, counts));
  const update = { ...counted, skipped: counted.skipped + leftOut };
  const seen = withSeen(before, answer, update.record.width, settledBefore(memory, rules.delays.settle));
  const learned = learnedFrom(before, seen, answer, update, rules);
  const { record } = update;
  const checkpoints = withCheckpoint(seen.checkpoints, countersIn(record, counts));
  const refused = { ...learned.refused, record: memory.record };
  return {
    ...answered,
    ...learned,
    refused,
    memory: { ...learned.refused, record, checkpoints },
    update,
  };
}

/** What an answer means of which nothing is counted. */
export function uncounted(answered: UnderstoodAnswer, memory: SeriesMemory): CountedAnswer {
  const { now, mode } = answered.answer;
  const evidence = { ...nothingShown(now), mode };
  return { ...answered, memory, refused: memory, update: undefined, evidence };
}

/**
 * The greatest age at which a bucket was not final yet, since this answer changes it: its age when it was seen last, measured
 * by how far the platform had come then. If the platform was behind at either time, the lesser age counts, since a late
 * platform completes its buckets late. 0 where that is unknown.
 */
function unsettledAt(
  { newest, seen }: SeriesMemory,
  answer: WindowedAnswer,
  width: number,
  ages: readonly number[],
): number {
  const shown = newestShown(answer);
  // Buckets can look changed when their width changes, or beside rows that were rejected.
  const isClear = seen?.width === width && seen.whole === true && answer.decoded.rejected.size === 0;
  if (newest === undefined || shown === undefined || ages.length === 0 || !isClear) return 0;
  return largest(ages) - (answer.now - Math.min(newest, shown, answer.now));
}

function largest(ages: readonly number[]): number {
  return ages.reduce((age, ms) => Math.max(age, ms), 0);
}

/** What an answer shows about restatements and lag, whether or not its buckets could be counted. */
function learnedFrom(
  before: SeriesMemory,
  memory: SeriesMemory,
  answer: WindowedAnswer,
  { record: { width }, restated }: CounterUpdate,
  { delays: { horizon, lag } }: CountingRules,
): Pick<CountedAnswer, 'refused' | 'evidence'> {
  const { now, decoded, mode } = answer;
  const newest = newestEnd(answer, width);
  const ages = restated.flatMap((changes) => changes.ages);
  const downwards = restated.reduce((sum, changes) => sum + changes.downwards, 0);
  const unsettledAge = unsettledAt(before, answer, width, ages);
  const oldestChanged = ages.length > 0 && largest(ages) === largest(restated.map((one) => one.comparedAge));
  const evidence = { now, mode, changes: ages.length, downwards, unsettledAge, oldestChanged };
  if (newest === undefined) {
    return { refused: memory, evidence: { ...evidence, lagMs: undefined, grown: [] } };
  }
  const reached = progressBeyond(newest, width, now, lag);
  const { young, grown } = watchGrowth(
    memory.young,
    { series: decoded.series, width, now: reached },
    horizon,
  );
  return { refused: { ...memory, young }, evidence: { ...evidence, lagMs: now - newest, grown } };
}

/** What an answer changes; undefined before the first count while it has no rows, or the platform's time is uncertain. */
function updateOf(
  memory: SeriesMemory,
  answer: WindowedAnswer,
  width: number,
  { counts, delays: { settle: settleDelay }, certainNow }: CountingRules,
): CounterUpdate | undefined {
  const { record } = memory;
  const { decoded } = answer;
  const reading = readingOf(answer, width, { newest: memory.newest, settleDelay, certainNow });
  const since = record?.since ?? (certainNow < answer.now ? undefined : reading.watermark);
  if (since === undefined) return undefined;
  const counters = openCounters(record, answer, since, counts);
  const series = countable(decoded, counts);
  const settled: SettledBucket[] = [];
  let skipped = 0;
  let isChanged = record?.width !== width || record.counters.size !== counters.size;
  for (const [dimension, known] of counters) {
    // A dimension that is excluded for now continues from its watermark once it is wanted again.
    if (!counts(dimension)) continue;
    const counted = count(known, series.get(dimension) ?? NO_POINTS, reading, {
      unclear: decoded.unclear?.get(dimension),
      before: narrowerThan(width, memory.seen, dimension, settledBefore(memory, settleDelay)),
    });
    if (counted.counter !== known) {
      counters.set(dimension, counted.counter);
      isChanged = true;
    }
    for (const bucket of counted.settled) settled.push({ dimension, ...bucket });
    skipped += counted.skipped;
  }
  return {
    record: isChanged || record === undefined ? recordOf(since, width, counters, counts) : record,
    counted: settled.length,
    skipped,
    restated: restatedBy(memory, answer, width),
    settled,
  };
}

/** Up to where buckets had settled as of the answers before (platform ms). */
function settledBefore({ newest }: SeriesMemory, settleDelay: number): number {
  return (newest ?? Number.NEGATIVE_INFINITY) - settleDelay;
}

/**
 * Whether an answer ends before one that came earlier, as those of a node or a cache that is behind. Its newest buckets are as
 * incomplete as they were then: it restates nothing.
 */
function isBehind({ reached, seen }: SeriesMemory, answer: WindowedAnswer, width: number): boolean {
  const end = newestEnd(answer, width);
  // The first of wider buckets may end before the latest of the narrower ones.
  return seen?.width === width && end !== undefined && reached !== undefined && end < reached;
}

function restatedBy(memory: SeriesMemory, answer: WindowedAnswer, width: number): readonly Restatements[] {
  if (isBehind(memory, answer, width)) return [];
  const { seen, record } = memory;
  return restatedIn(seen, answer, width, (dimension, time) =>
    hasCounted(record?.counters.get(dimension), time),
  );
}

/** The memory with what an answer shows of the platform, whether or not what it changes could be made durable. */
function withSeen(
  memory: SeriesMemory,
  answer: WindowedAnswer,
  width: number,
  settledUntil: number,
): SeriesMemory {
  const doubt = answer.decoded.width === width ? undefined : memory.doubt;
  const reached = reachedBy(answer, width, memory.reached) ?? memory.reached;
  if (!reaches(answer)) return { ...memory, doubt, reached };
  const newest = newestShown(answer);
  const isNews = newest !== undefined && !isBehind(memory, answer, width);
  const seen = isNews ? seenAgain(memory.seen, answer.decoded, width, settledUntil) : memory.seen;
  return { ...memory, doubt, reached, newest, seen };
}

/**
 * The memory after an answer that could not be counted. Further answers may show the width of its buckets; a read of the past
 * is repeated later, with a window that begins at another minute.
 */
function withUncounted(
  memory: SeriesMemory,
  { answer, width }: UnderstoodAnswer,
  counts: HasCounter,
): SeriesMemory {
  const { decoded, window, now } = answer;
  const doubt = width === undefined ? doubtAgain(memory.doubt, decoded, now) : memory.doubt;
  const after = { ...memory, doubt };
  return reaches(answer)
    ? after
    : withEachCounter(after, counts, (counter) => noteUnclear(counter, window, now));
}

/** The memory with each counter that counts changed. */
export function withEachCounter(
  memory: SeriesMemory,
  counts: HasCounter,
  change: (counter: Counter, dimension: string) => Counter,
): SeriesMemory {
  const { record } = memory;
  if (record === undefined) return memory;
  const counters = new Map(record.counters);
  for (const [dimension, counter] of counters) {
    if (counts(dimension)) counters.set(dimension, change(counter, dimension));
  }
  return { ...memory, record: recordOf(record.since, record.width, counters, counts) };
}

/** What is known of the width of a series' buckets. */
export function knownWidth({ record, seen, doubt }: SeriesMemory) {
  return { known: record?.width, seen, doubt };
}

/** The counters that count, of all that a record holds. */
function* countersIn({ counters }: CountersRecord, counts: HasCounter): Generator<Counter> {
  for (const [dimension, counter] of counters) if (counts(dimension)) yield counter;
}

/** The counters, with new ones for dimensions that are seen for the first time. */
function openCounters(
  record: CountersRecord | undefined,
  { decoded, window }: WindowedAnswer,
  since: number,
  counts: HasCounter,
): Map<string, Counter> {
  const counters = new Map(record?.counters);
  // In a breakdown by value, nothing is lacking from before the first value was seen.
  const begin = decoded.insteadOf === undefined ? since : Math.max(since, window.from);
  let opened: Counter | undefined;
  for (const name of decoded.series.keys()) {
    if (counters.has(name) || !counts(name)) continue;
    opened ??= newCounter(record, counts, begin);
    counters.set(name, opened);
  }
  return counters;
}

/** A counter that joins others: it has their watermark, and lacks what they have not read yet. */
function newCounter(record: CountersRecord | undefined, counts: HasCounter, since: number): Counter {
  const watermark = record?.progress.watermark ?? since;
  const [first] = record === undefined ? [] : countersIn(record, counts);
  const missing = (first?.missing ?? []).filter(({ asked, to }) => asked === 0 && to <= watermark);
  return { total: 0, watermark, missing };
}

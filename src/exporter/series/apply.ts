import type { Points, Rejections } from '../decode/points.ts';
import type { Restatements } from '../poll/job.ts';
import { type Growth, growthBetween } from '../settling/completeness.ts';
import { type MetricEvidence, nothingShown } from '../settling/learned.ts';
import { FINEST_WINDOW_MS, type Window } from '../settling/window.ts';
import { isOutdated, withBreakdownOf } from './breakdown.ts';
import { withCheckpoint } from './checkpoints.ts';
import { countAnswer } from './count-answer.ts';
import { type Counter, hasCounted } from './counting.ts';
import { keptPoints } from './kept-points.ts';
import {
  countersIn,
  type DimensionLedger,
  EMPTY_DIMENSION,
  type LatestAnswer,
  type Ledger,
  type LedgerRules,
  progressBeyond,
  type SettledBucket,
  usualWidth,
} from './ledger.ts';
import { type ReadAnswer, type ReadDimension, readAnswer } from './read-answer.ts';
import { lateness, restatements } from './restatements.ts';
import type { WindowedAnswer } from './series-source.ts';

/** Result of applying an answer to a ledger. */
export interface Applied {
  readonly ledger: Ledger;
  /** Points of dimensions with a known bucket width. */
  readonly usable: ReadonlyMap<string, Points>;
  readonly rejected: Rejections;
  readonly settled: readonly SettledBucket[];
  /** Number of buckets that were skipped, since the platform did not deliver them in time. */
  readonly skipped: number;
  readonly restated: readonly Restatements[];
  /** Evidence about the metric, for all its targets. */
  readonly evidence: MetricEvidence;
}

/** Applies an answer to a ledger. Only this function changes a ledger, and it has no other effect. */
export function apply(before: Ledger, answer: WindowedAnswer, rules: LedgerRules): Applied {
  if (isOutdated(before, answer.decoded)) return unchanged(before, answer);
  const { ledger, leftOut } = withBreakdownOf(before, answer.decoded, rules.counts);
  const read = readAnswer(ledger, answer);
  const { usable, rejected, progress } = read;
  const { since, counters, settled, skipped } = countAnswer(ledger, answer, read, rules);
  const oldest = (progress.newest ?? Number.NEGATIVE_INFINITY) - FINEST_WINDOW_MS;
  const recent = recentAfter(read);
  const dimensions = new Map<string, DimensionLedger>();
  for (const [name, counter] of counters) {
    const known = ledger.dimensions.get(name) ?? EMPTY_DIMENSION;
    const one = read.dimensions.get(name);
    const isGone =
      one === undefined && counter === undefined && !(Number(known.recent.timestamps.at(-1)) >= oldest);
    if (!isGone) dimensions.set(name, afterAnswer(known, one, counter, recent.get(name)));
  }
  const restated = progress.isBehind ? [] : restatedIn(ledger, read, answer.now);
  const after = { ...ledger, since, dimensions, reached: progress.reached };
  const { evidence, latest } = evidenceOf(ledger, answer, {
    read,
    restated,
    rules,
    width: usualWidth(after),
  });
  const checkpoints = withCheckpoint(ledger.checkpoints, countersIn(dimensions, rules.counts));
  const newest = progress.reachesPresent ? progress.newest : ledger.newest;
  return {
    ledger: { ...after, newest, latest, checkpoints },
    usable,
    rejected,
    settled,
    skipped: skipped + leftOut,
    restated,
    evidence,
  };
}

function unchanged(ledger: Ledger, { decoded: { rejected }, now, mode }: WindowedAnswer): Applied {
  const evidence = { ...nothingShown(now), mode };
  return { ledger, usable: new Map(), rejected, settled: [], skipped: 0, restated: [], evidence };
}

function restatedIn(ledger: Ledger, { dimensions }: ReadAnswer, now: number): Restatements[] {
  const restated: Restatements[] = [];
  for (const [name, { isKnown, width, usable }] of dimensions) {
    const known = ledger.dimensions.get(name);
    if (!isKnown || width === undefined || known?.width !== width) continue;
    const isCounted = (time: Window) => hasCounted(known.counter, time);
    restated.push(restatements(known.recent, usable, width, now, isCounted));
  }
  return restated;
}

/** Returns the buckets to remember after an answer, by dimension; none if the answer is not newer. */
function recentAfter({ dimensions, progress }: ReadAnswer): ReadonlyMap<string, Points> {
  if (!progress.reachesPresent || progress.isBehind) return new Map();
  const known = [...dimensions].filter(([, { isKnown }]) => isKnown);
  return keptPoints(new Map(known.map(([name, { usable }]) => [name, usable])));
}

/** @param recent buckets to remember; undefined if the answer has no newer buckets of the dimension */
function afterAnswer(
  known: DimensionLedger,
  one: ReadDimension | undefined,
  counter: Counter | undefined,
  recent: Points | undefined,
): DimensionLedger {
  if (one === undefined) return counter === known.counter ? known : { ...known, counter };
  const { width, doubt } = one;
  if (recent === undefined) return { ...known, width: known.width ?? width, doubt, counter };
  return { width, recent, counter, ...(known.pushed !== undefined && { pushed: known.pushed }) };
}

interface Shows {
  readonly read: ReadAnswer;
  readonly restated: readonly Restatements[];
  readonly rules: LedgerRules;
  readonly width: number | undefined;
}

/** Returns an answer's evidence about the platform, and its summary for the next comparison. */
function evidenceOf(
  before: Ledger,
  { now, mode, window }: WindowedAnswer,
  { read, restated, rules, width }: Shows,
): { readonly evidence: MetricEvidence; readonly latest: LatestAnswer | undefined } {
  const { progress, isWhole } = read;
  const { newest, end } = progress;
  const comparable = isWhole && newest !== undefined ? before.latest : undefined;
  const late = lateness(restated, comparable && { ...comparable, now, newestNow: newest ?? now });
  const evidence = { now, mode, ...late, lagMs: end && now - end, grown: [] };
  if (newest === undefined || end === undefined || width === undefined)
    return { evidence, latest: undefined };
  const reached = progressBeyond(end, width, now, rules.delays.lag);
  const grown = progress.isBehind ? [] : grownSince(before, read, width, reached);
  const latest = isWhole ? { from: window.from, newest, reached } : undefined;
  return { evidence: { ...evidence, grown }, latest };
}

/** Returns the growth of buckets since the latest answer, for dimensions of the given width. */
function grownSince(
  { latest, dimensions }: Ledger,
  read: ReadAnswer,
  width: number,
  reachedAfter: number,
): readonly Growth[] {
  if (latest === undefined) return [];
  const before = new Map<string, Points>();
  const after = new Map<string, Points>();
  for (const [name, one] of read.dimensions) {
    const known = dimensions.get(name);
    if (one.width !== width || known?.width !== width) continue;
    before.set(name, known.recent);
    after.set(name, one.usable);
  }
  return growthBetween({ before, after, width, ...latest, reachedBefore: latest.reached, reachedAfter });
}

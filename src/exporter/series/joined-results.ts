import { type Rejections, reject } from '../decode/points.ts';
import type { BucketsRead, Exposure, LearnedEvidence, PollResult } from '../poll/job.ts';
import type { MetricEvidence } from '../settling/learned.ts';
import type { SeriesResult } from './metric-series.ts';

/**
 * Returns the result of a poll of several series: one commit, and the exposures of each series.
 * @param rejected rows of the answer that were dropped before any series processed it
 * @param isRead returns false for a series that is no longer read, and whose samples are not exposed
 */
export function joinedResults(
  results: readonly SeriesResult[],
  rejected: Rejections,
  isRead: (series: SeriesResult['series']) => boolean,
): PollResult & { readonly rejected: Rejections } {
  const dropped: Rejections = new Map(rejected);
  const unknown = new Set<string>();
  let [counted, skipped, isEmpty] = [0, 0, true];
  for (const result of results) {
    for (const [reason, rows] of result.rejected) reject(dropped, reason, rows);
    for (const dimension of result.unknownDimensions ?? []) unknown.add(dimension);
    counted += result.counting.counted;
    skipped += result.counting.skipped;
    isEmpty &&= result.isEmpty;
  }
  const buckets = joinedBuckets(results.flatMap((result) => result.buckets ?? []));
  return {
    outcome: isEmpty ? 'empty' : 'ok',
    rejected: dropped,
    commit: results.flatMap(({ commit }) => commit),
    timed: results.flatMap(({ timed }) => timed),
    memory: results.map(({ memory }) => memory),
    learned: learnedFrom(results),
    counting: { counted, skipped, restated: results.flatMap(({ counting }) => counting.restated) },
    unknownDimensions: [...unknown],
    ...(buckets !== undefined && { buckets }),
    exposures: (committed) =>
      results
        .filter(({ series }) => isRead(series))
        .flatMap(({ series, exposures }) =>
          exposures(committed).map((exposure): Exposure => ({ ...exposure, series })),
        ),
  };
}

/** Returns the joint buckets of all series. The newest bucket is that of the series that lags most. */
function joinedBuckets(read: readonly BucketsRead[]): BucketsRead | undefined {
  if (read.length === 0) return undefined;
  let [dimensions, rows, missing, telling] = [0, 0, 0, 0];
  let width: number | undefined;
  let newestExposed: number | undefined;
  for (const one of read) {
    dimensions += one.dimensions;
    rows += one.rows;
    if (one.missing !== undefined) {
      missing += one.missing;
      telling += 1;
    }
    if (one.width !== undefined) width = Math.max(width ?? 0, one.width);
    if (one.newestExposed !== undefined)
      newestExposed = Math.min(newestExposed ?? Number.POSITIVE_INFINITY, one.newestExposed);
  }
  return { dimensions, rows, width, missing: telling === 0 ? undefined : missing / telling, newestExposed };
}

/** Returns the evidence about each metric, from all series that were read. */
function learnedFrom(results: readonly SeriesResult[]): LearnedEvidence[] {
  const byMetric = new Map<SeriesResult['learned'], MetricEvidence[]>();
  for (const { learned, evidence } of results) {
    const mine = byMetric.get(learned) ?? [];
    byMetric.set(learned, mine);
    mine.push(evidence);
  }
  return [...byMetric].map(([metric, evidence]) => ({ metric, evidence: joinedEvidence(evidence) }));
}

function joinedEvidence(all: readonly MetricEvidence[]): MetricEvidence {
  const [first, ...others] = all;
  if (first === undefined) throw new Error('evidence of nothing');
  if (others.length === 0) return first;
  const lags = all.flatMap(({ lagMs }) => lagMs ?? []);
  const sum = (of: (one: MetricEvidence) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    now: first.now,
    mode: first.mode,
    lagMs: lags.length === 0 ? undefined : lags.reduce((least, lag) => Math.min(least, lag)),
    changes: sum(({ changes }) => changes),
    downwards: sum(({ downwards }) => downwards),
    unsettledAge: all.reduce((most, { unsettledAge }) => Math.max(most, unsettledAge), 0),
    grown: all.flatMap(({ grown }) => grown),
  };
}

import { NO_POINTS, type Points } from '../decode/points.ts';
import type { Delays } from '../settling/learned.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { type Checkpoints, NO_CHECKPOINTS } from './checkpoints.ts';
import type { CountedBucket, Counter } from './counting.ts';
import type { KnownWidth } from './width.ts';

/** Memory of one metric of one target. Only `apply` changes it. Times are platform ms. */
export interface Ledger {
  /** Start of counting; undefined before the first answer of the present. */
  readonly since: number | undefined;
  readonly dimensions: ReadonlyMap<string, DimensionLedger>;
  /** Start of the newest bucket in the latest answer of the present; undefined before one. */
  readonly newest: number | undefined;
  /** End of the newest bucket of any answer; undefined before one. */
  readonly reached: number | undefined;
  /** Summary of the latest answer, for comparison with the next; undefined if it lacked rows. */
  readonly latest: LatestAnswer | undefined;
  readonly checkpoints: Checkpoints;
  readonly shown: Shown;
}

/** Memory of one dimension of a metric. */
export interface DimensionLedger extends KnownWidth {
  /** Buckets of the latest answer of the present. */
  readonly recent: Points;
  /** Counter; undefined for a dimension without one. */
  readonly counter: Counter | undefined;
  readonly pushed?: PushedDimension | undefined;
}

/** Summary of an answer that reached the present and lacked no rows (platform ms). */
export interface LatestAnswer {
  /** Start of its window, and of its newest bucket. */
  readonly from: number;
  readonly newest: number;
  /** End of the platform's data at the time of the answer. */
  readonly reached: number;
}

/** Position and lag of a metric's gauges (platform ms). */
export interface Shown {
  /** End of the bucket in the gauges, and of the bucket in the lower bounds; undefined before one is exposed. */
  readonly until: number | undefined;
  readonly boundUntil: number | undefined;
  /** Lag (ms) of the platform when it delivered the exposed bucket. */
  readonly lag: number;
}

/** Returns true if a dimension has a counter. */
export type HasCounter = (dimension: string) => boolean;

export interface LedgerRules {
  readonly counts: HasCounter;
  readonly delays: Delays;
  /** Time (platform ms) that has certainly passed on the platform. */
  readonly certainNow: number;
}

/** Bucket that the counter of a dimension has added. */
export interface SettledBucket extends CountedBucket {
  readonly dimension: string;
}

/** Ledger before its first answer. */
export const EMPTY_LEDGER: Ledger = {
  since: undefined,
  dimensions: new Map(),
  newest: undefined,
  reached: undefined,
  latest: undefined,
  checkpoints: NO_CHECKPOINTS,
  shown: { until: undefined, boundUntil: undefined, lag: 0 },
};

export const EMPTY_DIMENSION: DimensionLedger = { width: undefined, recent: NO_POINTS, counter: undefined };

/** Push state of one dimension. Times are platform ms. */
export interface PushedDimension {
  readonly counter?: PushedCounter | undefined;
  /** Start of the last bucket that was pushed as a gauge. */
  readonly gauge?: number | undefined;
}

export interface PushedCounter {
  /** Total of the counter when this was written. If it differs from the counter, some counted buckets were not pushed. */
  readonly counted: number;
  /** Pushed sum up to `until`. */
  readonly total: number;
  /** End of the last pushed bucket. */
  readonly until: number;
  /** Counted buckets that wait for earlier ones before they are pushed, ascending. */
  readonly held: PushedBucket[];
}

export type PushedBucket = [start: number, end: number, value: number];

/**
 * Returns the end of the platform's data (platform ms). A wide bucket is delivered only after its end, so the data may extend
 * beyond the newest bucket. It extends by the time since its end minus the usual lag, but at most by a width minus a minute.
 * @param lag usual time (ms) from the end of a bucket to its delivery
 */
export function progressBeyond(newestEnd: number, width: number, now: number, lag: number): number {
  return Math.max(newestEnd, Math.min(now - lag, newestEnd + width - MINUTE_MS));
}

/** Yields the counters of all dimensions that `counts` selects. */
export function* countersIn(dimensions: Ledger['dimensions'], counts: HasCounter): Generator<Counter> {
  for (const [name, { counter }] of dimensions) if (counter !== undefined && counts(name)) yield counter;
}

/** Returns the most frequent bucket width (ms) of the dimensions; undefined before any is known. */
export function usualWidth({ dimensions }: Pick<Ledger, 'dimensions'>): number | undefined {
  const counts = new Map<number, number>();
  let usual: number | undefined;
  for (const { width } of dimensions.values()) {
    if (width === undefined) continue;
    const times = (counts.get(width) ?? 0) + 1;
    counts.set(width, times);
    if (usual === undefined || times > Number(counts.get(usual))) usual = width;
  }
  return usual;
}

/** Returns a ledger with the counters and push state of another. */
export function withCountersOf(ledger: Ledger, { since, dimensions: others }: Ledger): Ledger {
  const dimensions = new Map(
    [...ledger.dimensions].map(([name, known]): [string, DimensionLedger] => {
      const { counter, pushed } = others.get(name) ?? EMPTY_DIMENSION;
      return [name, { ...known, counter, pushed }];
    }),
  );
  return { ...ledger, since, dimensions };
}

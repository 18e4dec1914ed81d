import { NO_POINTS, type Points } from '../decode/points.ts';
import type { Delays } from '../settling/learned.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { type Checkpoints, NO_CHECKPOINTS } from './checkpoints.ts';
import type { CountedBucket, Counter } from './counting.ts';
import type { KnownWidth } from './width.ts';

/** Memory of one metric of one target. Only `apply` changes it. Times are platform ms. */
export interface Ledger {
  /** Start of counting; undefined before the first answer that shows the present. */
  readonly since: number | undefined;
  readonly dimensions: ReadonlyMap<string, DimensionLedger>;
  /** Start of the newest bucket, as of the latest answer that reached the present. */
  readonly newest: number | undefined;
  /** End of the newest bucket of any answer. */
  readonly reached: number | undefined;
  /** The latest answer, to which the next is compared; undefined if it lacked rows. */
  readonly latest: LatestAnswer | undefined;
  readonly checkpoints: Checkpoints;
  readonly shown: Shown;
}

/** Memory of one dimension of a metric. */
export interface DimensionLedger extends KnownWidth {
  /** Buckets of the latest answer of the present. */
  readonly recent: Points;
  /** Undefined for a dimension that is only watched. */
  readonly counter: Counter | undefined;
  readonly pushed?: PushedDimension | undefined;
}

/** Summary of an answer that reached the present and lacked no rows (platform ms). */
export interface LatestAnswer {
  /** Start of its window, and of its newest bucket. */
  readonly from: number;
  readonly newest: number;
  /** Progress of the platform. */
  readonly reached: number;
}

/** Position and lag of a metric's gauges (platform ms). */
export interface Shown {
  /** End of the bucket that the gauges show, and of that of the lower bounds. */
  readonly until: number | undefined;
  readonly boundUntil: number | undefined;
  /** Lateness (ms) of the platform when it gave the bucket shown. */
  readonly lag: number;
}

/** Returns true if a dimension has a counter. */
export type HasCounter = (dimension: string) => boolean;

export interface LedgerRules {
  readonly counts: HasCounter;
  readonly delays: Delays;
  /** Platform's time that is certain to have passed. */
  readonly certainNow: number;
}

/** A bucket that the counter of a dimension has taken in. */
export interface SettledBucket extends CountedBucket {
  readonly dimension: string;
}

/** A ledger before its first answer. */
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

/** Pushed part of one dimension. Times are platform ms. */
export interface PushedDimension {
  readonly counter?: PushedCounter | undefined;
  /** Start of the last bucket pushed as a gauge. */
  readonly gauge?: number | undefined;
}

export interface PushedCounter {
  /** The counter's total when this was written: if it differs, buckets were counted that nobody pushed. */
  readonly counted: number;
  /** Sum up to `until`, as pushed. */
  readonly total: number;
  /** End of the last bucket pushed. */
  readonly until: number;
  /** Buckets counted before others that come earlier, ascending. */
  readonly held: PushedBucket[];
}

export type PushedBucket = [start: number, end: number, value: number];

/**
 * Returns the end of the platform's data (platform ms). A wide bucket is given only when it ends, so the platform is further
 * than the end of its newest: by the time since then less the usual lag, and at most a width less a minute.
 * @param lag how long after its end (ms) a bucket is usually given
 */
export function progressBeyond(newestEnd: number, width: number, now: number, lag: number): number {
  return Math.max(newestEnd, Math.min(now - lag, newestEnd + width - MINUTE_MS));
}

/** Counters that count, of all dimensions. */
export function* countersIn(dimensions: Ledger['dimensions'], counts: HasCounter): Generator<Counter> {
  for (const [name, { counter }] of dimensions) if (counter !== undefined && counts(name)) yield counter;
}

/** Width of most dimensions' buckets (ms); undefined before any is known. */
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

/** Returns a ledger with the counters of another, and what was pushed of them. */
export function withCountersOf(ledger: Ledger, { since, dimensions: others }: Ledger): Ledger {
  const dimensions = new Map(
    [...ledger.dimensions].map(([name, known]): [string, DimensionLedger] => {
      const { counter, pushed } = others.get(name) ?? EMPTY_DIMENSION;
      return [name, { ...known, counter, pushed }];
    }),
  );
  return { ...ledger, since, dimensions };
}

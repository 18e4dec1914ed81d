import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Counter } from './counting.ts';

/** Points at which all counters of a metric had the same watermark (ms since the epoch), with their sum, ascending. */
export type Checkpoints = readonly { readonly watermark: number; readonly sum: number }[];

/** Sum of all counted buckets of a past span, for comparison with the platform's current answer. */
export interface CountedSpan {
  readonly window: Window;
  readonly counted: number;
}

export const NO_CHECKPOINTS: Checkpoints = [];

/** Longest span (ms) over which counters are compared with the platform. */
const SPAN_MS = 60 * MINUTE_MS;

/** Least distance (ms) of checkpoints. */
export const SPACING_MS = 5 * MINUTE_MS;

const KEPT_MS = 4 * SPAN_MS;

/** Adds a checkpoint if all counters have the same watermark and no holes. */
export function withCheckpoint(known: Checkpoints, counters: Iterable<Counter>): Checkpoints {
  const last = known.at(-1);
  let watermark: number | undefined;
  let sum = 0;
  for (const counter of counters) {
    if (counter.holes.length > 0 || (watermark ?? counter.watermark) !== counter.watermark) return known;
    watermark = counter.watermark;
    if (last !== undefined && watermark < last.watermark + SPACING_MS) return known;
    sum += counter.total;
  }
  if (watermark === undefined || watermark % MINUTE_MS !== 0) return known;
  const oldest = watermark - KEPT_MS;
  return [...known.filter((point) => point.watermark >= oldest), { watermark, sum }];
}

/** Returns the newest span that ended by `until`, between half an hour and an hour long; undefined if there is none. */
export function spanBefore(points: Checkpoints, until: number): CountedSpan | undefined {
  const end = points.findLast(({ watermark }) => watermark <= until);
  if (end === undefined) return undefined;
  const start = points.find(({ watermark }) => watermark >= end.watermark - SPAN_MS);
  if (start === undefined || end.watermark - start.watermark < SPAN_MS / 2) return undefined;
  return { window: { from: start.watermark, to: end.watermark }, counted: end.sum - start.sum };
}

import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Counter } from './counting.ts';

/** Moments at which all counters of a metric stood together: their watermark (ms since the epoch) and their sum, ascending. */
export type Checkpoints = readonly { readonly watermark: number; readonly sum: number }[];

/** Sum of all counted buckets of a past span, to be compared with what the platform says of it now. */
export interface CountedSpan {
  readonly window: Window;
  readonly counted: number;
}

export const NO_CHECKPOINTS: Checkpoints = [];

/** Counters are compared with the platform over spans of about an hour. */
const SPAN_MS = 60 * MINUTE_MS;

/** Least distance of checkpoints (ms). */
export const SPACING_MS = 5 * MINUTE_MS;

const KEPT_MS = 4 * SPAN_MS;

/** Adds the sum of the counters, if all have the same watermark and no holes. */
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

/** Returns the newest span of at most an hour that ended by `until`, if it is half an hour long at least. */
export function spanBefore(points: Checkpoints, until: number): CountedSpan | undefined {
  const end = points.findLast(({ watermark }) => watermark <= until);
  if (end === undefined) return undefined;
  const start = points.find(({ watermark }) => watermark >= end.watermark - SPAN_MS);
  if (start === undefined || end.watermark - start.watermark < SPAN_MS / 2) return undefined;
  return { window: { from: start.watermark, to: end.watermark }, counted: end.sum - start.sum };
}

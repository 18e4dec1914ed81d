import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Counter } from './counter.ts';

/** Counters are compared with the platform over spans of about an hour. */
const SPAN_MS = 60 * MINUTE_MS;

/** One checkpoint in so many ms is enough. */
export const SPACING_MS = 5 * MINUTE_MS;

/** How long checkpoints are kept. */
const KEPT_MS = 4 * SPAN_MS;

interface Checkpoint {
  readonly watermark: number;
  readonly sum: number;
}

/** What was counted over a past span, to be compared with what the platform says of it now. */
export interface CountedSpan {
  readonly window: Window;
  /** The sum of all its buckets, over all counted dimensions. */
  readonly counted: number;
}

/** Where the counters stood at some moments in which all had the same watermark and lacked nothing before it. */
export class Checkpoints {
  #points: Checkpoint[] = [];

  note(counters: ReadonlyMap<string, Counter>): void {
    const point = checkpoint(counters);
    const last = this.#points.at(-1);
    if (point === undefined || point.watermark % MINUTE_MS !== 0) return;
    if (last !== undefined && point.watermark < last.watermark + SPACING_MS) return;
    this.#points.push(point);
    this.#points = this.#points.filter(({ watermark }) => watermark >= point.watermark - KEPT_MS);
  }

  /** The newest span of at most an hour that ended at or before `until`, if there is one of half an hour at least. */
  spanBefore(until: number): CountedSpan | undefined {
    const end = this.#points.findLast(({ watermark }) => watermark <= until);
    if (end === undefined) return undefined;
    const start = this.#points.find(({ watermark }) => watermark >= end.watermark - SPAN_MS);
    if (start === undefined || end.watermark - start.watermark < SPAN_MS / 2) return undefined;
    return { window: { from: start.watermark, to: end.watermark }, counted: end.sum - start.sum };
  }
}

function checkpoint(counters: ReadonlyMap<string, Counter>): Checkpoint | undefined {
  let watermark: number | undefined;
  let sum = 0;
  for (const counter of counters.values()) {
    if (counter.missing.length > 0) return undefined;
    if (watermark !== undefined && counter.watermark !== watermark) return undefined;
    watermark = counter.watermark;
    sum += counter.total;
  }
  return watermark === undefined ? undefined : { watermark, sum };
}

import { type AgeFigures, Ages } from './ages.ts';
import { type CountedWindow, WINDOW_MS } from './counted-platform.ts';

/**
 * Returns the number of operations of a window that the exporter may use: the limit minus the reserve and
 * other clients' operations.
 */
export function availableIn(window: CountedWindow, limit: number, reserve: number): number {
  return Math.max(1, limit - Math.ceil(limit * reserve) - window.others);
}

export interface BestOptions {
  readonly jobs: number;
  readonly windows: readonly CountedWindow[];
  readonly limit: number;
  readonly reserve: number;
  readonly start: number;
  readonly from: number;
  readonly until: number;
}

/**
 * Returns the lowest possible ages with the same quota. When a bucket ends, all operations of the minute read
 * the jobs with the oldest buckets at once.
 */
export function bestPossible({ jobs, windows, limit, reserve, start, from, until }: BestOptions): AgeFigures {
  const ages = new Ages(jobs, from, start);
  let next = 0;
  let window = 0;
  let credit = 0;
  for (let minute = Math.ceil(start / WINDOW_MS) * WINDOW_MS; minute < until; minute += WINDOW_MS) {
    while ((windows[window + 1]?.openedAt ?? until) <= minute) window += 1;
    const counted = windows[window];
    credit += counted === undefined ? 0 : availableIn(counted, limit, reserve);
    const served = Math.min(jobs, Math.floor(credit));
    credit = 0;
    for (let turn = 0; turn < served; turn += 1, next = (next + 1) % jobs) ages.renew(next, minute, minute);
  }
  return ages.figures(until);
}

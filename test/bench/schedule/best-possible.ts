import { type AgeFigures, Ages } from './ages.ts';
import { type CountedWindow, WINDOW_MS } from './counted-platform.ts';

/** Operations of each window that were ours to use: the limit, less the reserve, less what others took. */
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
 * The ages that nobody can beat with the same quota: whatever it allows over a minute is spent in no time at the very
 * moment at which a bucket closes, on the jobs whose buckets are the oldest. With a constant quota these are the
 * figures of the closed formula.
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

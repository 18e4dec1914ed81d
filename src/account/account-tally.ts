import type { AccountView } from './view.ts';

/** Totals of the jobs of one collector. */
export interface CollectorTally {
  readonly jobs: number;
  /** Interval between polls relative to the schedule, mean over the jobs that were polled twice; undefined before. */
  readonly stretch: number | undefined;
}

/** An account in numbers, cheap enough to compute for every refresh. */
export interface AccountTally {
  readonly name: string;
  readonly clockSkewMs: number;
  /** Operations that wait, by scope. */
  readonly waiting: ReadonlyMap<string, number>;
  readonly collectors: ReadonlyMap<string, CollectorTally>;
}

interface Sums {
  jobs: number;
  measured: number;
  stretch: number;
}

/** Takes the tally at `now` (local ms). */
export function tallyAccount(
  { name, platform, queue, jobs, forecast }: AccountView,
  now: number,
): AccountTally {
  const sums = new Map<string, Sums>();
  for (const { job, intervalMs } of jobs()) {
    if (job.schedule === undefined) continue;
    const { collector } = job.subject;
    const sum = sums.get(collector) ?? { jobs: 0, measured: 0, stretch: 0 };
    sums.set(collector, sum);
    sum.jobs += 1;
    if (intervalMs === undefined) continue;
    sum.measured += 1;
    sum.stretch += Math.max(1, intervalMs / forecast.periodOf(job.schedule));
  }
  const collectors = [...sums].map(([collector, { jobs, measured, stretch }]) => {
    return [collector, { jobs, stretch: measured === 0 ? undefined : stretch / measured }] as const;
  });
  return {
    name,
    clockSkewMs: platform.platformClock.wallSkewMs,
    waiting: new Map(platform.scopes.all.map((scope) => [scope.name, queue.waiting(now, scope.name)])),
    collectors: new Map(collectors),
  };
}

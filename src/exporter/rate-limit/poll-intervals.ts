import { CronPattern } from '../cron-pattern.ts';
import type { LimitScope, LimitScopes } from './limit-scopes.ts';

/** Properties of work that decide its interval. */
export interface RecurringInterval {
  /** Cron pattern in UTC; undefined for work that only follows other work. */
  readonly schedule: string | undefined;
  /** Group of its operations. */
  readonly group: string;
  /** Weight of its freshness, relative to other work. */
  readonly weight: number;
}

/** Work that performs operations repeatedly. */
export interface RecurringWork extends RecurringInterval {
  /** Returns the expected number of operations per run. */
  cost(): number;
}

/** Demand of the jobs of one limit scope. */
export interface ScopeDemand {
  readonly scope: LimitScope;
  /** Number of jobs with a schedule. */
  readonly jobs: number;
  /** Operations per minute. */
  readonly perMinute: number;
}

/** Intervals (ms) between two polls of a job. */
export interface Intervals {
  /** Interval beside the proven operations of other clients; this is the one displayed. */
  readonly usual: number;
  /** Interval if other clients take more than usual: the upper bound for pacing. */
  readonly careful: number;
  /** Interval by schedules and limit alone. Lateness is measured against it, so that other clients do not excuse old data. */
  readonly planned: number;
}

/** Operations per minute from which each kind of interval is computed. */
const ALLOWED = {
  usual: ({ limiter }: LimitScope) => limiter.perMinute,
  careful: ({ limiter }: LimitScope) => limiter.carefulPerMinute,
  planned: ({ limiter }: LimitScope) => limiter.allowedPerMinute,
} as const;

/** Measured demand of one limit scope, and the level of urgency at which a poll is sent, by kind of interval. */
interface Measured {
  readonly demands: readonly JoinedDemand[];
  readonly levels: Readonly<Record<keyof typeof ALLOWED, number>>;
}

/** Demand of an account's jobs on its quota, and their poll intervals. Schedule, plan and status page share this computation. */
export class PollIntervals {
  readonly #scopes: LimitScopes;
  #alike: readonly Alike[] = [];
  /** Last measurement, by name of the scope. */
  #measured: ReadonlyMap<string, Measured> = new Map();

  constructor(scopes: LimitScopes) {
    this.#scopes = scopes;
  }

  /** Returns the intervals of a job; 0 for work without a schedule that the quota does not stretch. */
  of({ schedule, group, weight }: RecurringInterval): Intervals {
    const periodMs = schedule === undefined ? 0 : periodOf(schedule).longest;
    const levels = this.#measured.get(this.#scopes.of(group).name)?.levels;
    const at = (level = 0) => intervalAt(level, { periodMs, weight });
    return { usual: at(levels?.usual), careful: at(levels?.careful), planned: at(levels?.planned) };
  }

  /** Operations per minute that the schedules require, as last measured. */
  get perMinute(): number {
    return sumOf([...this.#measured.values()].map(({ demands }) => demandPerMinute(demands)));
  }

  /** Mean factor by which intervals exceed the schedules, beside the proven other clients, as last measured. */
  get stretch(): number {
    const all = [...this.#measured.values()].flatMap(({ demands, levels }) =>
      demands.map((demand) => ({ ...demand, stretch: intervalAt(levels.usual, demand) / demand.periodMs })),
    );
    const jobs = sumOf(all.map((one) => one.jobs));
    return jobs === 0 ? 1 : sumOf(all.map((one) => one.jobs * one.stretch)) / jobs;
  }

  /** Returns the demand of the schedules on each limit scope, as last measured. */
  demands(): ScopeDemand[] {
    return this.#scopes.all.flatMap((scope) => {
      const demands = this.#measured.get(scope.name)?.demands;
      if (demands === undefined) return [];
      return [{ scope, jobs: sumOf(demands.map(({ jobs }) => jobs)), perMinute: demandPerMinute(demands) }];
    });
  }

  /** Replaces the jobs, and measures their demand. */
  replace(jobs: readonly RecurringWork[]): void {
    this.#alike = alikeOf(jobs);
    this.measure();
  }

  /** Measures the demand again, since costs, limits and the share of other clients change. */
  measure(): void {
    const joined = new Map<string, JoinedDemand[]>();
    for (const { schedule, group, weight, jobs } of this.#alike) {
      const cost = sumOf(jobs.map((job) => job.cost()));
      const { name } = this.#scopes.of(group);
      const demand = { periodMs: periodOf(schedule).mean, cost, weight, jobs: jobs.length };
      joined.set(name, [...(joined.get(name) ?? []), demand]);
    }
    this.#measured = new Map(
      this.#scopes.all.flatMap((scope) => {
        const demands = joined.get(scope.name);
        return demands === undefined ? [] : [[scope.name, { demands, levels: levelsOf(scope, demands) }]];
      }),
    );
  }
}

function levelsOf(scope: LimitScope, demands: readonly JobDemand[]): Measured['levels'] {
  const at = (kind: keyof typeof ALLOWED) => levelOf(demands, ALLOWED[kind](scope));
  return { usual: at('usual'), careful: at('careful'), planned: at('planned') };
}

/** Jobs that differ at most in cost: an account has thousands of jobs, but few kinds. */
interface Alike {
  readonly schedule: string;
  readonly group: string;
  readonly weight: number;
  readonly jobs: readonly RecurringWork[];
}

/** Joint demand of the jobs of one kind. */
interface JoinedDemand extends JobDemand {
  readonly jobs: number;
}

function alikeOf(work: readonly RecurringWork[]): Alike[] {
  const alike = new Map<string, Alike & { readonly jobs: RecurringWork[] }>();
  for (const job of work) {
    const { schedule, group, weight } = job;
    if (schedule === undefined) continue;
    const key = `${schedule} ${group} ${weight}`;
    const known = alike.get(key) ?? { schedule, group, weight, jobs: [] };
    alike.set(key, known);
    known.jobs.push(job);
  }
  return [...alike.values()];
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

const YEAR_MS = 365 * 24 * 3_600_000;

/** Number of runs that shows every gap of an uneven pattern, such as office hours. */
const RUNS = 64;

/** Time (ms) ahead in which runs are counted. A pattern may match only leap days, or February 30, which never comes. */
const FARTHEST_MS = 100 * YEAR_MS;

/** Times (ms) between the runs of a cron pattern. */
export interface Period {
  /** Mean, which decides the cost. */
  readonly mean: number;
  /** Maximum, which decides the expected age of a value. */
  readonly longest: number;
}

/** Periods by pattern, shared by all accounts, since each takes milliseconds to compute. */
const periods = new Map<string, Period>();

/** Returns the period of a cron pattern, computed at the first call. */
export function periodOf(pattern: string): Period {
  const known = periods.get(pattern) ?? periodFromNow(pattern);
  periods.set(pattern, known);
  return known;
}

function periodFromNow(pattern: string): Period {
  const now = Date.now();
  const runs: number[] = [];
  for (const run of new CronPattern(pattern).within(now, now + FARTHEST_MS)) {
    if (runs.push(run) === RUNS) break;
  }
  const gaps = runs.slice(1).map((run, index) => run - (runs[index] ?? run));
  // A pattern with a single run left has no gap, and counts as yearly.
  if (gaps.length === 0) return { mean: YEAR_MS, longest: YEAR_MS };
  return { mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, longest: Math.max(...gaps) };
}

/** Demand of one job on the quota. */
export interface JobDemand {
  /** Scheduled time (ms) between its polls. */
  readonly periodMs: number;
  /** Operations per poll. */
  readonly cost: number;
  readonly weight: number;
}

/** Returns the operations per minute that these jobs require. */
export function demandPerMinute(demands: readonly JobDemand[]): number {
  return demands.reduce((sum, { cost, periodMs }) => sum + (cost / periodMs) * 60_000, 0);
}

/** Returns the interval (ms) of a job that is scheduled every `periodMs`, if polls are sent at this level of urgency. */
function intervalAt(level: number, { periodMs, weight }: Omit<JobDemand, 'cost'>): number {
  return Math.max(periodMs, level / weight);
}

/** Returns true if a demand fits the allowance, both in operations per minute. It tolerates the rounding of sums. */
export function fits(demand: number, allowance: number): boolean {
  return demand <= allowance * (1 + 1e-9);
}

/**
 * Returns the interval (ms) of each job if all together may perform `perMinute` operations: its period, or level / weight if that
 * is longer.
 */
export function expectedIntervals(demands: readonly JobDemand[], perMinute: number): number[] {
  const level = levelOf(demands, perMinute);
  return demands.map((demand) => intervalAt(level, demand));
}

/**
 * Returns the urgency (weight times ms) at which a job is polled; 0 if all demands fit. The most urgent job goes first, and
 * urgency is weight times age. So jobs that miss their schedule settle at intervals of level / weight, and the others retain their
 * period. The level is where the operations add up to the allowance.
 */
function levelOf(demands: readonly JobDemand[], perMinute: number): number {
  if (fits(demandPerMinute(demands), perMinute)) return 0;
  const used = (level: number) =>
    demands.reduce((sum, demand) => sum + (demand.cost / intervalAt(level, demand)) * 60_000, 0);
  let low = 0;
  let high = 60_000;
  while (used(high) > perMinute) high *= 2;
  // Fifty halvings compute the level to within a nanosecond.
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (used(middle) > perMinute) low = middle;
    else high = middle;
  }
  return high;
}

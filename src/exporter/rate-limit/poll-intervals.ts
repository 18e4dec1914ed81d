import { CronPattern } from '../cron-pattern.ts';
import type { LimitScope, LimitScopes } from './limit-scopes.ts';

/** Decides at which interval work is done. */
export interface RecurringInterval {
  /** A cron pattern in UTC; undefined for work that only follows other work. */
  readonly schedule: string | undefined;
  /** The group of operations that it performs. */
  readonly group: string;
  /** Weight of its freshness, relative to the others. */
  readonly weight: number;
}

/** Work that asks for operations again and again. */
export interface RecurringWork extends RecurringInterval {
  /** Operations each time, as far as is known. */
  cost(): number;
}

/** Demand of the jobs of one limit scope. */
export interface ScopeDemand {
  readonly scope: LimitScope;
  /** On a schedule of their own. */
  readonly jobs: number;
  /** Operations per minute. */
  readonly perMinute: number;
}

/** Between two polls of a job (ms). */
export interface Intervals {
  /** By what is proven of other clients. Users see it. */
  readonly usual: number;
  /** On a day when other clients take more than usual: pacing must not exceed it. */
  readonly careful: number;
  /** By schedules and limit alone. Lateness is judged by it, so that other clients are no excuse for old data. */
  readonly planned: number;
}

/** Operations per minute that each kind of interval is computed for. */
const ALLOWED = {
  usual: ({ limiter }: LimitScope) => limiter.perMinute,
  careful: ({ limiter }: LimitScope) => limiter.carefulPerMinute,
  planned: ({ limiter }: LimitScope) => limiter.allowedPerMinute,
} as const;

/** Demand of one limit scope as it was measured, and the level of urgency at which turns come, by kind of interval. */
interface Measured {
  readonly demands: readonly JoinedDemand[];
  readonly levels: Readonly<Record<keyof typeof ALLOWED, number>>;
}

/** Demand of an account's jobs on its quota, and the intervals at which they are polled: one computation for schedule, plan and page. */
export class PollIntervals {
  readonly #scopes: LimitScopes;
  #alike: readonly Alike[] = [];
  /** By the name of the scope. */
  #measured: ReadonlyMap<string, Measured> = new Map();

  constructor(scopes: LimitScopes) {
    this.#scopes = scopes;
  }

  /** Returns how often a job is polled; 0 for work without a schedule where the quota does not stretch it. */
  of({ schedule, group, weight }: RecurringInterval): Intervals {
    const periodMs = schedule === undefined ? 0 : periodOf(schedule).longest;
    const levels = this.#measured.get(this.#scopes.of(group).name)?.levels;
    const at = (level = 0) => intervalAt(level, { periodMs, weight });
    return { usual: at(levels?.usual), careful: at(levels?.careful), planned: at(levels?.planned) };
  }

  /** Operations per minute that the schedules asked for when it was measured last. */
  get perMinute(): number {
    return sumOf([...this.#measured.values()].map(({ demands }) => demandPerMinute(demands)));
  }

  /** Mean factor by which intervals are longer than scheduled, by what is proven of other clients, when it was measured last. */
  get stretch(): number {
    const all = [...this.#measured.values()].flatMap(({ demands, levels }) =>
      demands.map((demand) => ({ ...demand, stretch: intervalAt(levels.usual, demand) / demand.periodMs })),
    );
    const jobs = sumOf(all.map((one) => one.jobs));
    return jobs === 0 ? 1 : sumOf(all.map((one) => one.jobs * one.stretch)) / jobs;
  }

  /** Returns what the schedules asked of each scope that they draw on, when it was measured last. */
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

  /** Measures the demand again: costs, limits and the share of other clients change. */
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

/** Demand of jobs of one kind together. */
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

/** Enough runs to see every gap of a pattern that is not even, such as office hours. */
const RUNS = 64;

/** Time (ms) ahead in which runs are counted: a pattern may name leap days alone, or February 30, which never comes. */
const FARTHEST_MS = 100 * YEAR_MS;

/** Distances (ms) of the runs of a cron pattern. */
export interface Period {
  /** Mean: decides the cost. */
  readonly mean: number;
  /** Maximum: a value may rest for this time. */
  readonly longest: number;
}

/** Periods by pattern, for all accounts: working one out takes milliseconds. */
const periods = new Map<string, Period>();

/** Returns the period of a cron pattern, as of when it was asked for first. */
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
  // A pattern with a single run left has no gap: it is as rare as can be.
  if (gaps.length === 0) return { mean: YEAR_MS, longest: YEAR_MS };
  return { mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, longest: Math.max(...gaps) };
}

/** Demand of one job on the quota. */
export interface JobDemand {
  /** Milliseconds between its polls as scheduled. */
  readonly periodMs: number;
  /** Operations per poll. */
  readonly cost: number;
  readonly weight: number;
}

/** Returns the operations per minute that these jobs ask for. */
export function demandPerMinute(demands: readonly JobDemand[]): number {
  return demands.reduce((sum, { cost, periodMs }) => sum + (cost / periodMs) * 60_000, 0);
}

/** Returns the interval (ms) of a job that is scheduled every `periodMs`, where its turn comes at a level of urgency. */
function intervalAt(level: number, { periodMs, weight }: Omit<JobDemand, 'cost'>): number {
  return Math.max(periodMs, level / weight);
}

/** Returns true if a demand fits what is allowed, both in operations per minute; a sum of shares is not exact. */
export function fits(demand: number, allowance: number): boolean {
  return demand <= allowance * (1 + 1e-9);
}

/**
 * Returns the interval (ms) at which each job is really polled when together they may perform `perMinute` operations: its
 * period, or level / weight where that is longer.
 */
export function expectedIntervals(demands: readonly JobDemand[], perMinute: number): number[] {
  const level = levelOf(demands, perMinute);
  return demands.map((demand) => intervalAt(level, demand));
}

/**
 * Returns the urgency (weight times ms) at which a job's turn comes; 0 when everything fits.
 *
 * The most urgent job goes first, and urgency is weight times age: so all jobs that do not get their schedule settle
 * at intervals inversely proportional to their weights, level / weight, and the others keep their period. This finds
 * the level at which the operations add up to what is allowed.
 */
function levelOf(demands: readonly JobDemand[], perMinute: number): number {
  if (fits(demandPerMinute(demands), perMinute)) return 0;
  const used = (level: number) =>
    demands.reduce((sum, demand) => sum + (demand.cost / intervalAt(level, demand)) * 60_000, 0);
  let low = 0;
  let high = 60_000;
  while (used(high) > perMinute) high *= 2;
  // Fifty halvings bring the level to within a nanosecond.
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (used(middle) > perMinute) low = middle;
    else high = middle;
  }
  return high;
}

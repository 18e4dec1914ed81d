import { demandPerMinute, expectedIntervals, fits } from '../rate-limit/demand.ts';
import type { ExpectedJob, ScopeLimit } from './expected-job.ts';
import type { PlannedJob } from './planned-job.ts';
import { type PlanRow, planRows } from './row.ts';
import { type Stretch, stretches } from './stretch.ts';
import { suggestions } from './suggestions.ts';

/** What the plan asks of one limit scope. Operations are per minute. */
export interface ScopePlan {
  readonly scope: string;
  readonly limit: number;
  readonly limit_named_by: ScopeLimit['namedBy'];
  readonly reserve: number;
  readonly allowance: number;
  /** What the schedules ask for. */
  readonly demand: number;
  /** What will be performed: the demand, or the allowance where the demand is greater. */
  readonly operations: number;
  /** Demand by limit. */
  readonly share_of_limit: number;
  readonly fits: boolean;
}

/** What an account's configuration asks of its platform, and what comes of it. */
export interface AccountPlan {
  readonly account: string;
  readonly api_url: string;
  readonly fits: boolean;
  readonly scopes: readonly ScopePlan[];
  readonly rows: readonly PlanRow[];
  /** How many products could be listed. */
  readonly listed_products: number;
  /** Products that are to be read and whose configurations cannot be listed: little or nothing of them is in the plan. */
  readonly unlisted_products: readonly string[];
  /** Which intervals are longer than scheduled; empty when it fits. */
  readonly gives: readonly Stretch[];
  /** What would make it fit, each by itself, in plain words. */
  readonly suggestions: readonly string[];
  /** What the plan could not find out or takes for granted. */
  readonly notes: readonly string[];
}

export interface PlanFacts {
  readonly account: string;
  readonly apiUrl: string;
  readonly jobs: readonly PlannedJob[];
  readonly limitOf: (group: string) => ScopeLimit;
  /** Age (ms) at which a bucket is shown. */
  readonly publishDelayMs: number;
  readonly notes: readonly string[];
  /** How many products could be listed, and which could not. */
  readonly listed: number;
  readonly unlisted: readonly string[];
}

/** Computes the plan of an account; nothing is asked and nothing waits. */
export function planAccount({
  account,
  apiUrl,
  jobs,
  limitOf,
  publishDelayMs,
  notes,
  listed,
  unlisted,
}: PlanFacts): AccountPlan {
  const limits = new Map(jobs.map(({ group }) => limitOf(group)).map((limit) => [limit.name, limit]));
  const planned = [...limits.values()].map((limit) => {
    const mine = jobs.filter(({ group }) => limitOf(group).name === limit.name);
    return { scope: planScope(mine, limit), limit, jobs: expectedJobs(mine, limit) };
  });
  return {
    account,
    api_url: apiUrl,
    fits: planned.every(({ scope }) => scope.fits),
    scopes: planned.map(({ scope }) => scope),
    rows: planned.flatMap(({ jobs, limit }) => planRows(jobs, limit, publishDelayMs)),
    listed_products: listed,
    unlisted_products: unlisted,
    gives: planned.flatMap(({ jobs }) => stretches(jobs)),
    suggestions: planned.flatMap(({ jobs, scope, limit }) => (scope.fits ? [] : suggestions(jobs, limit))),
    notes,
  };
}

function expectedJobs(jobs: readonly PlannedJob[], { name, allowance }: ScopeLimit): ExpectedJob[] {
  const intervals = expectedIntervals(jobs, allowance);
  return jobs.map((job, index) => ({ ...job, scope: name, intervalMs: intervals[index] ?? job.periodMs }));
}

function planScope(jobs: readonly PlannedJob[], limit: ScopeLimit): ScopePlan {
  const demand = demandPerMinute(jobs);
  return {
    scope: limit.name,
    limit: limit.limit,
    limit_named_by: limit.namedBy,
    reserve: limit.reserve,
    allowance: limit.allowance,
    demand,
    operations: Math.min(demand, limit.allowance),
    share_of_limit: demand / limit.limit,
    fits: fits(demand, limit.allowance),
  };
}

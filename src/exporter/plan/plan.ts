import type { Listing } from '../account/account-targets.ts';
import { PRODUCTS } from '../catalogue/products.ts';
import type { Account } from '../configuration/schema.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import { demandPerMinute, expectedIntervals, fits } from '../rate-limit/demand-forecast.ts';
import type { LimitScope, LimitScopes } from '../rate-limit/limit-scopes.ts';
import { USUAL_PUBLISH_MS } from '../settling/learned.ts';
import { wantedDimensions } from '../targets/target.ts';
import { type ExpectedJob, type PlannedJob, plannedJobs, type ScopeLimit } from './planned-job.ts';
import { type PlanRow, planRows, type Stretch, stretches } from './rows.ts';
import { suggestions } from './suggestions.ts';
import type { Finding } from './survey.ts';

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

/** What was found out about an account. */
export interface SurveyedAccount {
  readonly account: Account;
  readonly jobs: readonly Job[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly listings: readonly Listing[];
  readonly scopes: LimitScopes;
}

/** The plan of an account that was surveyed, with the limits that its answers have named. */
export function planOf({ account, jobs, findings, notes, listings, scopes }: SurveyedAccount): AccountPlan {
  const { reserve } = account.quota;
  const publishDelayMs = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
  const planned = plannedJobs(jobs, findings, wanting(account));
  return {
    account: account.name,
    api_url: account.api_url,
    ...planWithin(planned, (group) => limitOf(scopes.of(group), reserve), publishDelayMs),
    listed_products: listings.filter(({ listed }) => listed).length,
    unlisted_products: unlistedProducts(listings),
    notes,
  };
}

/** The products whose configurations cannot be listed, as `api slug`. */
export function unlistedProducts(listings: readonly Listing[]): readonly string[] {
  return listings.filter(({ listed }) => !listed).map(({ product: { api, slug } }) => `${api} ${slug}`);
}

function limitOf({ name, limiter }: LimitScope, reserve: number): ScopeLimit {
  const namedBy = limiter.limit === undefined ? 'assumption' : 'platform';
  return { name, limit: limiter.limitInUse, namedBy, reserve, allowance: limiter.allowance };
}

/** Whether a dimension of a product's metric is configured. */
function wanting({ collectors }: Account): (subject: JobSubject, dimension: string) => boolean {
  const matchers = new Map(
    PRODUCTS.flatMap(({ api, slug }) => {
      const settings = collectors[api]?.products[slug];
      return settings === undefined
        ? []
        : [[`${api} ${slug}` as string, wantedDimensions(settings.dimensions)] as const];
    }),
  );
  return ({ collector, product }, dimension) => matchers.get(`${collector} ${product}`)?.(dimension) ?? true;
}

/**
 * What jobs ask of the limits that they draw on, and what comes of it; nothing is asked and nothing waits.
 * @param publishDelayMs age (ms) at which a bucket is shown
 */
export function planWithin(
  jobs: readonly PlannedJob[],
  limitOf: (group: string) => ScopeLimit,
  publishDelayMs: number,
): Pick<AccountPlan, 'fits' | 'scopes' | 'rows' | 'gives' | 'suggestions'> {
  const limits = new Map(jobs.map(({ group }) => limitOf(group)).map((limit) => [limit.name, limit]));
  const planned = [...limits.values()].map((limit) => {
    const mine = jobs.filter(({ group }) => limitOf(group).name === limit.name);
    return { scope: planScope(mine, limit), limit, jobs: expectedJobs(mine, limit) };
  });
  return {
    fits: planned.every(({ scope }) => scope.fits),
    scopes: planned.map(({ scope }) => scope),
    rows: planned.flatMap(({ jobs, limit }) => planRows(jobs, limit, publishDelayMs)),
    gives: planned.flatMap(({ jobs }) => stretches(jobs)),
    suggestions: planned.flatMap(({ jobs, scope, limit }) => (scope.fits ? [] : suggestions(jobs, limit))),
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

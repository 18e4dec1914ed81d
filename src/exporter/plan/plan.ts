import type { Listing } from '../account/account-targets.ts';
import { shardText } from '../cluster/shard.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { groupedBy } from '../grouped-by.ts';
import type { Job } from '../poll/job.ts';
import type { LimitScope, LimitScopes } from '../rate-limit/limit-scopes.ts';
import { demandPerMinute, expectedIntervals, fits } from '../rate-limit/poll-intervals.ts';
import { USUAL_PUBLISH_MS } from '../settling/learned.ts';
import { type ExpectedJob, type PlannedJob, partKey, plannedJobs, type ScopeLimit } from './demand.ts';
import { suggestions } from './suggestions.ts';
import type { Finding } from './survey.ts';

/** One part of the plan: a product of a collector, or a collector of settings. */
export type PlanRow = ReturnType<typeof planRow>;

function planRow(part: readonly ExpectedJob[], { scope, limit }: ScopeLimit, publishDelayMs: number) {
  const subject = part[0]?.subject;
  const demand = demandPerMinute(part);
  const intervals = rangeOf(part.map(({ intervalMs }) => intervalMs / 1_000));
  const buckets = part.flatMap(({ bucketMs }) => bucketMs ?? []);
  const counts = part.map(({ series }) => series);
  return {
    collector: subject?.collector ?? '',
    product: subject?.collector === 'discovery' ? null : (subject?.product ?? null),
    scope,
    jobs: part.length,
    /** Operations per minute that the schedules require, and those that will be performed. */
    demand,
    operations: part.reduce((sum, { cost, intervalMs }) => sum + (cost / intervalMs) * 60_000, 0),
    share_of_limit: demand / limit,
    /** Number of series; null if it is not known. */
    series: counts.includes(undefined)
      ? null
      : Math.round(counts.reduce<number>((sum, n) => sum + (n ?? 0), 0)),
    scheduled_seconds: rangeOf(part.map(({ periodMs }) => periodMs / 1_000)),
    interval_seconds: intervals,
    /** Greatest age (s) of the newest exposed bucket, from its start; null without buckets. */
    age_seconds: buckets.length === 0 ? null : (publishDelayMs + rangeOf(buckets)[1]) / 1_000 + intervals[1],
  };
}

function rangeOf(values: readonly number[]): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

/** Jobs whose intervals are stretched by the same factor. */
export type Stretch = ReturnType<typeof stretches>[number];

/** Returns the intervals that are longer than scheduled, the shortest first. */
function stretches(jobs: readonly ExpectedJob[]) {
  const alike = new Map<string, { job: ExpectedJob; metrics: Set<string> }>();
  for (const job of jobs) {
    // Reconciliation runs only with spare quota.
    if (job.subject.collector === 'reconciliation') continue;
    // A stretch below a tenth of a percent is rounding.
    if (job.intervalMs < job.periodMs * 1.001) continue;
    const { collector, product } = job.subject;
    const key = JSON.stringify([collector, product, job.periodMs, Math.round(job.intervalMs)]);
    const known = alike.get(key) ?? { job, metrics: new Set() };
    alike.set(key, known);
    if (job.subject.metric !== undefined) known.metrics.add(job.subject.metric);
  }
  const found = [...alike.values()].map(({ job, metrics }) => ({
    collector: job.subject.collector,
    product: job.subject.product ?? null,
    metrics: [...metrics],
    scheduled_seconds: job.periodMs / 1_000,
    interval_seconds: job.intervalMs / 1_000,
  }));
  return found.sort((a, b) => a.interval_seconds - b.interval_seconds);
}

/** Demand of the plan on one limit scope. Operations are per minute. */
export type ScopePlan = ReturnType<typeof planScope>;

/** Demand of an account's configuration on its platform, and the resulting intervals. */
export type AccountPlan = ReturnType<typeof planOf>;

interface SurveyedAccount {
  readonly account: AccountConfig;
  readonly jobs: readonly Job[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly listings: readonly Listing[];
  readonly scopes: LimitScopes;
}

/** Returns the plan of a surveyed account, with the limits that its answers have named. */
export function planOf({ account, jobs, findings, notes, listings, scopes }: SurveyedAccount) {
  const { reserve } = account.quota;
  const publishDelayMs = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
  const planned = plannedJobs(account, jobs, findings);
  return {
    account: account.name,
    api_url: account.api_url,
    ...planWithin(planned, (group) => limitOf(scopes.of(group), reserve), publishDelayMs),
    listed_products: listings.filter(({ listed }) => listed).length,
    /** Products whose configurations could not be listed, so that the plan lacks most of their jobs. */
    unlisted_products: unlistedProducts(listings),
    /** Unknowns and assumptions of the plan. */
    notes: [...(account.shard === undefined ? [] : [shardText(account.shard)]), ...notes],
  };
}

/** Returns the products whose configurations cannot be listed, as `api slug`. */
function unlistedProducts(listings: readonly Listing[]): readonly string[] {
  return listings.filter(({ listed }) => !listed).map(({ product: { api, slug } }) => `${api} ${slug}`);
}

function limitOf({ name, limiter }: LimitScope, reserve: number): ScopeLimit {
  const limit_named_by = limiter.limit === undefined ? 'assumption' : 'platform';
  return { scope: name, limit: limiter.limitInUse, limit_named_by, reserve, allowance: limiter.allowance };
}

/**
 * Returns the demand of jobs on their limits, and the resulting intervals.
 * @param publishDelayMs age (ms) at which a bucket is exposed
 */
export function planWithin(
  jobs: readonly PlannedJob[],
  limitOf: (group: string) => ScopeLimit,
  publishDelayMs: number,
) {
  const limits = new Map(jobs.map(({ group }) => limitOf(group)).map((limit) => [limit.scope, limit]));
  const planned = [...limits.values()].map((limit) => {
    const mine = jobs.filter(({ group }) => limitOf(group).scope === limit.scope);
    return { scope: planScope(mine, limit), jobs: expectedJobs(mine, limit) };
  });
  return {
    fits: planned.every(({ scope }) => scope.fits),
    scopes: planned.map(({ scope }) => scope),
    rows: planned.flatMap(({ jobs, scope }) =>
      [...groupedBy(jobs, partKey).values()].map((part) => planRow(part, scope, publishDelayMs)),
    ),
    /** Intervals that are longer than scheduled; empty if the demand fits. */
    gives: planned.flatMap(({ jobs }) => stretches(jobs)),
    /** Changes, each of which alone would make the demand fit, as sentences. */
    suggestions: planned.flatMap(({ jobs, scope }) => suggestions(jobs, scope)),
  };
}

function expectedJobs(jobs: readonly PlannedJob[], { scope, allowance }: ScopeLimit): ExpectedJob[] {
  const intervals = expectedIntervals(jobs, allowance);
  return jobs.map((job, index) => ({ ...job, scope, intervalMs: intervals[index] ?? job.periodMs }));
}

function planScope(jobs: readonly PlannedJob[], limit: ScopeLimit) {
  const demand = demandPerMinute(jobs);
  return {
    ...limit,
    demand,
    /** Operations that will be performed. */
    operations: Math.min(demand, limit.allowance),
    share_of_limit: demand / limit.limit,
    fits: fits(demand, limit.allowance),
  };
}

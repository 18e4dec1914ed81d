import type { Listing } from '../account/account-targets.ts';
import { BY_VALUE, PRODUCTS, TOP_VALUES } from '../catalogue/products.ts';
import { shardText } from '../cluster/shard.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import { demandPerMinute, expectedIntervals, fits } from '../rate-limit/demand-forecast.ts';
import type { LimitScope, LimitScopes } from '../rate-limit/limit-scopes.ts';
import { everyDimension, wantedBy } from '../series/series-source.ts';
import { USUAL_PUBLISH_MS } from '../settling/learned.ts';
import { duration } from '../text/duration.ts';
import { plainNumber } from '../text/numbers.ts';
import {
  type ExpectedJob,
  groupedBy,
  type PlannedJob,
  partKey,
  plannedJobs,
  planRows,
  type ScopeLimit,
  stretches,
} from './planned-job.ts';
import type { Finding } from './survey.ts';

/** What the plan asks of one limit scope. Operations are per minute. */
export type ScopePlan = ReturnType<typeof planScope>;

/** What an account's configuration asks of its platform, and what comes of it. */
export type AccountPlan = ReturnType<typeof planOf>;

interface SurveyedAccount {
  readonly account: AccountConfig;
  readonly jobs: readonly Job[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly listings: readonly Listing[];
  readonly scopes: LimitScopes;
}

/** The plan of an account that was surveyed, with the limits that its answers have named. */
export function planOf({ account, jobs, findings, notes, listings, scopes }: SurveyedAccount) {
  const { reserve } = account.quota;
  const publishDelayMs = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
  const planned = plannedJobs(jobs, findings, seriesOf(account));
  return {
    account: account.name,
    api_url: account.api_url,
    ...planWithin(planned, (group) => limitOf(scopes.of(group), reserve), publishDelayMs),
    listed_products: listings.filter(({ listed }) => listed).length,
    /** Of these little or nothing is in the plan. */
    unlisted_products: unlistedProducts(listings),
    /** What the plan could not find out or takes for granted. */
    notes: [...(account.shard === undefined ? [] : [shardText(account.shard)]), ...notes],
  };
}

/** The products whose configurations cannot be listed, as `api slug`. */
export function unlistedProducts(listings: readonly Listing[]): readonly string[] {
  return listings.filter(({ listed }) => !listed).map(({ product: { api, slug } }) => `${api} ${slug}`);
}

function limitOf({ name, limiter }: LimitScope, reserve: number): ScopeLimit {
  const limit_named_by = limiter.limit === undefined ? 'assumption' : 'platform';
  return { scope: name, limit: limiter.limitInUse, limit_named_by, reserve, allowance: limiter.allowance };
}

/** How many series a dimension of a product's metric has: none where it is not configured. */
function seriesOf({ collectors }: AccountConfig): (subject: JobSubject, dimension: string) => number {
  const counts = new Map(
    PRODUCTS.flatMap(({ api, slug }) => {
      const settings = collectors[api]?.products[slug];
      if (settings === undefined) return [];
      const { dimensions, top = TOP_VALUES } = settings;
      return [[`${api} ${slug}` as string, { wants: wantedBy(dimensions), top }] as const];
    }),
  );
  return ({ collector, product, metric = '' }, dimension) => {
    const { wants = everyDimension, top = TOP_VALUES } = counts.get(`${collector} ${product}`) ?? {};
    if (!wants(dimension)) return 0;
    return Object.hasOwn(BY_VALUE, metric) ? top + 1 : 1;
  };
}

/** What jobs ask of their limits, and what comes of it. @param publishDelayMs age (ms) at which a bucket is shown */
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
    rows: planned.flatMap(({ jobs, scope }) => planRows(jobs, scope, publishDelayMs)),
    /** Which intervals are longer than scheduled; empty when it fits. */
    gives: planned.flatMap(({ jobs }) => stretches(jobs)),
    /** What would make it fit, each by itself, in plain words. */
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
    /** What will be performed. */
    operations: Math.min(demand, limit.allowance),
    share_of_limit: demand / limit.limit,
    fits: fits(demand, limit.allowance),
  };
}

/** What is too much, and where most of it comes from. */
interface Excess {
  /** Operations per minute over what is allowed. */
  readonly over: number;
  /** The jobs of the part that asks for most. */
  readonly part: readonly ExpectedJob[];
  /** Its place in the configuration. */
  readonly place: string;
}

/** What would make the jobs of a scope fit, each by itself, in plain words. Empty when they do. */
export function suggestions(jobs: readonly ExpectedJob[], limit: ScopeLimit): string[] {
  const demand = demandPerMinute(jobs);
  if (fits(demand, limit.allowance)) return [];
  const over = demand - limit.allowance;
  const product = greatest(jobs, partKey);
  const collector = greatest(jobs, ({ subject }) => subject.collector);
  const inProduct = { over, part: product, place: placeOf(product) };
  const inCollector = { over, part: collector, place: `collectors.${collector[0]?.subject.collector}` };
  const found = [
    longerSchedule(inProduct) ?? longerSchedule(inCollector) ?? everythingLonger(demand, limit.allowance),
    fewerMetrics(inProduct),
    fewerConfigurations(inProduct),
    wholeProduct(inProduct),
    moreQuota(demand, limit),
  ];
  return found.filter((text) => text !== undefined);
}

function greatest(jobs: readonly ExpectedJob[], keyOf: (job: ExpectedJob) => string): readonly ExpectedJob[] {
  const parts = [...groupedBy(jobs, keyOf).values()];
  return parts.reduce((most, part) => (demandPerMinute(part) > demandPerMinute(most) ? part : most), []);
}

function placeOf([first]: readonly ExpectedJob[]): string {
  const { collector = '', product } = first?.subject ?? {};
  if (collector === 'discovery') return 'discovery';
  return product === undefined || first?.subject.metric === undefined
    ? `collectors.${collector}`
    : `collectors.${collector}.products.${product}`;
}

/** Whole minutes that divide the hour, so that a cron pattern can say them. */
const EVEN_MINUTES = [2, 3, 4, 5, 6, 10, 12, 15, 20, 30];

function longerSchedule({ over, part, place }: Excess): string | undefined {
  const demand = demandPerMinute(part);
  const cost = part.reduce((sum, job) => sum + job.cost, 0);
  const minutes = EVEN_MINUTES.find((every) => demand - cost / every >= over);
  if (minutes === undefined) return undefined;
  const key = place === 'discovery' ? place : `${place}.schedule`;
  return `a longer schedule: ${key}: "*/${minutes} * * * *" saves ${plainNumber(demand - cost / minutes)} operations per minute`;
}

function fewerMetrics({ over, part, place }: Excess): string | undefined {
  const byMetric = groupedBy(part, ({ subject }) => subject.metric ?? '');
  const leastFirst = [...byMetric].sort(([, a], [, b]) => (a[0]?.weight ?? 0) - (b[0]?.weight ?? 0));
  const left: string[] = [];
  let saved = 0;
  for (const [metric, jobs] of leastFirst.slice(0, -1)) {
    if (saved >= over) break;
    left.push(metric);
    saved += demandPerMinute(jobs);
  }
  if (saved < over) return undefined;
  return `fewer metrics: ${place}.metrics without ${left.join(', ')} saves ${plainNumber(saved)} operations per minute`;
}

function fewerConfigurations({ over, part, place }: Excess): string | undefined {
  const configurations = new Set(part.flatMap(({ subject }) => subject.configuration_id ?? [])).size;
  if (configurations === 0 || part[0]?.subject.metric === undefined) return undefined;
  const each = demandPerMinute(part) / configurations;
  const leave = Math.ceil(over / each);
  if (leave >= configurations) return undefined;
  return `fewer configurations: ${place}.configurations.exclude with ${leave} of the ${configurations} saves ${plainNumber(leave * each)} operations per minute`;
}

function wholeProduct({ over, part, place }: Excess): string | undefined {
  const single = part.filter(({ subject }) => subject.configuration_id !== undefined);
  if (part[0]?.subject.collector !== 'analytics' || single.length === 0) return undefined;
  const perMetric = groupedBy(single, ({ subject }) => subject.metric);
  const whole = [...perMetric.values()].flatMap((jobs) => jobs.slice(0, 1));
  const saved = demandPerMinute(single) - demandPerMinute(whole);
  if (saved < over) return undefined;
  return `totals only: ${place}.by: [product] saves ${plainNumber(saved)} operations per minute`;
}

function everythingLonger(demand: number, allowance: number): string {
  const factor = Math.ceil((demand / allowance) * 10) / 10;
  return `longer schedules everywhere: all ${plainNumber(factor)} times as long, for instance every ${duration(Math.ceil(factor) * 60)} instead of every 1 min`;
}

function moreQuota(demand: number, { limit, reserve, scope }: ScopeLimit): string {
  const needed = Math.ceil(demand / (1 - reserve));
  const bearable = Math.floor((1 - demand / limit) * 100) / 100;
  const lower = bearable >= 0 ? `, or quota.reserve: ${bearable} instead of ${reserve}` : '';
  return `more quota: a limit of at least ${needed} operations per minute for ${scope} instead of ${limit}${lower}`;
}

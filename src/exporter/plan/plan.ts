import type { Listing } from '../account/account-targets.ts';
import { DIMENSIONS, facesOf } from '../catalogue/catalogue.ts';
import { BY_VALUE, PRODUCTS, TOP_VALUES } from '../catalogue/products.ts';
import { shardText } from '../cluster/shard.ts';
import { partOf } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { groupedBy } from '../grouped-by.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import type { LimitScope, LimitScopes } from '../rate-limit/limit-scopes.ts';
import {
  demandPerMinute,
  expectedIntervals,
  fits,
  type JobDemand,
  periodOf,
} from '../rate-limit/poll-intervals.ts';
import { SeriesJob } from '../series/series-job.ts';
import { everyDimension, wantedBy } from '../series/series-source.ts';
import { USUAL_PUBLISH_MS } from '../settling/learned.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { duration, plainNumber } from '../text/figures.ts';
import { type Finding, kindOf } from './survey.ts';

/** What a job asks for and brings, as far as the survey has found out. */
export interface PlannedJob extends JobDemand {
  readonly subject: JobSubject;
  readonly group: string;
  /** Series that it will show; undefined where that is not known. */
  readonly series: number | undefined;
  /** Width of its buckets in ms; undefined for what has none. */
  readonly bucketMs: number | undefined;
}

/** What is known of the limit that a group of operations draws on. Operations are per minute, the length of a window. */
export interface ScopeLimit {
  readonly scope: string;
  readonly limit: number;
  /** Who named the limit: the platform's headers, or the configuration or command line in their place. */
  readonly limit_named_by: 'platform' | 'assumption';
  /** Share of the limit (0 to 1) left to the token's other clients. */
  readonly reserve: number;
  /** What is left of the limit after the reserve. */
  readonly allowance: number;
}

/** A job with the interval (ms) at which it will really be polled, and the scope that it draws on. */
export interface ExpectedJob extends PlannedJob {
  readonly intervalMs: number;
  readonly scope: string;
}

/** Every job with its demand; those not polled are like the others of their kind. @param seriesOf series of a dimension */
export function plannedJobs(
  jobs: readonly Job[],
  findings: readonly Finding[],
  seriesOf: (subject: JobSubject, dimension: string) => number,
): PlannedJob[] {
  const kinds = kindsOf(findings);
  const polled = new Map(findings.map((finding) => [finding.job, finding]));
  // What one costs depends on how many share its operations: each has announced itself once it was asked.
  for (const job of jobs) job.cost();
  return jobs.flatMap((job) => {
    if (job.schedule === undefined) return [];
    const kind = kinds.get(kindOf(job));
    const own = polled.get(job);
    const isSeries = partOf(job) === 'series';
    const subjects = job instanceof SeriesJob ? [...job.series].map(({ subject }) => subject) : [];
    const catalogued = subjects.reduce((sum, subject) => sum + cataloguedSeries(subject, seriesOf), 0);
    return [
      {
        subject: job.subject,
        group: job.group,
        weight: job.weight,
        periodMs: periodOf(job.schedule).mean,
        cost: partOf(job) === 'settings' && own === undefined && kind ? kind.cost : job.cost(),
        series: isSeries ? kind?.series || catalogued : (own?.series ?? kind?.series),
        bucketMs: isSeries ? (kind?.bucketMs ?? MINUTE_MS) : undefined,
      },
    ];
  });
}

/** What a job of each kind costs and brings, as far as some were polled. */
function kindsOf(findings: readonly Finding[]) {
  const usable = findings.filter(({ outcome }) => outcome === 'ok' || outcome === 'empty');
  return new Map(
    [...groupedBy(usable, ({ job }) => kindOf(job))].map(([kind, like]) => [
      kind,
      {
        series: mean(like.flatMap(({ series }) => series ?? [])),
        cost: mean(like.map(({ job }) => job.cost())) ?? 1,
        bucketMs: like[0]?.result?.buckets?.width,
      },
    ]),
  );
}

/** The series of a metric whose answers were not seen: what the catalogue knows, and the bucket that they show. */
function cataloguedSeries(
  subject: JobSubject,
  seriesOf: (subject: JobSubject, dimension: string) => number,
): number {
  const { metric = '', configuration_id } = subject;
  const scope = configuration_id === undefined ? 'product' : 'configuration';
  let series = 1;
  for (const dimension of DIMENSIONS[metric] ?? ['total']) {
    const { counter } = facesOf(metric, dimension, { scope });
    series += seriesOf(subject, dimension) * (counter === undefined ? 1 : 2);
  }
  return series;
}

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** One part of the plan: a product of a collector, or a collector of settings. */
export type PlanRow = ReturnType<typeof planRow>;

/** Jobs of the same part have the same key. Lists of configurations are one part, whatever the product. */
export function partKey({ subject: { collector, product } }: ExpectedJob): string {
  return collector === 'discovery' || product === undefined ? collector : `${collector} ${product}`;
}

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
    /** Operations per minute that the schedules ask for, and those that will be performed. */
    demand,
    operations: part.reduce((sum, { cost, intervalMs }) => sum + (cost / intervalMs) * 60_000, 0),
    share_of_limit: demand / limit,
    /** Null where that is not known. */
    series: counts.includes(undefined)
      ? null
      : Math.round(counts.reduce<number>((sum, n) => sum + (n ?? 0), 0)),
    scheduled_seconds: rangeOf(part.map(({ periodMs }) => periodMs / 1_000)),
    interval_seconds: intervals,
    /** How old the newest shown bucket is at worst, from its start; null for what has no buckets. */
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

/** Jobs whose intervals are longer than scheduled, all by the same. */
export type Stretch = ReturnType<typeof stretches>[number];

/** Which intervals are longer than scheduled, and by how much; the shortest first. */
export function stretches(jobs: readonly ExpectedJob[]) {
  const alike = new Map<string, { job: ExpectedJob; metrics: Set<string> }>();
  for (const job of jobs) {
    // Reconciliation runs only when quota is left over.
    if (job.subject.collector === 'reconciliation') continue;
    // A stretch of less than a second per minute is rounding.
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
    rows: planned.flatMap(({ jobs, scope }) =>
      [...groupedBy(jobs, partKey).values()].map((part) => planRow(part, scope, publishDelayMs)),
    ),
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

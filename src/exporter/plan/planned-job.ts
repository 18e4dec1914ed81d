import { DIMENSIONS, facesOf } from '../catalogue/catalogue.ts';

import { partOf } from '../collectors.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import { demandPerMinute, type JobDemand, periodOf } from '../rate-limit/demand-forecast.ts';
import { MINUTE_MS } from '../settling/window.ts';
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

interface Kind {
  readonly series: number | undefined;
  readonly cost: number;
  readonly bucketMs: number | undefined;
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
    const catalogued = isSeries ? cataloguedSeries(job.subject, seriesOf) : undefined;
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

function kindsOf(findings: readonly Finding[]): Map<string, Kind> {
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

/** The items by key, in their order. */
export function groupedBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** One part of the plan: a product of a collector, or a collector of settings. */
export type PlanRow = ReturnType<typeof planRow>;

/** The rows of the jobs of one limit scope, in the order in which the jobs come. */
export function planRows(jobs: readonly ExpectedJob[], limit: ScopeLimit, publishDelayMs: number): PlanRow[] {
  return [...groupedBy(jobs, partKey).values()].map((part) => planRow(part, limit, publishDelayMs));
}

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

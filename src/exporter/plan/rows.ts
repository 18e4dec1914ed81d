import { demandPerMinute } from '../rate-limit/demand-forecast.ts';
import { type ExpectedJob, groupedBy, type ScopeLimit } from './planned-job.ts';

/** One part of the plan: a product of a collector, or a collector of settings. Times in seconds, least and most. */
export interface PlanRow {
  readonly collector: string;
  readonly product: string | null;
  readonly scope: string;
  readonly jobs: number;
  /** Operations per minute that the schedules ask for, and those that will be performed. */
  readonly demand: number;
  readonly operations: number;
  /** Demand by the scope's limit. */
  readonly share_of_limit: number;
  /** Series that will be shown; null where that is not known. */
  readonly series: number | null;
  readonly scheduled_seconds: readonly [least: number, most: number];
  readonly interval_seconds: readonly [least: number, most: number];
  /** How old the newest shown bucket is at worst, from its start; null for what has no buckets. */
  readonly age_seconds: number | null;
}

/** The rows of the jobs of one limit scope, in the order in which the jobs come. */
export function planRows(jobs: readonly ExpectedJob[], limit: ScopeLimit, publishDelayMs: number): PlanRow[] {
  return [...groupedBy(jobs, partKey).values()].map((part) => planRow(part, limit, publishDelayMs));
}

/** Jobs of the same part have the same key. Lists of configurations are one part, whatever the product. */
export function partKey({ subject: { collector, product } }: ExpectedJob): string {
  return collector === 'discovery' || product === undefined ? collector : `${collector} ${product}`;
}

function planRow(part: readonly ExpectedJob[], { name, limit }: ScopeLimit, publishDelayMs: number): PlanRow {
  const subject = part[0]?.subject;
  const demand = demandPerMinute(part);
  const intervals = rangeOf(part.map(({ intervalMs }) => intervalMs / 1_000));
  const buckets = part.flatMap(({ bucketMs }) => bucketMs ?? []);
  const counts = part.map(({ series }) => series);
  return {
    collector: subject?.collector ?? '',
    product: subject?.collector === 'discovery' ? null : (subject?.product ?? null),
    scope: name,
    jobs: part.length,
    demand,
    operations: part.reduce((sum, { cost, intervalMs }) => sum + (cost / intervalMs) * 60_000, 0),
    share_of_limit: demand / limit,
    series: counts.includes(undefined)
      ? null
      : Math.round(counts.reduce<number>((sum, n) => sum + (n ?? 0), 0)),
    scheduled_seconds: rangeOf(part.map(({ periodMs }) => periodMs / 1_000)),
    interval_seconds: intervals,
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
export interface Stretch {
  readonly collector: string;
  readonly product: string | null;
  /** Empty for what reads no metrics. */
  readonly metrics: readonly string[];
  readonly scheduled_seconds: number;
  readonly interval_seconds: number;
}

/** Which intervals are longer than scheduled, and by how much; the shortest first. */
export function stretches(jobs: readonly ExpectedJob[]): Stretch[] {
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

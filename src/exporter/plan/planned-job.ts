import { partOf } from '../account/jobs.ts';
import { facesOf } from '../catalogue/catalogue.ts';
import { DIMENSIONS } from '../catalogue/products.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import { type Demand, periodOf } from '../rate-limit/demand-forecast.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { kindOf } from './explore.ts';
import type { Finding } from './survey.ts';

/** What a job asks for and brings, as far as the survey has found out. */
export interface PlannedJob extends Demand {
  readonly subject: JobSubject;
  readonly group: string;
  /** Series that it will show; undefined where that is not known. */
  readonly series: number | undefined;
  /** Width of its buckets in ms; undefined for what has none. */
  readonly bucketMs: number | undefined;
}

/** What is known of the limit that a group of operations draws on. Operations are per minute, the length of a window. */
export interface ScopeLimit {
  readonly name: string;
  readonly limit: number;
  /** Who named the limit: the platform's headers, or the configuration or command line in their place. */
  readonly namedBy: 'platform' | 'assumption';
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

/**
 * Every job with its demand; those that were not polled are taken to be like the polled ones of their kind.
 * @param seriesOf how many series a dimension of a product's metric has
 */
export function plannedJobs(
  jobs: readonly Job[],
  findings: readonly Finding[],
  seriesOf: (subject: JobSubject, dimension: string) => number,
): PlannedJob[] {
  const kinds = kindsOf(findings);
  const polled = new Map(findings.map((finding) => [finding.job, finding]));
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

/** The means of what was found, by kind of job. */
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

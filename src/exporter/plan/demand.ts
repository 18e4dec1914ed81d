import { DIMENSIONS, facesOf } from '../catalogue/catalogue.ts';
import { BY_VALUE, PRODUCTS, TOP_VALUES } from '../catalogue/products.ts';
import { partOf } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import { type JobDemand, periodOf } from '../rate-limit/poll-intervals.ts';
import { SeriesJob } from '../series/series-job.ts';
import { everyDimension, wantedBy } from '../series/series-source.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { type Finding, kindOf } from './survey.ts';

/** Demand of a job and its series, as far as the survey has found out. */
export interface PlannedJob extends JobDemand {
  readonly subject: JobSubject;
  readonly group: string;
  /** Series that it will show; undefined where that is not known. */
  readonly series: number | undefined;
  /** Width of its buckets in ms; undefined for what has none. */
  readonly bucketMs: number | undefined;
}

/** Limit that a group of operations draws on. Operations are per minute, the length of a window. */
export interface ScopeLimit {
  readonly scope: string;
  readonly limit: number;
  /** Origin of the limit: the platform's headers, or the configuration or command line in their place. */
  readonly limit_named_by: 'platform' | 'assumption';
  /** Share of the limit (0 to 1) left to the token's other clients. */
  readonly reserve: number;
  /** Rest of the limit after the reserve. */
  readonly allowance: number;
}

/** A job with the interval (ms) at which it will really be polled, and the scope that it draws on. */
export interface ExpectedJob extends PlannedJob {
  readonly intervalMs: number;
  readonly scope: string;
}

/** Returns every job with its demand; those not polled are like the others of their kind. */
export function plannedJobs(
  account: AccountConfig,
  jobs: readonly Job[],
  findings: readonly Finding[],
): PlannedJob[] {
  const seriesPer = seriesOf(account);
  const usable = findings.filter(({ outcome }) => outcome === 'ok' || outcome === 'empty');
  const kinds = new Map(usable.map((finding) => [kindOf(finding.job), finding]));
  // The cost of one depends on how many share its operations: each has announced itself once it was asked.
  for (const job of jobs) job.cost();
  return jobs.flatMap((job) => {
    if (job.schedule === undefined) return [];
    const like = kinds.get(kindOf(job));
    const isSeries = partOf(job) === 'series';
    const subjects = job instanceof SeriesJob ? [...job.series].map(({ subject }) => subject) : [];
    const catalogued = subjects.reduce((sum, subject) => sum + cataloguedSeries(subject, seriesPer), 0);
    return [
      {
        subject: job.subject,
        group: job.group,
        weight: job.weight,
        periodMs: periodOf(job.schedule).mean,
        cost: job.cost(),
        series: isSeries ? like?.series || catalogued : like?.series,
        bucketMs: isSeries ? (like?.result?.buckets?.width ?? MINUTE_MS) : undefined,
      },
    ];
  });
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

/** Returns the key of a job's part. Lists of configurations are one part, whatever the product. */
export function partKey({ subject: { collector, product } }: ExpectedJob): string {
  return collector === 'discovery' || product === undefined ? collector : `${collector} ${product}`;
}

/** Returns a function of the number of series of a dimension of a product's metric; 0 if it is not configured. */
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

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

/** Demand of a job and its series, from the survey. */
export interface PlannedJob extends JobDemand {
  readonly subject: JobSubject;
  readonly group: string;
  /** Number of series that the job will expose; undefined if it is not known. */
  readonly series: number | undefined;
  /** Bucket width (ms); undefined for jobs without buckets. */
  readonly bucketMs: number | undefined;
}

/** Limit that applies to a group of operations. Operations are per minute, the length of a window. */
export interface ScopeLimit {
  readonly scope: string;
  readonly limit: number;
  /** Origin of the limit: the platform's headers, or the configuration or command line instead. */
  readonly limit_named_by: 'platform' | 'assumption';
  /** Share of the limit (0 to 1) that is reserved for the token's other clients. */
  readonly reserve: number;
  /** Operations per minute that remain after the reserve. */
  readonly allowance: number;
}

/** Job with its expected poll interval (ms), and its limit scope. */
export interface ExpectedJob extends PlannedJob {
  readonly intervalMs: number;
  readonly scope: string;
}

/** Returns every job with its demand. Jobs that were not polled are like the others of their kind. */
export function plannedJobs(
  account: AccountConfig,
  jobs: readonly Job[],
  findings: readonly Finding[],
): PlannedJob[] {
  const seriesPer = seriesOf(account);
  const usable = findings.filter(({ outcome }) => outcome === 'ok' || outcome === 'empty');
  const kinds = new Map(usable.map((finding) => [kindOf(finding.job), finding]));
  // The cost of a job depends on the number of jobs that share its operations, and the first call registers each job.
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

/** Returns the number of series of a metric without an answer: those in the catalogue, and the time of the exposed bucket. */
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

/** Returns the key of a job's part. Lists of configurations are one part, for all products. */
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

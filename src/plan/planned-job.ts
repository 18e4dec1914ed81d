import { partOf } from '../account/jobs.ts';
import { facesOf } from '../catalogue/catalogue.ts';
import { DIMENSIONS } from '../catalogue/products.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import type { Demand } from '../rate-limit/demand.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { kindOf } from './representatives.ts';
import type { Finding } from './survey.ts';

/** What a job asks for and brings, as far as the survey has found out. */
export interface PlannedJob extends Demand {
  readonly subject: JobSubject;
  readonly group: string;
  /** Series that it will show; undefined where nothing tells. */
  readonly series: number | undefined;
  /** Width of its buckets in ms; undefined for what has none. */
  readonly bucketMs: number | undefined;
}

export interface PlanningFacts {
  readonly findings: readonly Finding[];
  /** Milliseconds between two runs of a cron pattern. */
  readonly periodOf: (schedule: string) => number;
  /** Whether a dimension of a product's metric is wanted. */
  readonly wants: (subject: JobSubject, dimension: string) => boolean;
}

interface Kind {
  readonly series: number | undefined;
  readonly cost: number;
  readonly bucketMs: number | undefined;
}

/** Every job with its demand; those that were not polled are taken to be like the polled ones of their kind. */
export function plannedJobs(
  jobs: readonly Job[],
  { findings, periodOf, wants }: PlanningFacts,
): PlannedJob[] {
  const kinds = kindsOf(findings);
  const polled = new Map(findings.map((finding) => [finding.job, finding]));
  return jobs.flatMap((job) => {
    if (job.schedule === undefined) return [];
    const kind = kinds.get(kindOf(job));
    const own = polled.get(job);
    const isSeries = partOf(job) === 'series';
    const catalogued = isSeries ? cataloguedSeries(job.subject, wants) : undefined;
    return [
      {
        subject: job.subject,
        group: job.group,
        weight: job.weight,
        periodMs: periodOf(job.schedule),
        cost: partOf(job) === 'settings' && own === undefined && kind ? kind.cost : job.cost(),
        series: isSeries ? kind?.series || catalogued : (own?.series ?? kind?.series),
        bucketMs: isSeries ? (kind?.bucketMs ?? MINUTE_MS) : undefined,
      },
    ];
  });
}

/** The means of what was found, by kind of job. */
function kindsOf(findings: readonly Finding[]): Map<string, Kind> {
  const found = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.outcome !== 'ok' && finding.outcome !== 'empty') continue;
    const kind = kindOf(finding.job);
    found.set(kind, [...(found.get(kind) ?? []), finding]);
  }
  return new Map(
    [...found].map(([kind, like]) => [
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
function cataloguedSeries(subject: JobSubject, wants: PlanningFacts['wants']): number {
  const { metric = '', configuration_id } = subject;
  const scope = configuration_id === undefined ? 'product' : 'configuration';
  const dimensions = (DIMENSIONS[metric] ?? ['total']).filter((dimension) => wants(subject, dimension));
  const faces = dimensions.map((dimension) => facesOf(metric, dimension, { scope }));
  return faces.reduce((sum, { counter }) => sum + (counter === undefined ? 1 : 2), 1);
}

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

import type { FailureOutcome } from '../platform/read.ts';
import type { JobStatus } from '../status.ts';

/** Facts derived from the status of one job. */
export interface JobFacts {
  readonly job: JobStatus;
  /** Part of the account: the job's product, or its collector if it has no product. */
  readonly part: string;
  /** Failure of the last poll; undefined if it succeeded, or before the first. */
  readonly failure: FailureOutcome | undefined;
  /** True if the newest bucket is older than expected. */
  readonly isLate: boolean;
  /** Age (s) of the end of its counters; undefined while it is within the tolerance. */
  readonly behindSeconds: number | undefined;
}

export function factsOfJob(job: JobStatus): JobFacts {
  return {
    job,
    part: partOf(job),
    failure: failureOf(job),
    isLate: isLate(job),
    behindSeconds: secondsBehind(job),
  };
}

/** Returns the part of the account that a job belongs to: its product, or its collector if it has no product. */
export function partOf({ id, product, collector }: PartOfAccount): string {
  if (product !== undefined || collector !== 'discovery') return product ?? collector;
  return id.endsWith('/source') ? 'the source of series' : 'the list of analytics metrics';
}

interface PartOfAccount {
  readonly id: string;
  readonly product?: string | undefined;
  readonly collector: string;
}

function failureOf({ last_outcome: outcome }: JobStatus): FailureOutcome | undefined {
  return outcome === null || outcome === 'ok' || outcome === 'empty' ? undefined : outcome;
}

/** Returns true if the job's last poll failed. */
export function isFailing(job: JobStatus): boolean {
  return failureOf(job) !== undefined;
}

/** Returns true if the job exposes buckets, so that its data has an age. */
export function showsBuckets({ metric, catches_up_for }: JobStatus): boolean {
  return metric !== undefined && catches_up_for === undefined;
}

/** Tolerance (s) for the age of data: a poll that is late by one bucket is no trouble. */
export const TOLERATED_SECONDS = 60;

/** Returns true if the newest bucket is older than expected. */
export function isLate({ data_age_seconds: age, expected_age_seconds: expected }: JobStatus): boolean {
  return age !== null && expected !== null && age > expected + TOLERATED_SECONDS;
}

/** Returns true if data is as fresh as the quota allows at stretched intervals. */
export function isWithinQuota({ data_age_seconds: age, allowed_age_seconds: allowed }: JobStatus): boolean {
  return age !== null && allowed !== null && age <= allowed + TOLERATED_SECONDS;
}

/** Tolerance (s) for the age of counters, which wait for missing buckets. The alert EdgeCountersBehind uses the same. */
export const TOLERATED_BEHIND_SECONDS = 3_600;

/** Returns the age (s) of the end of the counters; undefined while it is within the tolerance. */
export function secondsBehind(job: JobStatus): number | undefined {
  const { counted_age_seconds: seconds, expected_counted_age_seconds: expected } = job;
  if (seconds === null || expected === null) return undefined;
  return seconds > expected + TOLERATED_BEHIND_SECONDS ? seconds : undefined;
}

/** Collectors that need the permission to read series: those of series, and of lists of configurations. */
const READS_OF_SERIES: readonly string[] = ['metrics', 'analytics', 'discovery', 'reconciliation'];

/** Returns true if the job needs the permission to read series. */
export function readsSeries({ collector }: JobStatus): boolean {
  return READS_OF_SERIES.includes(collector);
}

import { FAILURE_OUTCOMES, type FailureOutcome } from '../platform/outcome.ts';
import type { AccountStatus, JobStatus } from '../status.ts';
import { sortInSteps } from './sort-in-steps.ts';

/** Which jobs the reader of the status page wants to see. */
export type JobFilter = 'all' | 'failing' | 'late' | 'behind' | 'waiting' | 'running' | 'new';

export const JOB_FILTERS: readonly JobFilter[] = [
  'all',
  'failing',
  'late',
  'behind',
  'waiting',
  'running',
  'new',
];

/** What the status page's address asks for. */
export interface JobQuery {
  /** Words that must all occur in what a job shows, in any letter case; `product:waf` asks for that field alone. */
  readonly words: string;
  readonly filter: JobFilter;
  /** From 1. */
  readonly page: number;
}

/** A job beside the name of its account. */
export interface AccountJob {
  readonly account: string;
  readonly job: JobStatus;
}

/** One page of the jobs that a query selects. */
export interface JobSelection {
  readonly query: JobQuery;
  readonly jobs: readonly AccountJob[];
  /** How many jobs have the query's words, by filter. */
  readonly counts: Readonly<Record<JobFilter, number>>;
  /** Position of the first job shown among those selected, from 0. */
  readonly start: number;
  readonly pages: number;
}

export const JOBS_PER_PAGE = 100;

/** The query in an address such as `/?q=waf+shop&show=failing&page=2`; anything unknown counts as not given. */
export function parseJobQuery(search: string): JobQuery {
  const parameters = new URLSearchParams(search);
  const page = Number(parameters.get('page') ?? 1);
  return {
    words: parameters.get('q')?.trim() ?? '',
    filter: JOB_FILTERS.find((filter) => filter === parameters.get('show')) ?? 'all',
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The part of the platform that a job belongs to: its product, or its collector where that knows no products. */
export function partOf({ product, collector }: JobStatus): string {
  return product ?? collector;
}

/** How the job's last poll failed; undefined where it did not. */
export function failureOf({ last_outcome: outcome }: JobStatus): FailureOutcome | undefined {
  return FAILURE_OUTCOMES.find((failure) => failure === outcome);
}

/** Whether the job's last poll failed. */
export function isFailing(job: JobStatus): boolean {
  return failureOf(job) !== undefined;
}

/** Whether the job's last poll succeeded, and the next is not due yet. */
export function isRead({ last_outcome: outcome, state }: JobStatus): boolean {
  return state === 'idle' && (outcome === 'ok' || outcome === 'empty');
}

/** Whether what the job brings has an age of its own, that of its newest bucket. */
export function showsBuckets({ metric, catches_up_for }: JobStatus): boolean {
  return metric !== undefined && catches_up_for === undefined;
}

/** By how much (s) data may be older than expected: a poll that comes a bucket later is no trouble. */
const TOLERATED_SECONDS = 60;

/** Whether the newest bucket is older than it should be. */
export function isLate(job: JobStatus): boolean {
  if (job.data_age_seconds === null) return false;
  const expected = job.expected_age_seconds;
  return expected !== null && job.data_age_seconds > expected + TOLERATED_SECONDS;
}

/**
 * How much older (s) than expected what is counted may be, as for the alert EdgeCountersBehind: buckets that the platform
 * lacks are waited for.
 */
export const TOLERATED_BEHIND_SECONDS = 3_600;

/** How long ago (s) the counters end, where that is longer than it should be; undefined where it is not. */
export function secondsBehind(job: JobStatus): number | undefined {
  const { counted_age_seconds: seconds, expected_counted_age_seconds: expected } = job;
  if (seconds === null || expected === null) return undefined;
  return seconds > expected + TOLERATED_BEHIND_SECONDS ? seconds : undefined;
}

/** Whether `job` belongs under `filter`. */
export function passes(job: JobStatus, filter: JobFilter): boolean {
  if (filter === 'all') return true;
  if (filter === 'failing') return isFailing(job);
  if (filter === 'late') return isLate(job);
  if (filter === 'behind') return secondsBehind(job) !== undefined;
  if (filter === 'new') return job.last_outcome === null;
  return job.state === filter;
}

/**
 * The page of jobs that `query` asks for, found in small steps: failing ones first, then by the age of their data, the
 * oldest first; where counters that are behind are asked for, by how far they have come.
 */
export function* selectJobs(
  accounts: readonly AccountStatus[],
  query: JobQuery,
): Generator<undefined, JobSelection> {
  const words = query.words.toLowerCase().split(/\s+/).filter(Boolean);
  const timeOf = query.filter === 'behind' ? countedUntil : newest;
  const counts = { all: 0, failing: 0, late: 0, behind: 0, waiting: 0, running: 0, new: 0 };
  const candidates: Candidate[] = [];
  for (const { name: account, jobs } of accounts) {
    for (const job of jobs) {
      if (words.length === 0 || hasWords({ account, job }, words)) {
        const passed = JOB_FILTERS.filter((filter) => passes(job, filter));
        for (const filter of passed) counts[filter] += 1;
        if (passed.includes(query.filter))
          candidates.push({ one: { account, job }, failing: passed.includes('failing'), time: timeOf(job) });
      }
      yield;
    }
  }
  const selected = yield* sortInSteps(candidates, byUrgency);
  const pages = Math.max(1, Math.ceil(selected.length / JOBS_PER_PAGE));
  const page = Math.min(query.page, pages);
  const start = (page - 1) * JOBS_PER_PAGE;
  return {
    query: { ...query, page },
    jobs: selected.slice(start, start + JOBS_PER_PAGE).map(({ one }) => one),
    counts,
    start,
    pages,
  };
}

/** A word such as `product:waf` must be the whole of that field; any other may occur anywhere. */
function hasWords({ account, job }: AccountJob, words: readonly string[]): boolean {
  const { collector, product, metric, last_outcome: outcome } = job;
  const fields = Object.entries({ account, collector, product, metric, outcome });
  const names = [job.id, job.configuration_id, job.configuration, job.last_reason, job.why];
  const text = [...fields.map(([, value]) => value), ...names].join('\n').toLowerCase();
  return words.every((word) => {
    const field = fields.find(([name]) => word.startsWith(`${name}:`));
    if (field === undefined) return text.includes(word);
    return field[1]?.toLowerCase() === word.slice(field[0].length + 1);
  });
}

/** A selected job, and what it is compared by, which is read once. */
interface Candidate {
  readonly one: AccountJob;
  readonly failing: boolean;
  readonly time: string;
}

/** Failing ones first, then by a time of theirs, the oldest first. */
function byUrgency(a: Candidate, b: Candidate): number {
  return (
    Number(b.failing) - Number(a.failing) ||
    compareText(a.time, b.time) ||
    compareText(a.one.account, b.one.account) ||
    compareText(a.one.job.id, b.one.job.id)
  );
}

/** ISO times in UTC sort as text; a job that has no data is the most urgent. */
function newest(job: JobStatus): string {
  return job.last_bucket_at ?? job.last_success_at ?? '';
}

function countedUntil(job: JobStatus): string {
  return job.counted_until ?? '';
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

import { isFailing, isLate, secondsBehind } from '../judgement/tally.ts';
import type { AccountStatus, JobStatus } from '../status.ts';

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
  /** The account that is looked at; undefined where all are. */
  readonly account: string | undefined;
  /** Whether every account is to be listed, however many there are. */
  readonly listsAll: boolean;
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

/** Characters: every word is looked for in every job. */
const LONGEST_QUERY = 200;

/** The query in an address such as `/?q=waf+shop&show=failing&page=2`; anything unknown counts as not given. */
export function parseJobQuery(search: string): JobQuery {
  const parameters = new URLSearchParams(search);
  const page = Number(parameters.get('page') ?? 1);
  return {
    words: (parameters.get('q') ?? '').trim().slice(0, LONGEST_QUERY),
    filter: JOB_FILTERS.find((filter) => filter === parameters.get('show')) ?? 'all',
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    account: parameters.get('account') ?? undefined,
    listsAll: parameters.get('accounts') === 'all',
  };
}

/** The address that asks for this; what is not named is as by default. */
export function addressOf({
  words = '',
  filter = 'all',
  page = 1,
  account,
  listsAll,
}: Partial<JobQuery>): string {
  const parameters = new URLSearchParams();
  if (account !== undefined) parameters.set('account', account);
  if (listsAll === true) parameters.set('accounts', 'all');
  if (words !== '') parameters.set('q', words);
  if (filter !== 'all') parameters.set('show', filter);
  if (page > 1) parameters.set('page', String(page));
  return `?${parameters.toString()}`;
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
    if (query.account !== undefined && query.account !== account) continue;
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

/** So many are put in order in one step. */
const STEP = 200;

/** Puts things in order, in small steps: short runs of them first, which are then merged. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; from += STEP) {
    runs.push(items.slice(from, from + STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Of those that are equal, the one in `left` comes first. */
function* merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[]> {
  const merged: Item[] = [];
  let [inLeft, inRight] = [0, 0];
  while (inLeft < left.length || inRight < right.length) {
    const [a, b] = [left[inLeft], right[inRight]];
    const takesLeft = b === undefined || (a !== undefined && compare(a, b) <= 0);
    const next = takesLeft ? a : b;
    if (takesLeft) inLeft += 1;
    else inRight += 1;
    if (next !== undefined) merged.push(next);
    if (merged.length % STEP === 0) yield;
  }
  return merged;
}

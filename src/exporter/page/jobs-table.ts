import { isFailing, isLate, secondsBehind, showsBuckets } from '../judgement/tally.ts';
import type { AccountStatus, JobStatus } from '../status.ts';
import { duration, grouped } from '../text/figures.ts';
import { age, type Html, html, moment } from './html.ts';

const FILTER_NAMES: Readonly<Record<JobFilter, string>> = {
  all: 'All',
  failing: 'Failing',
  late: 'Late',
  behind: 'Counters behind',
  waiting: 'Waiting',
  running: 'Running',
  new: 'Not polled yet',
};

/** The search form; it stands outside the region that a refresh replaces, so that typing is never disturbed. */
export function jobsForm({ query }: JobSelection): Html {
  return html`<form role="search" method="get" action="">
<label class="unseen" for="words">Filter jobs</label>
<input type="search" id="words" name="q" value="${query.words}" placeholder="Filter: a name, id, product, metric, outcome …" autocomplete="off" spellcheck="false">
${query.filter === 'all' ? '' : html`<input type="hidden" name="show" value="${query.filter}">`}
${query.account === undefined ? '' : html`<input type="hidden" name="account" value="${query.account}">`}
<button>Filter</button></form>`;
}

/** The selected jobs as a table, with the filters above and the pages below. */
export function jobsRegion(selection: JobSelection, now: number): Html {
  return html`<div id="jobs">
${selection.query.account === undefined ? '' : html`<p class="chosen small">Jobs of <bdi>${selection.query.account}</bdi> alone. <a href="${addressOf({ ...selection.query, account: undefined, page: 1 })}#jobs-head">Those of all accounts</a></p>`}
<ul class="filters" aria-label="Show jobs by state">${JOB_FILTERS.map((filter) => filterLink(selection, filter))}</ul>
<p class="unseen" role="status">${grouped(selection.counts[selection.query.filter])} jobs</p>
${selection.jobs.length === 0 ? nothing(selection) : jobsTable(selection.jobs, now)}
${pageLinks(selection)}
</div>`;
}

/** Of many thousands, none are listed unless some are asked for. */
function nothing({ counts, query }: JobSelection): Html {
  const words =
    counts[query.filter] === 0
      ? 'No job matches.'
      : 'Too many to list them all: choose some above, or look for a name.';
  return html`<p class="nothing quiet">${words}</p>`;
}

function filterLink({ query, counts }: JobSelection, filter: JobFilter): Html {
  const current = filter === query.filter ? html` aria-current="true"` : '';
  const loud = filter === 'failing' && counts.failing > 0 ? 'bad-text' : 'quiet';
  return html`<li><a href="${address(query, filter)}"${current}>${FILTER_NAMES[filter]} <span class="${loud}">${grouped(counts[filter])}</span></a></li>`;
}

/** Of the same account; without `page` the first. */
function address(query: JobSelection['query'], filter: JobFilter, page = 1): string {
  return `${addressOf({ ...query, filter, page })}#jobs-head`;
}

function jobsTable(jobs: readonly AccountJob[], now: number): Html {
  return html`<div class="jobs"><table aria-labelledby="jobs-head">
<thead><tr><th scope="col" class="what">Job</th><th scope="col" class="last">Last poll</th><th scope="col">Newest data</th>
<th scope="col">Interval</th><th scope="col" class="now">Now</th></tr></thead>
<tbody>${jobs.map((candidate) => jobRow(candidate, now))}</tbody></table></div>`;
}

function jobRow({ account, job }: AccountJob, now: number): Html {
  return html`<tr${isFailing(job) ? html` class="failing"` : ''} data-job="${job.id}">
<td><div class="name"><bdi>${job.configuration ?? job.configuration_id ?? job.product ?? job.collector}</bdi></div>
<div class="small quiet">${joined([account, job.collector, job.product, job.metric, configurationId(job), job.catches_up_for && 'catching up'])}</div></td>
<td data-head="Last poll">${outcome(job)}</td>
<td data-head="Data">${data(job, now)}</td>
<td data-head="Interval">${job.interval_seconds === null ? html`<span class="none">–</span>` : duration(job.interval_seconds)}
<div class="small quiet mono">${job.schedule}</div></td>
<td data-head="Now">${activity(job, now)}</td></tr>`;
}

/** The id is shown where the name above it hides it. */
function configurationId(job: JobStatus): string | undefined {
  return job.configuration === undefined ? undefined : job.configuration_id;
}

function joined(parts: readonly (string | undefined)[]): Html[] {
  const known = parts.filter((part) => part !== undefined);
  return known.map((part, i) => html`${i > 0 ? ' · ' : ''}<bdi>${part}</bdi>`);
}

function outcome(job: JobStatus): Html {
  const reason = job.last_reason ? html`<div class="small"><bdi>${job.last_reason}</bdi></div>` : '';
  if (job.last_outcome === null) return html`<span class="state calm">not polled yet</span>${reason}`;
  const mood = isFailing(job) ? 'bad' : job.last_outcome === 'ok' ? 'ok' : 'calm';
  return html`<span class="state ${mood}">${job.last_outcome.replaceAll('_', ' ')}</span>${reason}`;
}

function data(job: JobStatus, now: number): Html {
  // Settings are as old as the last time that they were read.
  if (!showsBuckets(job)) return moment(job.last_success_at, now);
  const success = html`<div class="small quiet">${
    job.last_success_at === null ? 'no success yet' : html`last success ${moment(job.last_success_at, now)}`
  }</div>`;
  const { last_bucket_at: bucketAt, data_age_seconds: seconds } = job;
  if (bucketAt === null || seconds === null) return html`<span class="none">no data</span>${success}`;
  const late = isLate(job)
    ? html`<div class="small warn-text">late: ${duration(job.expected_age_seconds ?? 0)} expected</div>`
    : '';
  const behind = secondsBehind(job);
  const counters =
    behind === undefined ? '' : html`<div class="small warn-text">counters ${duration(behind)} behind</div>`;
  return html`${age(seconds, bucketAt)}${late}${counters}${success}`;
}

function activity(job: JobStatus, now: number): Html {
  const mood = { idle: 'calm', waiting: 'warn', running: 'busy' }[job.state];
  const why = job.why === '' ? '' : html`<div class="small"><bdi>${job.why}</bdi></div>`;
  const next =
    job.next_at === null || Date.parse(job.next_at) <= now
      ? ''
      : html`<div class="small quiet">${job.state === 'waiting' ? 'its turn comes' : 'next'} ${moment(job.next_at, now)}</div>`;
  return html`<span class="state ${mood}">${job.state}</span>${why}${next}`;
}

function pageLinks({ query, pages, start, jobs, counts }: JobSelection): Html {
  if (pages === 1) return html``;
  const { filter, page } = query;
  return html`<nav class="pages" aria-label="Pages of jobs">
<span>${grouped(start + 1)} to ${grouped(start + jobs.length)} of ${grouped(counts[filter])}</span>
${page > 1 ? html`<a rel="prev" href="${address(query, filter, page - 1)}">Previous page</a>` : ''}
${page < pages ? html`<a rel="next" href="${address(query, filter, page + 1)}">Next page</a>` : ''}
</nav>`;
}

export const JOB_FILTERS = ['all', 'failing', 'late', 'behind', 'waiting', 'running', 'new'] as const;

/** Which jobs the reader of the status page wants to see. */
export type JobFilter = (typeof JOB_FILTERS)[number];

/** What the status page's address asks for. */
export interface JobQuery {
  /** Words that must all occur in a job's names, outcome or reason, in any letter case; `product:waf` asks for that field alone. */
  readonly words: string;
  readonly filter: JobFilter;
  /** From 1. */
  readonly page: number;
  /** The account that is looked at; undefined where all are. */
  readonly account: string | undefined;
  /** Whether every account is to be listed, however many there are. */
  readonly listsAll: boolean;
}

interface AccountJob {
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
 * The page of jobs that `query` asks for: failing ones first, then by the age of their data, or of their counters.
 * @param known how many there are by filter, where that is known without looking at each
 */
export function* selectJobs(
  accounts: readonly AccountStatus[],
  query: JobQuery,
  known?: JobSelection['counts'],
): Generator<undefined, JobSelection> {
  const words = query.words.toLowerCase().split(/\s+/).filter(Boolean).map(wordAsked);
  const timeOf = query.filter === 'behind' ? countedUntil : newest;
  const counts = { all: 0, failing: 0, late: 0, behind: 0, waiting: 0, running: 0, new: 0 };
  const counted = known === undefined ? JOB_FILTERS : [query.filter];
  const needed = query.page * JOBS_PER_PAGE;
  const candidates: Candidate[] = [];
  for (const { name: account, jobs } of accounts) {
    if (query.account !== undefined && query.account !== account) continue;
    for (const job of jobs) {
      if (hasWords({ account, job }, words)) {
        const passed = counted.filter((filter) => passes(job, filter));
        for (const filter of passed) counts[filter] += 1;
        if (passed.includes(query.filter))
          candidates.push({ one: { account, job }, failing: isFailing(job), time: timeOf(job) });
      }
      keepMostUrgent(candidates, needed);
      yield;
    }
  }
  const selected = candidates.sort(byUrgency);
  const found = counts[query.filter];
  const pages = Math.max(1, Math.ceil(found / JOBS_PER_PAGE));
  const page = Math.min(query.page, pages);
  const start = (page - 1) * JOBS_PER_PAGE;
  return {
    query: { ...query, page },
    jobs: selected.slice(start, start + JOBS_PER_PAGE).map(({ one }) => one),
    counts: { ...counts, ...known, [query.filter]: found },
    start,
    pages,
  };
}

/** Leaves out, now and then, those that are not among the first: to sort a hundred thousand at once would take 150 ms. */
function keepMostUrgent(candidates: Candidate[], needed: number): void {
  if (candidates.length > 2 * needed + 2_000) candidates.sort(byUrgency).splice(needed);
}

/** The fields that a word may name, by what it calls them. */
const FIELDS = {
  account: ({ account }: AccountJob) => account,
  collector: ({ job }: AccountJob) => job.collector,
  product: ({ job }: AccountJob) => job.product,
  metric: ({ job }: AccountJob) => job.metric,
  outcome: ({ job }: AccountJob) => job.last_outcome,
};

/** A word that is looked for, and the field of which it is the whole; undefined where it may occur anywhere. */
interface WordAsked {
  readonly word: string;
  readonly of: ((one: AccountJob) => string | null | undefined) | undefined;
}

/** A word such as `product:waf` must be the whole of that field; any other may occur anywhere. */
function wordAsked(word: string): WordAsked {
  const [, name = '', value = ''] = /^(\w+):(.*)$/.exec(word) ?? [];
  const of = Object.entries(FIELDS).find(([field]) => field === name)?.[1];
  return of === undefined ? { word, of } : { word: value, of };
}

/** Looks at nothing that takes its time to find out: most jobs have none of the words. */
function hasWords(one: AccountJob, words: readonly WordAsked[]): boolean {
  let text: string | undefined;
  return words.every(({ word, of }) => {
    if (of !== undefined) return of(one)?.toLowerCase() === word;
    text ??= textOf(one);
    return text.includes(word);
  });
}

function textOf({ account, job }: AccountJob): string {
  const { id, collector, product, metric, configuration_id, configuration, last_outcome, last_reason } = job;
  return [account, id, collector, product, metric, configuration_id, configuration, last_outcome, last_reason]
    .join('\n')
    .toLowerCase();
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

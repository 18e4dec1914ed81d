import { isFailing, isLate, partOf, secondsBehind, showsBuckets } from '../facts/job-facts.ts';
import type { JobStatus } from '../status.ts';
import type { AccountStatus } from '../status-document.ts';
import { duration, grouped } from '../text/figures.ts';
import { age, type Html, html, moment } from './html.ts';
import { addressOf, JOB_FILTERS, type JobFilter, type PageQuery } from './query.ts';

const FILTER_NAMES: Readonly<Record<JobFilter, string>> = {
  all: 'All',
  failing: 'Failing',
  late: 'Late',
  behind: 'Counters behind',
  waiting: 'Waiting',
  running: 'Running',
  new: 'Not polled yet',
};

/** Renders the requested jobs, or links to them if none are requested. */
export function jobsSection(accounts: readonly AccountStatus[], query: PageQuery, now: number): Html {
  const { jobs: filter } = query;
  const selection = filter === undefined ? undefined : selectJobs(accounts, query);
  const counts = selection?.counts ?? countsOf(accounts, query);
  return html`<section aria-labelledby="jobs-head"><h2 id="jobs-head">Jobs</h2><div class="panel">
${query.jobs === undefined ? '' : html`<div class="tools">${searchForm(query)}</div>`}
<div id="jobs">
${query.account === undefined || accounts.length === 1 ? '' : html`<p class="chosen small">Jobs of <bdi>${query.account}</bdi>. <a href="${addressOf({ ...query, account: undefined, page: 1 })}">Jobs of all accounts</a></p>`}
${query.part === undefined ? '' : html`<p class="chosen small">Jobs of the part <bdi>${query.part}</bdi>. <a href="${addressOf({ ...query, part: undefined, page: 1 })}">Jobs of all parts</a></p>`}
<ul class="filters" aria-label="Show jobs by state">${JOB_FILTERS.map((one) => filterLink(query, counts, one))}</ul>
${filter === undefined || selection === undefined ? '' : listed(selection, filter, now)}
</div></div></section>`;
}

function searchForm({ words, jobs, account, part }: PageQuery): Html {
  const hidden = Object.entries({ jobs, account, part }).filter(([, value]) => value !== undefined);
  return html`<form role="search" method="get" action="#jobs-head">
<label class="unseen" for="words">Find jobs</label>
<input type="search" id="words" name="q" value="${words}" placeholder="Find: a name, id, product, metric, outcome …" autocomplete="off" spellcheck="false">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>Find</button></form>`;
}

/** Returns the number of jobs per filter from the facts, since jobs of other accounts are not loaded. */
function countsOf(accounts: readonly AccountStatus[], { account }: PageQuery): JobSelection['counts'] {
  const tallies = accounts.flatMap(({ name, facts }) =>
    account === undefined || account === name ? facts.tally : [],
  );
  const sum = (of: Exclude<JobFilter, 'all' | 'new'> | 'jobs' | 'unpolled') =>
    tallies.reduce((total, tally) => total + tally[of], 0);
  return {
    all: sum('jobs'),
    failing: sum('failing'),
    late: sum('late'),
    behind: sum('behind'),
    waiting: sum('waiting'),
    running: sum('running'),
    new: sum('unpolled'),
  };
}

function filterLink(query: PageQuery, counts: JobSelection['counts'], filter: JobFilter): Html {
  const current = filter === query.jobs ? html` aria-current="true"` : '';
  const loud = filter === 'failing' && counts.failing > 0 ? 'bad-text' : 'quiet';
  const address = addressOf({ ...query, jobs: filter, page: 1 });
  return html`<li><a href="${address}"${current}>${FILTER_NAMES[filter]} <span class="${loud}">${grouped(counts[filter])}</span></a></li>`;
}

function listed({ jobs, counts, query, start, pages }: JobSelection, filter: JobFilter, now: number): Html {
  const table = html`<div class="jobs"><table aria-labelledby="jobs-head">
<thead><tr><th scope="col" class="what">Job</th><th scope="col" class="last">Last poll</th><th scope="col">Data age</th>
<th scope="col">Interval</th><th scope="col" class="now">Now</th></tr></thead>
<tbody>${jobs.map((one) => jobRow(one, now))}</tbody></table></div>`;
  const { page } = query;
  const links = html`<nav class="pages" aria-label="Pages of jobs">
<span>${grouped(start + 1)} to ${grouped(start + jobs.length)} of ${grouped(counts[filter])}</span>
${page > 1 ? html`<a rel="prev" href="${addressOf({ ...query, page: page - 1 })}">Previous page</a>` : ''}
${page < pages ? html`<a rel="next" href="${addressOf({ ...query, page: page + 1 })}">Next page</a>` : ''}
</nav>`;
  return html`<p class="unseen" role="status">${grouped(counts[filter])} jobs</p>
${jobs.length === 0 ? html`<p class="nothing quiet">No job matches.</p>` : table}${pages === 1 ? '' : links}`;
}

function jobRow({ account, job }: AccountJob, now: number): Html {
  // The id is displayed if the configuration's name replaces it above.
  const id = job.configuration === undefined ? undefined : job.configuration_id;
  const details = [account, job.collector, job.product, job.metric, id, job.catches_up_for && 'catching up'];
  const known = details.filter((detail) => detail !== undefined);
  return html`<tr${isFailing(job) ? html` class="failing"` : ''} data-job="${job.id}">
<td><div class="name"><bdi>${job.configuration ?? job.configuration_id ?? job.product ?? job.collector}</bdi></div>
<div class="small quiet">${known.map((detail, index) => html`${index > 0 ? ' · ' : ''}<bdi>${detail}</bdi>`)}</div></td>
<td data-head="Last poll">${lastPoll(job, now)}</td>
<td data-head="Data age">${dataAge(job, now)}</td>
<td data-head="Interval">${job.interval_seconds === null ? html`<span class="none">–</span>` : duration(job.interval_seconds)}
<div class="small quiet mono">${job.schedule}</div></td>
<td data-head="Now">${activity(job, now)}</td></tr>`;
}

function lastPoll(job: JobStatus, now: number): Html {
  const { last_outcome: outcome, last_success_at: success } = job;
  const reason = job.last_reason ? html`<div class="small"><bdi>${job.last_reason}</bdi></div>` : '';
  if (outcome === null) return html`<span class="state calm">not polled yet</span>${reason}`;
  const mood = isFailing(job) ? 'bad' : outcome === 'ok' ? 'ok' : 'calm';
  const last = success === null ? 'no success yet' : html`last success ${moment(success, now)}`;
  return html`<span class="state ${mood}">${outcome.replaceAll('_', ' ')}</span>${reason}<div class="small quiet">${last}</div>`;
}

function dataAge(job: JobStatus, now: number): Html {
  // The age of settings is that of their last read.
  if (!showsBuckets(job)) return moment(job.last_success_at, now);
  const { last_bucket_at: bucketAt, data_age_seconds: seconds } = job;
  if (bucketAt === null || seconds === null) return html`<span class="none">no data</span>`;
  const late = isLate(job)
    ? html`<div class="small warn-text">late: ${duration(job.expected_age_seconds ?? 0)} expected</div>`
    : '';
  const behind = secondsBehind(job);
  const counters =
    behind === undefined ? '' : html`<div class="small warn-text">counters ${duration(behind)} behind</div>`;
  return html`${age(seconds, bucketAt)}${late}${counters}`;
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

interface AccountJob {
  readonly account: string;
  readonly job: JobStatus;
}

/** One page of the jobs that a query selects. */
export interface JobSelection {
  readonly query: PageQuery;
  readonly jobs: readonly AccountJob[];
  /** Number of jobs that match the query's words, by filter. */
  readonly counts: Readonly<Record<JobFilter, number>>;
  /** Position of the page's first job among the selected ones, from 0. */
  readonly start: number;
  readonly pages: number;
}

export const JOBS_PER_PAGE = 100;

/** Returns true if a job passes a filter. */
export function passes(job: JobStatus, filter: JobFilter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'failing':
      return isFailing(job);
    case 'late':
      return isLate(job);
    case 'behind':
      return secondsBehind(job) !== undefined;
    case 'new':
      return job.last_outcome === null;
    default:
      return job.state === filter;
  }
}

/** Returns the requested page of jobs: failing ones first, then by the age of their data or counters. */
export function selectJobs(
  accounts: readonly Pick<AccountStatus, 'name' | 'jobs'>[],
  query: PageQuery,
): JobSelection {
  const words = query.words.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = accounts
    .filter(({ name }) => query.account === undefined || query.account === name)
    .flatMap(({ name, jobs }) => jobs.map((job) => ({ account: name, job })))
    .filter(({ job }) => query.part === undefined || partOf(job) === query.part)
    .filter((one) => words.length === 0 || hasWords(one, words));
  const passing = (filter: JobFilter) => matching.filter(({ job }) => passes(job, filter));
  const counts = Object.fromEntries(JOB_FILTERS.map((filter) => [filter, passing(filter).length])) as Record<
    JobFilter,
    number
  >;
  const selected = query.jobs === undefined ? [] : passing(query.jobs);
  const timeOf = ({ job }: AccountJob) =>
    (query.jobs === 'behind' ? job.counted_until : (job.last_bucket_at ?? job.last_success_at)) ?? '';
  // ISO times in UTC sort as text. A job without data is the most urgent.
  selected.sort(
    (a, b) =>
      Number(isFailing(b.job)) - Number(isFailing(a.job)) ||
      compareText(timeOf(a), timeOf(b)) ||
      compareText(a.account, b.account) ||
      compareText(a.job.id, b.job.id),
  );
  const pages = Math.max(1, Math.ceil(selected.length / JOBS_PER_PAGE));
  const page = Math.min(query.page, pages);
  const start = (page - 1) * JOBS_PER_PAGE;
  const jobs = selected.slice(start, start + JOBS_PER_PAGE);
  return { query: { ...query, page }, jobs, counts, start, pages };
}

function hasWords({ account, job }: AccountJob, words: readonly string[]): boolean {
  const { id, collector, product, metric, configuration_id, configuration, last_outcome, last_reason } = job;
  const text = [
    account,
    id,
    collector,
    product,
    metric,
    configuration_id,
    configuration,
    last_outcome,
    last_reason,
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

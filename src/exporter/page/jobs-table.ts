import { isFailing, isLate, secondsBehind, showsBuckets } from '../judgement/tally.ts';
import type { JobStatus } from '../status.ts';
import { duration } from '../text/duration.ts';
import { grouped } from '../text/numbers.ts';
import { age, type Html, html, moment } from './html.ts';
import {
  type AccountJob,
  addressOf,
  JOB_FILTERS,
  type JobFilter,
  type JobSelection,
} from './job-selection.ts';

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
${selection.jobs.length === 0 ? html`<p class="nothing quiet">No job matches.</p>` : jobsTable(selection.jobs, now)}
${pageLinks(selection)}
</div>`;
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
<div class="small quiet">${joined([account, job.collector, job.product, job.metric, configurationId(job), aim(job)])}</div></td>
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

function aim(job: JobStatus): string | undefined {
  return job.catches_up_for === undefined ? undefined : 'catching up';
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
    job.next_at === null
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

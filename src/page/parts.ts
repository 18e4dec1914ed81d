import type { AccountStatus, JobStatus } from '../status.ts';
import { duration } from '../text/duration.ts';
import { type Html, html } from './html.ts';
import { partOf } from './job-selection.ts';
import { type Tally, tallyOf } from './job-totals.ts';
import { grouped, moment } from './time-format.ts';

interface Part {
  readonly name: string;
  readonly jobs: readonly JobStatus[];
  readonly tally: Tally;
}

/**
 * The account's jobs added up by product, or by collector where a collector knows no products: the worst first, and
 * those folded of which the account has nothing.
 */
export function partsTable({ name, jobs }: AccountStatus, id: string, now: number): Html {
  if (jobs.length === 0) return html`<p class="quiet">No jobs are planned yet.</p>`;
  const parts = partsOf(jobs).sort(byUrgency);
  const absent = parts.filter(isAbsent);
  const present = parts.filter((part) => !absent.includes(part));
  return html`<div>${present.length === 0 ? '' : table(name, present, now)}${absent.length === 0 ? '' : folded(name, absent, id, now)}</div>`;
}

function partsOf(jobs: readonly JobStatus[]): Part[] {
  const parts = new Map<string, JobStatus[]>();
  for (const job of jobs) {
    const name = partOf(job);
    const held = parts.get(name);
    if (held) held.push(job);
    else parts.set(name, [job]);
  }
  return [...parts].map(([name, members]) => ({ name, jobs: members, tally: tallyOf(members) }));
}

function byUrgency(a: Part, b: Part): number {
  return (
    b.tally.failing - a.tally.failing ||
    b.tally.late - a.tally.late ||
    b.tally.behindSeconds - a.tally.behindSeconds ||
    (a.name < b.name ? -1 : 1)
  );
}

/** Whether every poll found that there is nothing of the kind, or the platform that it serves none. */
function isAbsent({ jobs }: Part): boolean {
  return jobs.every(({ last_outcome: outcome }) => outcome === 'empty' || outcome === 'not_found');
}

function folded(account: string, parts: readonly Part[], id: string, now: number): Html {
  return html`<details class="absent" id="${id}-absent"><summary>${grouped(parts.length)} without anything: ${parts.map(
    ({ name }, i) => html`${i > 0 ? ', ' : ''}<bdi>${name}</bdi>`,
  )}</summary>${table(account, parts, now)}</details>`;
}

function table(account: string, parts: readonly Part[], now: number): Html {
  return html`<table class="parts"><thead><tr><th scope="col">Part</th><th scope="col" class="number">Jobs</th>
<th scope="col" class="number">Failing</th><th scope="col" class="number">Late</th><th scope="col" class="number">Waiting</th><th scope="col" class="age">Oldest data</th></tr></thead>
<tbody>${parts.map((part) => row(account, part, now))}</tbody></table>`;
}

function row(account: string, { name, jobs, tally }: Part, now: number): Html {
  return html`<tr><td><a href="${address(account, jobs)}"><bdi>${name}</bdi></a></td>
<td class="number">${grouped(tally.jobs)}</td><td class="number">${count(tally.failing, 'bad-text')}</td>
<td class="number">${count(tally.late, 'warn-text')}</td><td class="number">${count(tally.waiting, '')}</td><td class="age">${oldestData(tally, now)}${behind(tally)}</td></tr>`;
}

/** The jobs of one part of one account. A name with spaces in it is no word of a query, so it is left out. */
function address(account: string, [job]: readonly JobStatus[]): string {
  const part = job?.product === undefined ? `collector:${job?.collector}` : `product:${job.product}`;
  const words = [`account:${account}`, part].filter((word) => !/\s/.test(word));
  return `?${new URLSearchParams({ q: words.join(' ') }).toString()}#jobs-head`;
}

function count(jobs: number, loud: string): Html {
  if (jobs === 0) return html`<span class="none">0</span>`;
  return loud === '' ? html`${grouped(jobs)}` : html`<strong class="${loud}">${grouped(jobs)}</strong>`;
}

/** How far counters are behind that are further behind than they should be. */
function behind({ behind, behindSeconds }: Tally): Html {
  if (behind === 0) return html``;
  return html`<div class="small warn-text">counters ${duration(behindSeconds)} behind</div>`;
}

/** The age of what was shown longest ago, and how many show nothing: none is not fresh. */
function oldestData({ oldestSeconds, without, oldestSuccessAt }: Tally, now: number): Html {
  if (oldestSeconds === undefined) return moment(without > 0 ? null : oldestSuccessAt, now);
  const age = `${duration(oldestSeconds)}`;
  return html`${age}${without > 0 ? html` <span class="small quiet">${grouped(without)} without</span>` : ''}`;
}

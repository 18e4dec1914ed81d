import type { JobStatus } from '../status.ts';
import { duration } from '../text/duration.ts';
import { type Html, html } from './html.ts';
import type { TalliedPart as Part, TalliedAccount, Tally } from './job-totals.ts';
import { grouped, moment } from './time-format.ts';

/**
 * The account's jobs added up by product, or by collector where a collector knows no products: the worst first, and
 * those folded of which the account has nothing.
 */
export function partsTable({ account, parts }: TalliedAccount, id: string, now: number): Html {
  const { name } = account;
  if (parts.length === 0) return html`<p class="quiet">No jobs are planned yet.</p>`;
  const sorted = parts.toSorted(byUrgency);
  const absent = sorted.filter(({ isAbsent }) => isAbsent);
  const present = sorted.filter(({ isAbsent }) => !isAbsent);
  return html`<div>${present.length === 0 ? '' : table(name, present, now)}${absent.length === 0 ? '' : folded(name, absent, id, now)}</div>`;
}

function byUrgency(a: Part, b: Part): number {
  return (
    b.tally.failing - a.tally.failing ||
    b.tally.late - a.tally.late ||
    b.tally.behindSeconds - a.tally.behindSeconds ||
    (a.name < b.name ? -1 : 1)
  );
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

function row(account: string, { name, first, tally }: Part, now: number): Html {
  return html`<tr><td><a href="${address(account, first)}"><bdi>${name}</bdi></a></td>
<td class="number">${grouped(tally.jobs)}</td><td class="number">${count(tally.failing, 'bad-text')}</td>
<td class="number">${count(tally.late, 'warn-text')}</td><td class="number">${count(tally.waiting, '')}</td><td class="age">${oldestData(tally, now)}${behind(tally)}</td></tr>`;
}

/** The jobs of one part of one account. A name with spaces in it is no word of a query, so it is left out. */
function address(account: string, job: JobStatus): string {
  const part = job.product === undefined ? `collector:${job.collector}` : `product:${job.product}`;
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

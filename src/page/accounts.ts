import type { AccountStatus, JobStatus, QuotaStatus } from '../status.ts';
import { duration } from '../text/duration.ts';
import { type Html, html } from './html.ts';
import { isFailing, showsBuckets } from './job-selection.ts';
import { grouped, moment } from './times.ts';

/** With more accounts than this, only those that need attention start unfolded. */
const UNFOLDED_ACCOUNTS = 3;

/** Every account with its token, its quota, and its jobs added up by part of the platform. */
export function accountsSection(accounts: readonly AccountStatus[], now: number): Html {
  const many = accounts.length > UNFOLDED_ACCOUNTS;
  return html`<section id="accounts" aria-labelledby="accounts-head">
<h2 id="accounts-head">Accounts</h2>
${accounts.map((account, i) => accountPanel(account, `account-${i}`, many ? needsAttention(account) : true, now))}
${accounts.length === 0 ? html`<p class="panel nothing quiet">No account is configured.</p>` : ''}
</section>`;
}

function needsAttention(account: AccountStatus): boolean {
  return account.up !== true || account.jobs.some(isFailing);
}

function accountPanel(account: AccountStatus, id: string, open: boolean, now: number): Html {
  return html`<details class="panel account" id="${id}"${open ? html` open` : ''}>
<summary><h3><bdi>${account.name}</bdi></h3> ${upState(account.up)} <bdi class="quiet mono">${account.api_url}</bdi></summary>
<div class="inside"><div>
${account.note === '' ? '' : html`<p class="note ${account.up === false ? 'bad-text' : 'quiet'}"><bdi>${account.note}</bdi></p>`}
<dl class="facts">
<div><dt>Token expires</dt><dd>${tokenExpiry(account.token_expires_at, now)}</dd></div>
<div><dt>Operations planned</dt><dd>${grouped(account.demand_per_minute)} a minute</dd></div>
<div><dt>Intervals</dt><dd>${stretch(account.stretch)}</dd></div>
<div><dt>Clock skew</dt><dd>${skew(account.clock_skew_seconds)}</dd></div>
</dl>
${account.quota.map((quota) => quotaRow(quota, now))}
</div>${partsTable(account, now)}</div>
</details>`;
}

function upState(up: boolean | null): Html {
  if (up === null) return html`<span class="state calm">not asked yet</span>`;
  return up ? html`<span class="state ok">up</span>` : html`<span class="state bad">down</span>`;
}

function tokenExpiry(iso: string | null, now: number): Html {
  if (iso === null) return html`<span class="quiet">not known</span>`;
  const left = Date.parse(iso) - now;
  return left > 0 ? moment(iso, now) : html`<span class="bad-text">expired ${moment(iso, now)}</span>`;
}

function stretch(factor: number): Html {
  if (factor <= 1) return html`as planned`;
  return html`<span class="warn-text">${grouped(factor)} times as long</span>`;
}

function skew(seconds: number): Html {
  if (Math.abs(seconds) < 1) return html`none`;
  return html`platform ${duration(Math.abs(seconds))} ${seconds > 0 ? 'ahead' : 'behind'}`;
}

function quotaRow(quota: QuotaStatus, now: number): Html {
  return html`<div class="quota">
<div class="line"><span>Quota <bdi class="mono">${quota.scope}</bdi></span><span>${remaining(quota)}</span></div>
${quotaBar(quota)}
<div class="line small quiet"><span>${Math.round(quota.reserve * 100)} % left to others</span><span>${
    quota.waiting > 0 ? html`${grouped(quota.waiting)} waiting` : 'nothing waiting'
  }</span><span>${quota.reset_at === null ? 'reset not known' : html`resets ${moment(quota.reset_at, now)}`}</span></div>
${quota.stopped_until === null ? '' : html`<p class="small bad-text">Stopped by the platform, goes on ${moment(quota.stopped_until, now)}</p>`}
${quota.note === '' ? '' : html`<p class="small quiet"><bdi>${quota.note}</bdi></p>`}
</div>`;
}

function remaining({ limit, remaining: left }: QuotaStatus): Html {
  if (limit === null || left === null) return html`<span class="quiet">not known yet</span>`;
  return html`<strong>${grouped(left)}</strong> of ${grouped(limit)} left`;
}

/** What is left as a share of the limit, with a mark where the reserve begins. */
function quotaBar({ scope, limit, remaining: left, reserve }: QuotaStatus): Html {
  if (limit === null || left === null || limit <= 0) return html``;
  const share = Math.min(1, Math.max(0, left / limit));
  const mood = share <= 0 ? 'out' : share <= reserve ? 'low' : 'fill';
  const label = `${scope}: ${left} of ${limit} left, ${Math.round(reserve * 100)} % in reserve`;
  return html`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="${label}">
<rect class="track" width="1000" height="10"/><rect class="${mood}" width="${Math.round(share * 1000)}" height="10"/>
<rect class="mark" x="${Math.round(Math.min(1, Math.max(0, reserve)) * 997)}" width="3" height="10"/></svg>`;
}

/** The account's jobs added up by product, or by collector where a collector knows no products. */
function partsTable({ name, jobs }: AccountStatus, now: number): Html {
  if (jobs.length === 0) return html`<p class="quiet">No jobs are planned yet.</p>`;
  const parts = new Map<string, JobStatus[]>();
  for (const job of jobs) {
    const part = job.product ?? job.collector;
    const held = parts.get(part);
    if (held) held.push(job);
    else parts.set(part, [job]);
  }
  const rows = [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([part, members]) => partRow(part, partAddress(name, members), members, now));
  return html`<table class="parts"><thead><tr><th scope="col">Part</th><th scope="col" class="number">Jobs</th>
<th scope="col" class="number">Failing</th><th scope="col" class="number">Waiting</th><th scope="col" class="age">Oldest data</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** The jobs of one part of one account. A name with spaces in it is no word of a query, so it is left out. */
function partAddress(account: string, [job]: readonly JobStatus[]): string {
  const part = job?.product === undefined ? `collector:${job?.collector}` : `product:${job.product}`;
  const words = [`account:${account}`, part].filter((word) => !/\s/.test(word));
  return `?${new URLSearchParams({ q: words.join(' ') }).toString()}#jobs-head`;
}

function partRow(part: string, address: string, jobs: readonly JobStatus[], now: number): Html {
  const failing = jobs.filter(isFailing).length;
  const waiting = jobs.filter((job) => job.state === 'waiting').length;
  return html`<tr><td><a href="${address}"><bdi>${part}</bdi></a></td>
<td class="number">${grouped(jobs.length)}</td><td class="number">${
    failing > 0
      ? html`<strong class="bad-text">${grouped(failing)}</strong>`
      : html`<span class="none">0</span>`
  }</td>
<td class="number">${waiting > 0 ? grouped(waiting) : html`<span class="none">0</span>`}</td><td class="age">${oldestData(jobs, now)}</td></tr>`;
}

/** The age of what was shown longest ago, and how many show nothing: none is not fresh. */
function oldestData(jobs: readonly JobStatus[], now: number): Html {
  const series = jobs.filter(showsBuckets);
  const ages =
    series.length > 0 ? series.map((job) => job.last_bucket_at) : jobs.map((job) => job.last_success_at);
  const times = ages.filter((age) => age !== null);
  const without = ages.length - times.length;
  const oldest = times.reduce<string | null>(
    (least, time) => (least !== null && least < time ? least : time),
    null,
  );
  const some = times.length > 0 && without > 0;
  return html`${moment(oldest, now)}${some ? html` <span class="small quiet">${grouped(without)} without</span>` : ''}`;
}

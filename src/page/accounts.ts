import { duration } from '../text/duration.ts';
import { accountFindings } from './account-findings.ts';
import { type Html, html } from './html.ts';
import type { TalliedAccount } from './job-totals.ts';
import { partsTable } from './parts.ts';
import { quotaRow } from './quota.ts';
import { clockTime, grouped, moment } from './time-format.ts';

/** With more accounts than this, only those that need attention start unfolded. */
const UNFOLDED_ACCOUNTS = 3;

/** Every account with its token, its quota, and its jobs added up by part of the platform; the worst first. In small steps. */
export function* accountsSection(
  accounts: readonly TalliedAccount[],
  now: number,
): Generator<undefined, Html> {
  const many = accounts.length > UNFOLDED_ACCOUNTS;
  const panels: Html[] = [];
  for (const account of inOrder(accounts, now)) {
    panels.push(accountPanel(account, many ? needsAttention(account) : true, now));
    yield;
  }
  return html`<section id="accounts" aria-labelledby="accounts-head">
<h2 id="accounts-head">Accounts</h2>
${panels}
${accounts.length === 0 ? html`<p class="panel nothing quiet">No account is configured.</p>` : ''}
</section>`;
}

function inOrder(accounts: readonly TalliedAccount[], now: number): TalliedAccount[] {
  const ranked = accounts.map((tallied) => ({
    tallied,
    worst: accountFindings(tallied, now)[0]?.severity ?? 0,
  }));
  return ranked.sort((a, b) => b.worst - a.worst).map(({ tallied }) => tallied);
}

function needsAttention({ account, tally }: TalliedAccount): boolean {
  return account.up !== true || tally.failing > 0 || tally.late > 0 || tally.behind > 0;
}

function accountPanel(tallied: TalliedAccount, open: boolean, now: number): Html {
  const { account, index } = tallied;
  const id = `account-${index}`;
  return html`<details class="panel account" id="${id}"${open ? html` open` : ''}>
<summary><h3><bdi>${account.name}</bdi></h3> ${upState(account.up)} ${upSince(account.up_since, now)} <bdi class="quiet mono">${account.api_url}</bdi></summary>
<div class="inside"><div>
${account.note === '' ? '' : html`<p class="note ${account.up === false ? 'bad-text' : 'quiet'}"><bdi>${account.note}</bdi></p>`}
<dl class="facts">
<div><dt>Token expires</dt><dd>${tokenExpiry(account.token_expires_at, now)}</dd></div>
<div><dt>Operations planned</dt><dd>${grouped(account.demand_per_minute)} a minute</dd></div>
<div><dt>Intervals</dt><dd>${stretch(account.stretch)}</dd></div>
<div><dt>Clock skew</dt><dd>${skew(account.clock_skew_seconds)}</dd></div>
</dl>
${account.quota.map((quota) => quotaRow(quota, now))}
</div>${partsTable(tallied, id, now)}</div>
</details>`;
}

function upState(up: boolean | null): Html {
  if (up === null) return html`<span class="state calm">not polled yet</span>`;
  return up ? html`<span class="state ok">up</span>` : html`<span class="state bad">down</span>`;
}

function upSince(iso: string | null, now: number): Html {
  return iso === null ? html`` : html`<span class="small quiet">since ${clockTime(iso, now)}</span>`;
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

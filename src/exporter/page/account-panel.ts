import type { AccountState, PartFacts } from '../facts/facts.ts';
import { greatestOf, type Tally } from '../facts/tally.ts';
import type { QuotaStatus } from '../status.ts';
import type { AccountStatus } from '../status-document.ts';
import { duration, grouped, plainShare } from '../text/figures.ts';
import { clockTime, type Html, html, moment } from './html.ts';
import { addressOf, type PageQuery } from './query.ts';
import { marked, severityOf } from './verdict.ts';

/** Number of rows in the table by default. */
const MOST_ROWS = 50;

/** Mood and words of each state. */
const STATES: Readonly<Record<AccountState, readonly [mood: 'bad' | 'warn' | 'calm' | 'ok', words: string]>> =
  {
    no_data: ['bad', 'no data'],
    down: ['bad', 'down'],
    late: ['warn', 'late'],
    partly_missing: ['warn', 'read in part'],
    partly_failing: ['warn', 'partly failing'],
    starting: ['calm', 'starting'],
    well: ['ok', 'fresh'],
  };

/** Returns the requested account, or the only one; undefined if there is none. */
function chosenAccount(accounts: readonly AccountStatus[], query: PageQuery): AccountStatus | undefined {
  const [only, ...others] = accounts;
  return others.length === 0 ? only : accounts.find(({ name }) => name === query.account);
}

/** Renders the requested account with its token, quota and parts, then a table of all accounts if there are several. */
export function accountsSection(
  accounts: readonly AccountStatus[],
  query: PageQuery,
  now: number,
  none: string,
): Html {
  const chosen = chosenAccount(accounts, query);
  return html`<section id="accounts" aria-labelledby="accounts-head">
<h2 id="accounts-head">${accounts.length === 1 ? 'Account' : 'Accounts'}</h2>
${accounts.length === 0 ? html`<p class="panel nothing quiet">${none}.</p>` : ''}
${chosen === undefined ? '' : accountPanel(chosen, now)}
${accounts.length <= 1 ? '' : accountsTable(accounts, query, now)}
</section>`;
}

function accountsTable(accounts: readonly AccountStatus[], query: PageQuery, now: number): Html {
  const rows = query.listsAll ? accounts : accounts.slice(0, MOST_ROWS);
  const rest = accounts.slice(rows.length);
  const troubled = rest.filter((account) => severityOf(account) > 0).length;
  return html`<div class="panel accounts"><table aria-labelledby="accounts-head">
<thead><tr><th scope="col" class="who">Account</th><th scope="col">State</th><th scope="col" class="why">Why</th>
<th scope="col" class="number">Oldest data</th><th scope="col" class="number">Failing</th><th scope="col" class="number">Quota left</th></tr></thead>
<tbody>${rows.map((account) => accountRow(account, query, now))}</tbody></table>
${rest.length === 0 ? '' : html`<p class="more"><a href="${addressOf({ account: query.account, listsAll: true })}#accounts-head">Show all ${grouped(accounts.length)} accounts</a> <span class="quiet">${troubled === 0 ? `the other ${grouped(rest.length)} are fresh` : `${grouped(troubled)} of the other ${grouped(rest.length)} need attention as well`}</span></p>`}</div>`;
}

function accountRow(account: AccountStatus, query: PageQuery, now: number): Html {
  const { state, tally, causes } = account.facts;
  const current = account.name === query.account ? html` aria-current="true"` : '';
  const href = `${addressOf({ account: account.name, listsAll: query.listsAll })}#account`;
  return html`<tr><th scope="row"><a href="${href}"${current}><bdi>${account.name}</bdi></a></th>
<td data-head="State">${stateOf(state)}</td><td data-head="Why" class="why"><bdi>${marked(causes[0]?.text ?? '')}</bdi></td>
<td data-head="Oldest data" class="number">${state === 'no_data' || state === 'starting' ? '–' : oldestData(tally, now)}</td>
<td data-head="Failing" class="number">${tally.failing === 0 ? html`<span class="none">0</span>` : html`<strong class="bad-text">${grouped(tally.failing)}</strong>`} <span class="quiet">of ${grouped(tally.jobs)}</span></td>
<td data-head="Quota left" class="number">${account.quota.map(
    ({ limit, remaining, stopped_until: stopped }) =>
      stopped !== null
        ? html`<div class="bad-text">refused</div>`
        : limit === null
          ? html`<div class="none">–</div>`
          : html`<div>${remaining === null ? '–' : grouped(remaining)} <span class="quiet">of ${grouped(limit)}</span></div>`,
  )}</td></tr>`;
}

function stateOf(state: AccountState): Html {
  const [mood, words] = STATES[state];
  return html`<span class="state ${mood}">${words}</span>`;
}

function accountPanel(account: AccountStatus, now: number): Html {
  return html`<div class="panel account" id="account">
<div class="head"><h3><bdi>${account.name}</bdi></h3> ${stateOf(account.facts.state)} ${since(account, now)} <bdi class="quiet mono">${account.api_url}</bdi></div>
<div class="inside"><div>
${account.note === '' ? '' : html`<p class="note ${account.up === false ? 'bad-text' : 'quiet'}"><bdi>${account.note}</bdi></p>`}
<dl class="facts">
${account.without_domains === 0 ? '' : html`<div><dt>Not read</dt><dd>${grouped(account.without_domains)} without a domain</dd></div>`}
<div><dt>Token expires</dt><dd>${tokenExpiry(account.token_expires_at, now)}</dd></div>
<div><dt>Operations planned</dt><dd>${grouped(account.demand_per_minute)} a minute</dd></div>
<div><dt>Quota allows</dt><dd>${stretch(account.stretch)}</dd></div>
<div><dt>Clock skew</dt><dd>${skew(account.clock_skew_seconds)}</dd></div>
${account.sources.filter(({ source }) => source === 'graphql').map(({ collector, why }) => html`<div><dt>Source of ${collector}</dt><dd>GraphQL<span class="quiet">: ${why}</span></dd></div>`)}
${account.sources.filter(({ missing }) => missing.length > 0).map(({ collector, missing }) => html`<div><dt>Missing of ${collector}</dt><dd>${missing.join(', ')}<span class="quiet">: the platform's GraphQL has no such field, its series are absent</span></dd></div>`)}
</dl>
${account.quota.map((quota) => quotaRow(quota, now))}
</div>${partsTable(account.name, account.facts.parts, now)}</div>
</div>`;
}

/** Renders the start of a state other than `well`, or the time since which the platform has answered. */
function since({ up_since: upSince, facts }: AccountStatus, now: number): Html {
  if (facts.state !== 'well') return sinceText(facts, now);
  if (upSince === null || facts.up !== true) return html``;
  return html`<span class="small quiet">reachable since ${clockTime(upSince, now)}</span>`;
}

function sinceText({ since }: Pick<PartFacts, 'since'>, now: number): Html {
  return html`<span class="small quiet">since ${clockTime(since, now)}</span>`;
}

function tokenExpiry(iso: string | null, now: number): Html {
  if (iso === null) return html`<span class="quiet">not known</span>`;
  const left = Date.parse(iso) - now;
  return left > 0 ? moment(iso, now) : html`<span class="bad-text">expired ${moment(iso, now)}</span>`;
}

function stretch(factor: number): Html {
  if (factor <= 1) return html`polling as configured`;
  return html`<span class="warn-text">polling ${grouped(factor)} times less often</span>`;
}

function skew(seconds: number): Html {
  if (Math.abs(seconds) < 1) return html`none`;
  return html`platform ${duration(Math.abs(seconds))} ${seconds > 0 ? 'ahead' : 'behind'}`;
}

/** Renders the parts of an account, the worst first. Parts that the account lacks are folded. */
function partsTable(account: string, parts: readonly PartFacts[], now: number): Html {
  if (parts.length === 0) return html`<p class="quiet">No jobs are planned yet.</p>`;
  const sorted = parts.toSorted(byUrgency);
  const absent = sorted.filter(({ hasData }) => hasData === null);
  const present = sorted.filter(({ hasData }) => hasData !== null);
  const folded = html`<details class="absent" id="absent"><summary>${grouped(absent.length)} without anything: ${absent.map(
    ({ name }, i) => html`${i > 0 ? ', ' : ''}<bdi>${name}</bdi>`,
  )}</summary>${table(account, absent, now)}</details>`;
  return html`<div>${present.length === 0 ? '' : table(account, present, now)}${absent.length === 0 ? '' : folded}</div>`;
}

function byUrgency(a: PartFacts, b: PartFacts): number {
  return (
    b.tally.failing - a.tally.failing ||
    b.tally.late - a.tally.late ||
    behindSeconds(b.tally) - behindSeconds(a.tally) ||
    (a.name < b.name ? -1 : 1)
  );
}

function table(account: string, parts: readonly PartFacts[], now: number): Html {
  return html`<table class="parts" aria-label="Parts of the platform"><thead><tr><th scope="col">Part</th><th scope="col">State</th>
<th scope="col" class="number">Data age</th><th scope="col" class="number">Expected</th><th scope="col" class="number">Last read</th>
<th scope="col" class="number">Missing</th><th scope="col" class="number">Failing jobs</th></tr></thead>
<tbody>${parts.map((part) => partRow(account, part, now))}</tbody></table>`;
}

function partRow(account: string, part: PartFacts, now: number): Html {
  const { name, state, tally } = part;
  const {
    jobs,
    failing,
    expectedSeconds: expected,
    missingShare: missing = 0,
    newestSuccessAt: read,
  } = tally;
  const none = html`<span class="none">–</span>`;
  const failed =
    failing === 0
      ? html`<span class="none">0</span>`
      : html`<strong class="bad-text">${grouped(failing)}</strong>`;
  return html`<tr><td><a href="${addressOf({ account, jobs: 'all', part: name })}"><bdi>${name}</bdi></a></td>
<td>${stateOf(state)} ${state === 'well' ? '' : sinceText(part, now)}${behindText(tally)}</td><td class="number" data-head="Data age">${dataAge(tally)}</td>
<td class="number" data-head="Expected">${expected === undefined ? none : duration(expected)}</td>
<td class="number" data-head="Last read">${moment(read === '' ? null : read, now)}</td>
<td class="number" data-head="Missing">${missing === 0 ? none : plainShare(missing)}</td>
<td class="number" data-head="Failing jobs">${failed} <span class="quiet">of ${grouped(jobs)}</span></td></tr>`;
}

function behindSeconds({ behindBy }: Tally): number {
  return greatestOf([...behindBy.values()]);
}

/** Renders the age of late counters; nothing if none are late. */
function behindText(tally: Tally): Html {
  if (tally.behind === 0) return html``;
  return html`<div class="small warn-text">counters ${duration(behindSeconds(tally))} behind</div>`;
}

/** Renders the age of the oldest data, or a dash if there is none, and the number of series without data. */
function dataAge({ oldestSeconds, without }: Tally): Html {
  const oldest = oldestSeconds === undefined ? html`<span class="none">–</span>` : duration(oldestSeconds);
  return html`${oldest}${without > 0 ? html`<div class="small quiet">${grouped(without)} without</div>` : ''}`;
}

/** Renders the age of the oldest data of an account, and the number of series without data. */
function oldestData({ oldestSeconds, without, oldestSuccessAt }: Tally, now: number): Html {
  if (oldestSeconds === undefined) return moment(without > 0 ? null : oldestSuccessAt, now);
  return html`${duration(oldestSeconds)}${without > 0 ? html` <span class="small quiet">${grouped(without)} without</span>` : ''}`;
}

/** Renders one limit scope: the remaining operations and their time, the clients that use it, and its reset. */
function quotaRow(quota: QuotaStatus, now: number): Html {
  return html`<div class="quota">
<div class="line"><span>Quota <bdi class="mono">${quota.scope}</bdi></span><span>${remaining(quota, now)}</span></div>
${quotaBar(quota)}
<div class="line small"><span>${spenders(quota)}</span><span class="quiet">${
    quota.reset_at === null ? '' : html`resets ${moment(quota.reset_at, now)}`
  }</span></div>
<div class="line small quiet"><span>${Math.round(quota.reserve * 100)} % reserved</span><span>${
    quota.waiting > 0 ? html`${grouped(quota.waiting)} waiting` : 'nothing waiting'
  }</span></div>
${quota.stopped_until === null ? '' : html`<p class="small bad-text">Stopped by the platform, continues ${moment(quota.stopped_until, now)}</p>`}
${quota.note === '' ? '' : html`<p class="small quiet"><bdi>${quota.note}</bdi></p>`}
</div>`;
}

function remaining(
  { limit, assumed_limit: assumed, remaining: left, remaining_at: at }: QuotaStatus,
  now: number,
): Html {
  if (limit === null) return html`<span class="quiet">${grouped(assumed ?? 0)} a minute, assumed</span>`;
  if (left === null)
    return html`<span class="quiet">${grouped(limit)} a minute, none asked for in this minute</span>`;
  const asOf = at === null ? '' : html` <span class="small quiet">as of ${moment(at, now)}</span>`;
  return html`<strong>${grouped(left)}</strong> of ${grouped(limit)} left${asOf}`;
}

/** Renders the operations of the window: this exporter's as counted, and those of other clients as observed. */
function spenders({ own, limit, others_per_minute: others }: QuotaStatus): Html {
  // Headers cannot show more than the limit.
  const shown = limit === null ? 0 : Math.round(Math.min(limit, others));
  const those =
    shown < 1
      ? 'no other client seen'
      : html`<strong>other clients about ${grouped(shown)} a minute</strong>`;
  return html`used by this exporter ${grouped(own)}, ${those}`;
}

/** Renders the remaining share of the limit as a bar, with the reserve marked. */
function quotaBar({ scope, limit, remaining: left, reserve }: QuotaStatus): Html {
  if (limit === null || left === null || limit <= 0) return html``;
  const share = Math.min(1, Math.max(0, left / limit));
  // This rounds as the rate limiter does, which waits at this number.
  const reserved = Math.ceil(limit * reserve);
  const mood = left <= 0 ? 'out' : left <= reserved ? 'low' : 'fill';
  const meaning = { out: ', used up', low: ', only the reserve', fill: '' }[mood];
  const label = `${scope}: ${left} of ${limit} left${meaning}; ${reserved} in reserve`;
  return html`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="${label}">
<rect class="track" width="1000" height="10"/><rect class="${mood}" width="${Math.round(share * 1000)}" height="10"/>
<rect class="mark" x="${Math.round(Math.min(1, Math.max(0, reserve)) * 997)}" width="3" height="10"/></svg>`;
}

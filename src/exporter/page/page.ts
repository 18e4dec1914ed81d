import type { ClusterStatus } from '../cluster/member.ts';
import { judge } from '../judgement/judgement.ts';
import type { ConfigStatus, ReceiverStatus, ShardStatus, Status } from '../status.ts';
import { duration, grouped } from '../text/figures.ts';
import { accountsSection } from './accounts.ts';
import { clockTime, type Html, html, moment, trusted } from './html.ts';
import { type JobQuery, type JobSelection, jobsForm, jobsRegion, selectJobs } from './jobs-table.ts';
import { PAGE_SCRIPT } from './script.ts';
import { PAGE_STYLE } from './style.ts';
import { type JudgedAccount, verdictBox, withoutAccounts, worstFirst } from './verdict.ts';

/** What the page needs beside the status. */
export interface PageOptions {
  readonly query: JobQuery;
  /** Milliseconds since the epoch; every age is relative to it. */
  readonly now: number;
  readonly telemetryPath: string;
}

/** The status page: one self-contained HTML document that works without scripts too, made in small steps. */
export function* renderPage(
  status: Status,
  { query, now, telemetryPath }: PageOptions,
): Generator<undefined, string> {
  const accounts: JudgedAccount[] = [];
  for (const account of status.accounts) {
    accounts.push({ account, judgement: yield* judge(account, now) });
    yield;
  }
  const jobs = status.accounts.reduce((total, account) => total + account.jobs.length, 0);
  const isShort = isAsked(query) || jobs <= MOST_LISTED;
  const asked = accounts.filter(
    ({ account }) => query.account === undefined || query.account === account.name,
  );
  const counts = countsOf(asked);
  const isCounted = query.words === '' && jobs > MOST_LISTED;
  const selection = isShort
    ? yield* selectJobs(status.accounts, query, isCounted ? counts : undefined)
    : { query, jobs: [], counts, start: 0, pages: 1 };
  accounts.sort(worstFirst);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>${title(status, accounts)}</title>
<style>${trusted(PAGE_STYLE)}</style></head>
<body><div class="wrap"><a class="skip" href="#jobs-head">Skip to the jobs</a>
${top(status, now, telemetryPath)}
<main>${summary(status, accounts, now)}
${accountsSection(accounts, query, now, withoutAccounts(status))}
<section aria-labelledby="jobs-head"><h2 id="jobs-head">Jobs</h2>
${jobsPanel(selection, accounts.length, now)}</section>
</main></div><script>${trusted(PAGE_SCRIPT)}</script></body></html>
`.markup;
}

/** More jobs than these are listed when some of them are asked for: to find the most urgent of all takes long. */
const MOST_LISTED = 10_000;

function isAsked({ words, filter, account, page }: JobQuery): boolean {
  return words !== '' || filter !== 'all' || account !== undefined || page > 1;
}

/** How many jobs there are by state, as they were judged. */
function countsOf(accounts: readonly JudgedAccount[]): JobSelection['counts'] {
  const of = (which: Tallied) => sum(accounts, which);
  return {
    all: of('jobs'),
    failing: of('failing'),
    late: of('late'),
    behind: of('behind'),
    waiting: of('waiting'),
    running: of('running'),
    new: of('unpolled'),
  };
}

/** The jobs, folded where there are many accounts and none of their jobs is asked for. */
function jobsPanel(selection: JobSelection, accounts: number, now: number): Html {
  const panel = html`<div class="panel"><div class="tools">${jobsForm(selection)}</div>${jobsRegion(selection, now)}</div>`;
  if (accounts <= 1 || isAsked(selection.query)) return panel;
  return html`<details id="all-jobs"><summary>Show the ${grouped(selection.counts.all)} jobs of all accounts</summary>${panel}</details>`;
}

function title(status: Status, accounts: readonly JudgedAccount[]): string {
  const name = status.sandbox ? 'edge-exporter (made-up data)' : 'edge-exporter';
  if (!status.ready) return `Not ready · ${name}`;
  const failing = sum(accounts, 'failing');
  const fresh = accounts.filter(({ judgement }) => judgement.state === 'well').length;
  if (fresh === accounts.length) return name;
  const only = accounts.length === 1 ? accounts[0]?.judgement.state : undefined;
  if (only === 'partly_failing') return `${grouped(failing)} failing · ${name}`;
  return `${only?.replaceAll('_', ' ') ?? `${fresh} of ${accounts.length} fresh`} · ${name}`;
}

type Tallied = 'jobs' | 'failing' | 'late' | 'behind' | 'waiting' | 'running' | 'unpolled';

function sum(accounts: readonly JudgedAccount[], of: Tallied): number {
  return accounts.reduce((total, { judgement }) => total + judgement.tally[of], 0);
}

function top(status: Status, now: number, telemetryPath: string): Html {
  return html`<header class="top"><h1>edge-exporter</h1><span class="quiet">${status.version}</span>
<div class="clock small quiet"><span id="as-of">as of <time>${new Date(now).toISOString().slice(11, 19)}</time> UTC</span>
<label id="live" hidden><input type="checkbox" checked> refresh every 10 s</label></div>
<nav aria-label="Endpoints"><a href=".${telemetryPath}">Metrics</a><a href="./api/v1/status">Status as JSON</a>
<a href="./-/healthy">Healthy</a><a href="./-/ready">Ready</a></nav></header>
<p class="alert lost" id="lost" role="alert" hidden>The exporter does not answer. This is its last known status.</p>`;
}

function summary(status: Status, accounts: readonly JudgedAccount[], now: number): Html {
  const failing = sum(accounts, 'failing');
  return html`<div id="summary">${verdictBox(status, accounts, now)}${status.sandbox ? SANDBOX_NOTICE : ''}
<dl class="figures">
<div><dt>Exporter</dt><dd class="large">${
    status.ready ? html`<span class="state ok">ready</span>` : html`<span class="state bad">not ready</span>`
  }</dd>${notReady(status)}</div>
<div><dt>Jobs</dt><dd class="large">${grouped(sum(accounts, 'jobs'))}</dd></div>
<div><dt>Failing</dt><dd class="large${failing > 0 ? ' bad-text' : ''}"><a href="?show=failing#jobs-head">${grouped(failing)}</a></dd></div>
<div><dt>Waiting</dt><dd class="large"><a href="?show=waiting#jobs-head">${grouped(sum(accounts, 'waiting'))}</a></dd></div>
<div><dt>Series</dt><dd class="large">${grouped(status.series)}</dd>${
    status.series_dropped > 0
      ? html`<dd class="small bad-text">${grouped(status.series_dropped)} dropped</dd>`
      : ''
  }</div>
<div><dt>Running for</dt><dd class="large">${duration(status.uptime_seconds)}</dd></div>
<div class="words"><dt>Configuration</dt><dd>${configuration(status.config, now)}</dd></div>
${status.shard === undefined ? '' : html`<div class="words"><dt>Shard</dt><dd>${shard(status.shard)}</dd></div>`}
<div class="words"><dt>State</dt><dd>${state(status)}</dd></div>
${status.cluster === undefined ? '' : html`<div class="words"><dt>Replicas</dt><dd>${cluster(status.cluster, now)}</dd></div>`}
${status.push.map((receiver) => html`<div class="words"><dt>Push</dt><dd>${pushed(receiver, now)}</dd></div>`)}
</dl></div>`;
}

const SANDBOX_NOTICE = html`<p class="notice"><strong>All data here is made up.</strong> No account is configured, so this exporter
polls the platform that is embedded in it. Give it <code>EDGE_API_URL</code> and <code>EDGE_TOKEN</code>, or a <code>--config.file</code>, to see your own.</p>`;

function configuration(config: ConfigStatus, now: number): Html {
  return html`<bdi class="mono">${config.source}</bdi><div class="small quiet">loaded ${moment(config.loaded_at, now)}</div>`;
}

function pushed({ name, samples_waiting, last_success_at, note }: ReceiverStatus, now: number): Html {
  // Until it is known what an earlier run left, nothing is said of it.
  const waiting = !samples_waiting ? '' : html`, ${grouped(samples_waiting)} samples wait`;
  const trouble = note === '' ? '' : html`<div class="small bad-text"><bdi>${note}</bdi></div>`;
  return html`<bdi class="mono">${name}</bdi><div class="small quiet">last taken ${moment(last_success_at, now)}${waiting}</div>${trouble}`;
}

/** Reasons on the page at most: `/-/ready` says all of them. */
const MOST_REASONS = 5;

function notReady({ not_ready: reasons }: Status): Html {
  const more = reasons.length - MOST_REASONS;
  return html`${reasons.slice(0, MOST_REASONS).map((reason) => html`<dd class="small"><bdi>${reason}</bdi></dd>`)}
${more > 0 ? html`<dd class="small"><a href="./-/ready">and ${grouped(more)} more</a></dd>` : ''}`;
}

function shard({ index, of, by }: ShardStatus): Html {
  return html`<span class="mono">${index}/${of}</span><div class="small quiet">its part of the ${by}</div>`;
}

/** Which replicas share the accounts, which each has since when, and what moved last. */
function cluster(
  { replica, replicas, note, accounts, moves, database_silent_since: silentSince }: ClusterStatus,
  now: number,
): Html {
  const trouble = html`${note === '' ? '' : html`<div class="small bad-text"><bdi>${note}</bdi></div>`}
${silentSince === null ? '' : html`<div class="small bad-text">the database has not answered since ${clockTime(silentSince, now)}, for ${duration((now - Date.parse(silentSince)) / 1_000)}</div>`}`;
  const rows = replicas.map(({ name, accounts: count, lease_age_seconds: age, lease_over: isOver }) => {
    const has = isOver ? 'its lease is over' : `${grouped(count)} accounts`;
    return html`<div class="small"><bdi class="mono">${name}</bdi>${name === replica ? ' (this one)' : ''}: ${has}, lease renewed ${duration(age)} ago</div>`;
  });
  const owners = [...new Set(accounts.map(({ owner }) => owner))].toSorted();
  const owned = owners.map((owner) => {
    const own = accounts.filter((one) => one.owner === owner);
    const names = own.map(
      ({ account, since }, n) =>
        html`${n > 0 ? ', ' : ''}<bdi>${account}</bdi>${since === null ? '' : html` since ${clockTime(since, now)}`}`,
    );
    return html`<div>${owner === null ? (silentSince === null ? 'nobody' : 'not known') : html`<bdi class="mono">${owner}</bdi>`}: ${names}</div>`;
  });
  const whose = html`<details id="owners" class="small"><summary>Who has which account</summary>${owned}</details>`;
  const last = moves
    .slice(0, 3)
    .map(
      ({ at, account, to, reason }) =>
        html`<div class="small quiet"><bdi>${account}</bdi> to <bdi>${to}</bdi> ${moment(at, now)}: ${reason}</div>`,
    );
  return html`${trouble}${rows}${accounts.length === 0 ? '' : whose}${last}`;
}

function state({ state, cluster }: Status): Html {
  const { kind, directory, note, refusal } = state;
  const trouble =
    kind === 'unavailable'
      ? `cannot be used: ${cluster === undefined ? 'counters are withheld' : 'accounts are not polled'}`
      : refusal && 'cannot be written: counters stand still';
  if (trouble !== undefined)
    return html`<bdi class="mono">${directory}</bdi><div class="small bad-text">${trouble}</div>`;
  const where = kind === 'durable' ? html`<bdi class="mono">${directory}</bdi>` : html`in memory only`;
  return html`${where}<div class="small quiet">${note ?? (kind === 'durable' ? 'survives a restart' : 'counters restart at zero')}</div>`;
}

import type { ClusterStatus } from '../cluster/member.ts';
import type { ConfigStatus, ReceiverStatus, ShardStatus } from '../status.ts';
import type { AccountStatus, Status } from '../status-document.ts';
import { duration, grouped } from '../text/figures.ts';
import { accountsSection } from './account-panel.ts';
import { clockTime, type Html, html, moment, trusted } from './html.ts';
import { jobsSection } from './jobs-table.ts';
import { addressOf, type PageQuery } from './query.ts';
import { PAGE_SCRIPT } from './script.ts';
import { PAGE_STYLE } from './style.ts';
import { severityOf, verdictBox, withoutAccounts, worstFirst } from './verdict.ts';

/** Input of the page besides the status. */
export interface PageOptions {
  readonly query: PageQuery;
  /** Current time (ms since the epoch); every age is relative to it. */
  readonly now: number;
  readonly telemetryPath: string;
}

/** Renders the status page: one self-contained HTML document that also works without scripts. */
export function renderPage(given: Status, { query: asked, now, telemetryPath }: PageOptions): string {
  const status = { ...given, accounts: given.accounts.toSorted(worstFirst) };
  const { accounts } = status;
  const isKnown = accounts.some(({ name }) => name === asked.account);
  const query = isKnown ? asked : { ...asked, account: undefined };
  const isChosen = accounts.length > 1 && isKnown;
  const parts = [
    html`<div id="summary">${verdictBox(status, now)}${status.sandbox ? SANDBOX_NOTICE : ''}${figures(status, now)}</div>`,
    accountsSection(accounts, query, now, withoutAccounts(status)),
  ];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>${title(status)}</title>
<style>${trusted(PAGE_STYLE)}</style></head>
<body><div class="wrap"><a class="skip" href="#jobs-head">Skip to the jobs</a>
${top(status, now, telemetryPath)}
<main>${isChosen ? parts.toReversed() : parts}
${jobsSection(accounts, query, now)}
</main></div><script>${trusted(PAGE_SCRIPT)}</script></body></html>
`.markup;
}

function title(status: Status): string {
  const { accounts } = status;
  const name = status.sandbox ? 'edge-exporter (made-up data)' : 'edge-exporter';
  if (!status.ready) return `Not ready · ${name}`;
  const fresh = accounts.filter(({ facts }) => facts.state === 'well').length;
  if (fresh === accounts.length) return name;
  const only = accounts.length === 1 ? accounts[0]?.facts.state : undefined;
  if (only === 'partly_failing') return `${grouped(sum(accounts, 'failing'))} failing · ${name}`;
  return `${only?.replaceAll('_', ' ') ?? `${fresh} of ${accounts.length} fresh`} · ${name}`;
}

function sum(accounts: readonly AccountStatus[], of: 'jobs' | 'failing' | 'waiting'): number {
  return accounts.reduce((total, { facts }) => total + facts.tally[of], 0);
}

function top(status: Status, now: number, telemetryPath: string): Html {
  return html`<header class="top"><h1>edge-exporter</h1><span class="quiet">${status.version}</span>
<div class="clock small quiet"><span id="as-of">as of <time>${new Date(now).toISOString().slice(11, 19)}</time> UTC</span>
<label id="live" hidden><input type="checkbox" checked> refresh every 10 s</label></div>
<nav aria-label="Endpoints"><a href=".${telemetryPath}">Metrics</a><a href="./api/v1/status">Status as JSON</a>
<a href="./-/healthy">Healthy</a><a href="./-/ready">Ready</a></nav></header>
<p class="alert lost" id="lost" role="alert" hidden>The exporter does not answer. This is its last known status.</p>`;
}

/** Renders the figures. Readiness is green only if all accounts are well. */
function figures(status: Status, now: number): Html {
  const { accounts } = status;
  const failing = sum(accounts, 'failing');
  const isWell = accounts.every((account) => severityOf(account) === 0);
  const ready = html`<span class="state ${isWell ? 'ok' : 'calm'}">ready</span>`;
  return html`<dl class="figures">
<div><dt>Exporter</dt><dd class="large">${status.ready ? ready : html`<span class="state bad">not ready</span>`}</dd>${notReady(status)}</div>
<div><dt>Jobs</dt><dd class="large">${grouped(sum(accounts, 'jobs'))}</dd></div>
<div><dt>Failing</dt><dd class="large${failing > 0 ? ' bad-text' : ''}"><a href="${addressOf({ jobs: 'failing' })}">${grouped(failing)}</a></dd></div>
<div><dt>Waiting</dt><dd class="large"><a href="${addressOf({ jobs: 'waiting' })}">${grouped(sum(accounts, 'waiting'))}</a></dd></div>
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
</dl>`;
}

const SANDBOX_NOTICE = html`<p class="notice"><strong>All data here is made up.</strong> No account is configured, so this exporter
polls the platform that is embedded in it. Give it <code>EDGE_API_URL</code> and <code>EDGE_TOKEN</code>, or a <code>--config.file</code>, to see your own.</p>`;

function configuration(config: ConfigStatus, now: number): Html {
  return html`<bdi class="mono">${config.source}</bdi><div class="small quiet">loaded ${moment(config.loaded_at, now)}</div>`;
}

function pushed({ name, samples_waiting, last_success_at, note }: ReceiverStatus, now: number): Html {
  // Nothing is displayed until the queue of an earlier run is known.
  const waiting = !samples_waiting ? '' : html`, ${grouped(samples_waiting)} samples wait`;
  const trouble = note === '' ? '' : html`<div class="small bad-text"><bdi>${note}</bdi></div>`;
  return html`<bdi class="mono">${name}</bdi><div class="small quiet">last taken ${moment(last_success_at, now)}${waiting}</div>${trouble}`;
}

/** Maximum number of reasons on the page; `/-/ready` lists all. */
const MOST_REASONS = 5;

function notReady({ not_ready: reasons }: Status): Html {
  const more = reasons.length - MOST_REASONS;
  return html`${reasons.slice(0, MOST_REASONS).map((reason) => html`<dd class="small"><bdi>${reason}</bdi></dd>`)}
${more > 0 ? html`<dd class="small"><a href="./-/ready">and ${grouped(more)} more</a></dd>` : ''}`;
}

function shard({ index, of, by }: ShardStatus): Html {
  return html`<span class="mono">${index}/${of}</span><div class="small quiet">its part of the ${by}</div>`;
}

/** Renders the replicas, their accounts, and the last moves. */
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

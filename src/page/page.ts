import { createHash } from 'node:crypto';
import type { ConfigStatus, ReceiverStatus, StateStatus, Status } from '../status.ts';
import { duration } from '../text/duration.ts';
import { accountsSection } from './accounts.ts';
import { type Html, html, trusted } from './html.ts';
import { type JobQuery, selectJobs } from './job-selection.ts';
import { type TalliedAccount, tallyAccounts } from './job-totals.ts';
import { jobsForm, jobsRegion } from './jobs-table.ts';
import { PAGE_SCRIPT } from './script.ts';
import { PAGE_STYLE } from './style.ts';
import { grouped, moment } from './time-format.ts';
import { isFresh, verdictBox } from './verdict.ts';

/** What the page needs beside the status. */
export interface PageOptions {
  readonly query: JobQuery;
  /** Milliseconds since the epoch; every age is relative to it. */
  readonly now: number;
  readonly telemetryPath: string;
}

/** The page's Content-Security-Policy: its own style sheet and script by their hashes, requests to itself, nothing else. */
export const PAGE_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${sha256Source(PAGE_STYLE)}`,
  `script-src ${sha256Source(PAGE_SCRIPT)}`,
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

function sha256Source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * The status page: one self-contained HTML document that works without scripts too. It is made in small steps, since there
 * may be thousands of jobs.
 */
export function* renderPage(
  status: Status,
  { query, now, telemetryPath }: PageOptions,
): Generator<undefined, string> {
  const selection = yield* selectJobs(status.accounts, query);
  const accounts = yield* tallyAccounts(status.accounts);
  const panels = yield* accountsSection(accounts, now);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>${title(status, accounts)}</title>
<style>${trusted(PAGE_STYLE)}</style></head>
<body><div class="wrap"><a class="skip" href="#jobs-head">Skip to the jobs</a>
${top(status, now, telemetryPath)}
<main>${summary(status, accounts, now)}
${panels}
<section aria-labelledby="jobs-head"><h2 id="jobs-head">Jobs</h2>
<div class="panel"><div class="tools">${jobsForm(selection)}</div>${jobsRegion(selection, now)}</div></section>
</main></div><script>${trusted(PAGE_SCRIPT)}</script></body></html>
`.markup;
}

function title(status: Status, accounts: readonly TalliedAccount[]): string {
  const name = status.sandbox ? 'edge-exporter (made-up data)' : 'edge-exporter';
  if (!status.ready) return `Not ready · ${name}`;
  const fresh = accounts.filter(isFresh).length;
  if (fresh < accounts.length) return `${fresh} of ${accounts.length} fresh · ${name}`;
  const failing = sum(accounts, 'failing');
  return failing > 0 ? `${grouped(failing)} failing · ${name}` : name;
}

function sum(accounts: readonly TalliedAccount[], of: 'jobs' | 'failing' | 'waiting'): number {
  return accounts.reduce((total, { tally }) => total + tally[of], 0);
}

function top(status: Status, now: number, telemetryPath: string): Html {
  return html`<header class="top"><h1>edge-exporter</h1><span class="quiet">${status.version}</span>
<div class="clock small quiet"><span id="as-of">as of <time>${new Date(now).toISOString().slice(11, 19)}</time> UTC</span>
<label id="live" hidden><input type="checkbox" checked> refresh every 10 s</label></div>
<nav aria-label="Endpoints"><a href=".${telemetryPath}">Metrics</a><a href="./api/v1/status">Status as JSON</a>
<a href="./-/healthy">Healthy</a><a href="./-/ready">Ready</a></nav></header>
<p class="alert lost" id="lost" role="alert" hidden>The exporter does not answer. This is its last known status.</p>`;
}

function summary(status: Status, accounts: readonly TalliedAccount[], now: number): Html {
  const failing = sum(accounts, 'failing');
  return html`<div id="summary">${verdictBox(status, accounts, now)}${status.sandbox ? SANDBOX_NOTICE : ''}
<dl class="figures">
<div><dt>Exporter</dt><dd class="large">${
    status.ready ? html`<span class="state ok">ready</span>` : html`<span class="state bad">not ready</span>`
  }</dd>${status.not_ready.map((reason) => html`<dd class="small"><bdi>${reason}</bdi></dd>`)}</div>
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
<div class="words"><dt>State</dt><dd>${state(status.state)}</dd></div>
${status.push.map((receiver) => html`<div class="words"><dt>Push</dt><dd>${pushed(receiver, now)}</dd></div>`)}
</dl></div>`;
}

const SANDBOX_NOTICE = html`<p class="notice"><strong>All data here is made up.</strong> No account is configured, so this exporter
polls the platform that is embedded in it. Give it <code>EDGE_API_URL</code> and <code>EDGE_TOKEN</code>, or a <code>--config.file</code>, to see your own.</p>`;

function configuration(config: ConfigStatus, now: number): Html {
  return html`<bdi class="mono">${config.source}</bdi><div class="small quiet">loaded ${moment(config.loaded_at, now)}</div>`;
}

function pushed({ name, samples_waiting, last_success_at, note }: ReceiverStatus, now: number): Html {
  const waiting = samples_waiting === 0 ? '' : html`, ${grouped(samples_waiting)} samples wait`;
  const trouble = note === '' ? '' : html`<div class="small bad-text"><bdi>${note}</bdi></div>`;
  return html`<bdi class="mono">${name}</bdi><div class="small quiet">last taken ${moment(last_success_at, now)}${waiting}</div>${trouble}`;
}

function state(state: StateStatus): Html {
  const { kind, directory, note } = state;
  if (isMissing(state)) {
    return html`<bdi class="mono">${directory}</bdi><div class="small bad-text">cannot be used: counters are withheld</div>`;
  }
  const where = kind === 'durable' ? html`<bdi class="mono">${directory}</bdi>` : html`in memory only`;
  return html`${where}<div class="small quiet">${note ?? (kind === 'durable' ? 'survives a restart' : 'counters restart at zero')}</div>`;
}

/** Whether a directory was asked for that cannot be used. */
function isMissing({ kind }: StateStatus): boolean {
  return kind === 'unavailable';
}

import { createHash } from 'node:crypto';
import { type Html, html, trusted } from '../../exporter/page/html.ts';
import { PAGE_STYLE } from '../../exporter/page/style.ts';
import type { Labels } from '../promql/vector.ts';
import type { RehearsedAlert, Trace, TracePoint } from './rehearsal.ts';
import {
  acceptedText,
  type ComparisonReport,
  type Counts,
  type RehearsalReport,
  type RulesReport,
  severityOf,
} from './report.ts';
import {
  changeText,
  countText,
  lengthText,
  minute,
  perWeekText,
  reservations,
  staleText,
  subject,
  valueText,
} from './report-text.ts';

/** A page of more charts opens slowly: the rest is without. */
const MOST_CHARTS = 400;

/** How charts look, beside the page's own style. */
const CHART_STYLE = `
.chart { display: block; width: 100%; height: auto; margin: 6px 0 2px; }
.chart path { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
.chart .value { stroke: var(--link); }
.chart .usual { stroke: var(--fill); stroke-dasharray: 2 3; }
.chart .threshold { stroke: var(--bad); stroke-dasharray: 7 4; }
.chart .axis { stroke: var(--rule); stroke-width: 1; }
.chart .firing { fill: var(--bad); opacity: 0.14; }
.chart text { font-size: 11px; fill: var(--quiet); }
.chart .right { text-anchor: end; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 12px 20px 10px; }
.legend .chart { display: inline-block; width: 26px; height: 8px; vertical-align: middle; margin-right: 6px; }
.fired { padding: 10px 20px 12px; border-top: 1px solid var(--rule); }
.fired h3 { display: inline; margin-right: 12px; }
.fired p { margin-top: 2px; }
.counts td, .counts th { padding-left: 20px; }
.changes { list-style: none; padding: 10px 20px; }
`;

const STYLE = PAGE_STYLE + CHART_STYLE;
const SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:`;

const STATES = { page: 'bad', ticket: 'warn', info: 'calm' } as const;

/** The report as one HTML document that needs nothing else. */
export function reportPage(report: RehearsalReport): string {
  const { source, from, to, rules, comparison } = report;
  const title = `What would have woken me? ${countText(report.counts)}`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${SECURITY_POLICY}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><title>${title}</title><style>${trusted(STYLE)}</style></head>
<body><div class="wrap"><header class="top"><h1>What would have woken me?</h1>
<span class="quiet">${minute(from)} to ${minute(to)} UTC · ${source} · rules: ${rules}</span></header>
<main>${verdict(report)}${figures(report)}
${weeks(report)}${configurations(report)}
${comparison === undefined ? '' : comparisonSection(report, comparison)}
${alertsSection(report.alerts)}</main></div></body></html>
`.markup;
}

function verdict(report: RehearsalReport): Html {
  const { counts, stale, recurring } = report;
  const kind = counts.page > 0 ? 'bad' : counts.ticket > 0 ? 'warn' : 'ok';
  const lines = [
    ...(stale === 0 ? [] : [staleText(stale)]),
    ...recurring.map(
      (one) =>
        `${one.alert} comes at the same time on ${one.days} days. Where it is meant to, a line under accepted in an alerts file accepts it: ${acceptedText(one)}`,
    ),
    ...reservations(report),
  ];
  return html`<div class="verdict ${kind}"><p class="says">${countText(counts)}</p>${lines.map(
    (line) => html`<p class="lines quiet">${line}</p>`,
  )}</div>`;
}

function figures({ perWeek }: RulesReport): Html {
  return html`<dl class="figures">
<div><dt>Pages per week</dt><dd class="large">${perWeekText(perWeek.page)}</dd></div>
<div><dt>Tickets per week</dt><dd class="large">${perWeekText(perWeek.ticket)}</dd></div></dl>`;
}

function counts({ page, ticket, info }: Counts): Html {
  return html`<td class="number">${page}</td><td class="number">${ticket}</td><td class="number">${info}</td>`;
}

const COUNT_HEADS = html`<th class="number">Pages</th><th class="number">Tickets</th><th class="number">Info</th>`;

function weeks(report: RulesReport): Html {
  return html`<section><h2>Weeks</h2><div class="panel"><table class="counts"><thead><tr><th>Week of</th>${COUNT_HEADS}</tr></thead><tbody>${report.weeks.map(
    (week) => html`<tr><td>${minute(week.from).slice(0, 10)}</td>${counts(week.counts)}</tr>`,
  )}</tbody></table></div></section>`;
}

function configurations(report: RulesReport): Html {
  return html`<section><h2>Configurations, the noisiest first</h2><div class="panel"><table class="counts"><thead><tr><th>Configuration</th><th>Account</th><th>Product</th>${COUNT_HEADS}</tr></thead><tbody>${report.configurations.map(
    (one) =>
      html`<tr><td>${one.configuration}</td><td>${one.account}</td><td>${one.product}</td>${counts(one.counts)}</tr>`,
  )}</tbody></table></div></section>`;
}

function comparisonSection(own: RulesReport, other: ComparisonReport): Html {
  const states = { gone: 'ok', new: 'bad', changed: 'warn' } as const;
  const changes = other.changes.map(
    (change) =>
      html`<li><span class="state ${states[change.kind]}">${change.kind}</span> ${changeText(change)}</li>`,
  );
  return html`<section><h2>With ${other.rules} instead</h2><div class="panel"><p class="fired">${countText(other.counts)}; now ${countText(own.counts)}</p>
<ul class="changes">${changes.length === 0 ? html`<li>It would change no alert.</li>` : changes}</ul></div></section>`;
}

function alertsSection(alerts: readonly RehearsedAlert[]): Html {
  if (alerts.length === 0) return html`<section><h2>Alerts</h2><p>No alert would have fired.</p></section>`;
  const drawn = new Set(byGravity(alerts).slice(0, MOST_CHARTS));
  const missing =
    drawn.size < alerts.length
      ? html`<p class="fired quiet">The ${MOST_CHARTS} gravest have charts.</p>`
      : '';
  return html`<section><h2>Alerts</h2><div class="panel">${LEGEND}${missing}${alerts.map((alert) =>
    alertEntry(alert, drawn.has(alert)),
  )}</div></section>`;
}

function byGravity(alerts: readonly RehearsedAlert[]): readonly RehearsedAlert[] {
  const order = { page: 0, ticket: 1, info: 2 } as const;
  return [...alerts].sort((a, b) => order[severityOf(a)] - order[severityOf(b)]);
}

/** The lines of a chart, the last on top of the others. */
const LINES = ['threshold', 'usual', 'value'] as const;

const LEGEND = html`<p class="legend small quiet">${LINES.toReversed().map(
  (kind) =>
    html`<span><svg class="chart" viewBox="0 0 26 8" aria-hidden="true"><path class="${kind}" d="M0 4H26"/></svg>${kind}</span>`,
)}<span><svg class="chart" viewBox="0 0 26 8" aria-hidden="true"><rect class="firing" width="26" height="8"/></svg>firing</span></p>`;

function alertEntry(alert: RehearsedAlert, withChart: boolean): Html {
  const { labels } = alert;
  const severity = severityOf(alert);
  const told = facts(labels, alert, ['value', 'peak', 'usual', 'threshold']);
  return html`<article class="fired"><h3>${labels['alertname']}</h3><span class="state ${STATES[severity]}">${severity}</span>
<p>${subject(labels)}</p><p class="quiet">${minute(alert.from)} UTC for ${lengthText(alert)}: ${told}</p>${
    withChart ? chart(alert) : ''
  }</article>`;
}

/** In the units of the drawing; it is scaled to the width of the page. */
const WIDTH = 900;
const HEIGHT = 150;
const LEFT = 64;
const BOTTOM = 18;
const TOP = 8;

interface Scale {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

/** An alert over time: the value, what is usual, the threshold, and when it fires. */
function chart(alert: RehearsedAlert): Html {
  const { trace, labels, from, to } = alert;
  const { start, step, points } = trace;
  const end = Math.max(to, start + step * (points.length - 1));
  const finite = points.flatMap((point) => LINES.map((kind) => point[kind])).filter(Number.isFinite);
  // Not spread into Math.max: there may be many.
  const top = finite.reduce((most, one) => Math.max(most, one), 0) || 1;
  const scale: Scale = {
    x: (at) => round(LEFT + ((at - start) / (end - start || 1)) * (WIDTH - LEFT)),
    y: (one) => round(TOP + (1 - Math.max(0, one) / top) * (HEIGHT - TOP - BOTTOM)),
  };
  const [x, width] = [scale.x(from), round(Math.max(1, scale.x(Math.min(to, end)) - scale.x(from)))];
  const floor = HEIGHT - BOTTOM;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${description(alert)}">
<rect class="firing" x="${x}" y="${TOP}" width="${width}" height="${floor - TOP}"/>
<path class="axis" d="M${LEFT} ${TOP}V${floor}H${WIDTH}"/>
<text x="${LEFT - 6}" y="${TOP + 9}" class="right">${valueText(labels, top)}</text><text x="${LEFT - 6}" y="${floor}" class="right">0</text>
<text x="${LEFT}" y="${HEIGHT - 4}">${minute(start)}</text><text x="${WIDTH}" y="${HEIGHT - 4}" class="right">${minute(end)}</text>
${LINES.map((kind) => html`<path class="${kind}" d="${path(kind, trace, scale)}"/>`)}</svg>`;
}

function description({ labels, from, ...alert }: RehearsedAlert): string {
  return `${labels['alertname']} from ${minute(from)} UTC with ${facts(labels, alert, ['value', 'usual', 'threshold'])}`;
}

type Fact = 'value' | 'peak' | 'usual' | 'threshold';

/** Some of what is known of an alert: `value 900, usual 2`. */
function facts(labels: Labels, alert: Pick<RehearsedAlert, Fact>, names: readonly Fact[]): string {
  const known = names.filter((name) => !Number.isNaN(alert[name]));
  return known.map((name) => `${name} ${valueText(labels, alert[name])}`).join(', ');
}

/** A line through the points that there are; where there are none, it is interrupted. */
function path(kind: keyof TracePoint, { start, step, points }: Trace, { x, y }: Scale): string {
  const pieces = points.map((point, index) => {
    const move = Number.isFinite(points[index - 1]?.[kind]) ? 'L' : 'M';
    return Number.isFinite(point[kind]) ? `${move}${x(start + index * step)} ${y(point[kind])}` : '';
  });
  return pieces.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

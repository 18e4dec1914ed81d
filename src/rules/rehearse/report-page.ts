import { createHash } from 'node:crypto';
import { type Html, html, trusted } from '../../exporter/page/html.ts';
import { PAGE_STYLE } from '../../exporter/page/style.ts';
import type { Labels } from '../promql/vector.ts';
import type { RehearsedAlert, Trace, TracePoint } from './rehearsal.ts';
import { type RehearsalReport, severityOf } from './report.ts';
import {
  documentOf,
  lengthText,
  minute,
  type ReportTable,
  type Section,
  subject,
  valueText,
} from './report-document.ts';

/** Maximum number of charts, because a page with more opens slowly. */
const MOST_CHARTS = 400;

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

/** Returns the report as one self-contained HTML document. */
export function reportPage(report: RehearsalReport): string {
  const { about, verdict, sections } = documentOf(report);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${SECURITY_POLICY}"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><title>What would have woken me? ${verdict.text}</title><style>${trusted(STYLE)}</style></head>
<body><div class="wrap"><header class="top"><h1>What would have woken me?</h1><span class="quiet">${about}</span></header>
<main><div class="verdict ${verdict.tone ?? 'ok'}"><p class="says">${verdict.text}</p></div>
${sections.map(sectionMarkup)}</main></div></body></html>
`.markup;
}

function sectionMarkup({ title, lines = [], table, alerts }: Section): Html {
  if (lines.length === 0 && table === undefined && alerts === undefined) return html``;
  const listed = lines.map(
    ({ text, tone }) => html`<li class="${tone === undefined ? 'quiet' : `state ${tone}`}">${text}</li>`,
  );
  return html`<section><h2>${title}</h2><div class="panel">
${lines.length === 0 ? '' : html`<ul class="changes">${listed}</ul>`}${table === undefined ? '' : tableMarkup(table)}
${alerts === undefined ? '' : alertEntries(alerts)}</div></section>`;
}

function tableMarkup({ columns, rows }: ReportTable): Html {
  const kind = (index: number): string => columns[index]?.[1] ?? 'words';
  return html`<table class="counts"><thead><tr>${columns.map(
    ([name, of]) => html`<th class="${of}">${name}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((cell, index) => html`<td class="${kind(index)}">${cell}</td>`)}</tr>`,
  )}</tbody></table>`;
}

function alertEntries(alerts: readonly RehearsedAlert[]): Html {
  const drawn = new Set(byGravity(alerts).slice(0, MOST_CHARTS));
  const missing =
    drawn.size < alerts.length
      ? html`<p class="fired quiet">The ${MOST_CHARTS} gravest have charts.</p>`
      : '';
  return html`${LEGEND}${missing}${alerts.map((alert) => alertEntry(alert, drawn.has(alert)))}`;
}

function byGravity(alerts: readonly RehearsedAlert[]): readonly RehearsedAlert[] {
  const order = { page: 0, ticket: 1, info: 2 } as const;
  return [...alerts].sort((a, b) => order[severityOf(a)] - order[severityOf(b)]);
}

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

/** Size in units of the drawing, which is scaled to the width of the page. */
const WIDTH = 900;
const HEIGHT = 150;
const LEFT = 64;
const BOTTOM = 18;
const TOP = 8;

interface Scale {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

function chart(alert: RehearsedAlert): Html {
  const { trace, labels, from, to } = alert;
  const { start, step, points } = trace;
  const end = Math.max(to, start + step * (points.length - 1));
  const finite = points.flatMap((point) => LINES.map((kind) => point[kind])).filter(Number.isFinite);
  // Not spread into Math.max, because there may be too many values.
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

function facts(labels: Labels, alert: Pick<RehearsedAlert, Fact>, names: readonly Fact[]): string {
  const known = names.filter((name) => !Number.isNaN(alert[name]));
  return known.map((name) => `${name} ${valueText(labels, alert[name])}`).join(', ');
}

/** Returns a line through the points, with gaps at absent values. */
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

import { type Html, html } from '../page/html.ts';
import { minute, valueText } from './alert-words.ts';
import type { RehearsedAlert } from './rehearsal.ts';

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
export function chart(alert: RehearsedAlert): Html {
  const { trace, labels, from, to } = alert;
  const { start, step, value, usual, threshold } = trace;
  const end = Math.max(to, start + step * (value.length - 1));
  const finite = [...value, ...usual, ...threshold].filter(Number.isFinite);
  // Not spread into Math.max: there may be many.
  const top = finite.reduce((most, one) => Math.max(most, one), 0) || 1;
  const scale: Scale = {
    x: (at) => round(LEFT + ((at - start) / (end - start || 1)) * (WIDTH - LEFT)),
    y: (one) => round(TOP + (1 - Math.max(0, one) / top) * (HEIGHT - TOP - BOTTOM)),
  };
  const line = (points: readonly number[], kind: string): Html =>
    html`<path class="${kind}" d="${path(points, trace, scale)}"/>`;
  const [x, width] = [scale.x(from), round(Math.max(1, scale.x(Math.min(to, end)) - scale.x(from)))];
  const floor = HEIGHT - BOTTOM;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${description(alert)}">
<rect class="firing" x="${x}" y="${TOP}" width="${width}" height="${floor - TOP}"/>
<path class="axis" d="M${LEFT} ${TOP}V${floor}H${WIDTH}"/>
<text x="${LEFT - 6}" y="${TOP + 9}" class="right">${valueText(labels, top)}</text><text x="${LEFT - 6}" y="${floor}" class="right">0</text>
<text x="${LEFT}" y="${HEIGHT - 4}">${minute(start)}</text><text x="${WIDTH}" y="${HEIGHT - 4}" class="right">${minute(end)}</text>
${line(threshold, 'threshold')}${line(usual, 'usual')}${line(value, 'value')}</svg>`;
}

function description({ labels, from, value, usual, threshold }: RehearsedAlert): string {
  const parts = [
    `${labels['alertname']} from ${minute(from)} UTC with ${valueText(labels, value)}`,
    ...(Number.isNaN(usual) ? [] : [`usual ${valueText(labels, usual)}`]),
    ...(Number.isNaN(threshold) ? [] : [`threshold ${valueText(labels, threshold)}`]),
  ];
  return parts.join(', ');
}

/** A line through the points that there are; where there are none, it is interrupted. */
function path(points: readonly number[], { start, step }: RehearsedAlert['trace'], { x, y }: Scale): string {
  let drawing = false;
  const pieces = points.map((point, index) => {
    if (!Number.isFinite(point)) {
      drawing = false;
      return '';
    }
    const move = drawing ? 'L' : 'M';
    drawing = true;
    return `${move}${x(start + index * step)} ${y(point)}`;
  });
  return pieces.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** How charts look, beside the page's own style. */
export const CHART_STYLE = `
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

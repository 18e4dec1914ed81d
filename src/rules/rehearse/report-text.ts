import { left, oneLine, renderTable, right } from '../../exporter/text/output.ts';
import type { RehearsedAlert } from './rehearsal.ts';
import { type RehearsalReport, severityOf } from './report.ts';
import {
  documentOf,
  lengthText,
  minute,
  type ReportTable,
  type Section,
  subject,
  type Tone,
  valueText,
} from './report-document.ts';

/** Function that returns a text in colour, or unchanged without colours. */
export type Paint = (colour: 'red' | 'yellow' | 'grey' | 'green', text: string) => string;

const COLOURS = { bad: 'red', warn: 'yellow', ok: 'green', calm: 'grey' } as const;
const SEVERITIES = { page: 'bad', ticket: 'warn', info: 'calm' } as const satisfies Record<string, Tone>;

/** Returns the report for a terminal. */
export function reportText(report: RehearsalReport, paint: Paint): string {
  const { about, verdict, sections } = documentOf(report);
  const parts = sections.flatMap((section) => sectionText(section, paint) ?? []);
  return [`${oneLine(about)}\n${verdict.text}\n`, ...parts].join('\n');
}

function sectionText({ title, lines = [], table, alerts }: Section, paint: Paint): string | undefined {
  const texts = lines.map(({ text, tone }) =>
    tone === undefined ? oneLine(text) : paint(COLOURS[tone], oneLine(text)),
  );
  if (texts.length === 0 && table === undefined && alerts === undefined) return undefined;
  const listed = texts.map((text) => `${text}\n`).join('');
  const rows = table === undefined ? '' : tableText(table);
  return `${oneLine(title)}\n${listed}${rows}${alerts === undefined ? '' : alertTable(alerts, paint)}`;
}

function tableText({ columns, rows }: ReportTable): string {
  const heads = columns.map(([name, kind]) => (kind === 'number' ? right : left)(name.toUpperCase()));
  return renderTable(
    heads,
    rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, ''))),
  );
}

const ALERT_COLUMNS = [
  left('FROM (UTC)'),
  left('FOR'),
  left('ALERT'),
  left('OF'),
  ...['VALUE', 'PEAK', 'USUAL', 'THRESHOLD'].map((name) => right(name)),
  left('SEVERITY'),
];

/** Returns a table of alerts. The severity is the last column, so that its colour codes do not shift others. */
function alertTable(alerts: readonly RehearsedAlert[], paint: Paint): string {
  const rows = alerts.map((alert) => [
    minute(alert.from),
    lengthText(alert),
    alert.labels['alertname'] ?? '',
    subject(alert.labels),
    ...[alert.value, alert.peak, alert.usual, alert.threshold].map((value) => valueText(alert.labels, value)),
    severityOf(alert),
  ]);
  return renderTable(ALERT_COLUMNS, rows).replaceAll(
    /(page|ticket|info)\n/g,
    (_, severity: keyof typeof SEVERITIES) => `${paint(COLOURS[SEVERITIES[severity]], severity)}\n`,
  );
}

import { duration, plainNumber } from '../../exporter/text/figures.ts';
import type { Labels } from '../promql/vector.ts';
import type { RehearsedAlert } from './rehearsal.ts';
import {
  type Change,
  type Counts,
  intervalText,
  type RehearsalReport,
  type RulesReport,
  severityOf,
} from './report.ts';

/** Tone of a line, which determines its colour. */
export type Tone = 'bad' | 'warn' | 'ok' | 'calm';

export interface Line {
  readonly text: string;
  readonly tone?: Tone;
}

/** A table; columns of numbers are right-aligned. */
export interface ReportTable {
  readonly columns: readonly (readonly [name: string, kind: 'words' | 'number'])[];
  readonly rows: readonly (readonly string[])[];
}

/** Part of the report, the same in a terminal and on a page. */
export interface Section {
  readonly title: string;
  readonly lines?: readonly Line[];
  readonly table?: ReportTable;
  /** Alerts of the section; a page displays them with charts. */
  readonly alerts?: readonly RehearsedAlert[];
}

/** Text of the report, for all renderers. */
export interface ReportDocument {
  readonly about: string;
  readonly verdict: Line;
  readonly sections: readonly Section[];
}

/** Maximum number of listed configurations. The others, which have fewer alerts, are only counted. */
const MOST_CONFIGURATIONS = 100;

const COUNTS = [
  ['Pages', 'number'],
  ['Tickets', 'number'],
  ['Info', 'number'],
] as const;

/** Returns the text of a report. */
export function documentOf(report: RehearsalReport): ReportDocument {
  const { source, from, to, rules, counts, perWeek, alerts, comparison } = report;
  const week = `per week ${perWeekText(perWeek.page)} pages, ${perWeekText(perWeek.ticket)} tickets`;
  return {
    about: `${minute(from)} to ${minute(to)} UTC, ${source}; rules: ${rules}`,
    verdict: {
      text: `${countText(counts)}; ${week}`,
      tone: counts.page > 0 ? 'bad' : counts.ticket > 0 ? 'warn' : 'ok',
    },
    sections: [
      { title: 'Notes', lines: notes(report).map((text) => ({ text })) },
      weeks(report),
      configurations(report),
      ...(comparison === undefined ? [] : [comparisonOf(report, comparison)]),
      alerts.length === 0
        ? { title: 'Alerts', lines: [{ text: 'No alert would have fired.' }] }
        : { title: 'Alerts', alerts },
    ],
  };
}

function countCells({ page, ticket, info }: Counts): readonly string[] {
  return [page, ticket, info].map(String);
}

function weeks(report: RulesReport): Section {
  return {
    title: 'Weeks',
    table: {
      columns: [['Week of', 'words'], ...COUNTS],
      rows: report.weeks.map(({ from, counts }) => [minute(from).slice(0, 10), ...countCells(counts)]),
    },
  };
}

function configurations(report: RulesReport): Section {
  const shown = report.configurations.slice(0, MOST_CONFIGURATIONS);
  const left = report.configurations.length - shown.length;
  return {
    title: 'Configurations, the noisiest first',
    lines: left === 0 ? [] : [{ text: `${left} quieter configurations are left out.` }],
    table: {
      columns: [['Configuration', 'words'], ['Account', 'words'], ['Product', 'words'], ...COUNTS],
      rows: shown.map((one) => [one.configuration, one.account, one.product, ...countCells(one.counts)]),
    },
  };
}

const CHANGES = { gone: ['-', 'ok'], new: ['+', 'bad'], changed: ['~', 'warn'] } as const;

function comparisonOf(own: RulesReport, other: NonNullable<RehearsalReport['comparison']>): Section {
  const changes = other.changes.map((change): Line => {
    const [sign, tone] = CHANGES[change.kind];
    return { text: `${sign} ${changeText(change)}`, tone };
  });
  return {
    title: `With ${other.rules} instead: ${countText(other.counts)} (${countText(own.counts)} now)`,
    lines: changes.length === 0 ? [{ text: 'It would change no alert.' }] : changes,
  };
}

function changeText({ before, after }: Change): string {
  const labels = (before ?? after)?.labels ?? {};
  const form = (one: RehearsedAlert): string =>
    `${minute(one.from)} for ${lengthText(one)}, ${severityOf(one)}`;
  const forms = [before, after].flatMap((one) => (one === undefined ? [] : form(one)));
  return `${labels['alertname']} of ${subject(labels)}: ${forms.join(' → ')}`;
}

function notes({ staleData, recurring, historyBegins, notJudged }: RehearsalReport): readonly string[] {
  const names = notJudged.map(({ alert }) => alert).join(', ');
  const times = staleData === 1 ? 'once' : `${staleData} times`;
  return [
    ...(staleData === 0 ? [] : [`Besides, data was late or missing ${times} (EdgeDataStale).`]),
    ...recurring.map(
      (one) =>
        `${one.alert} comes at the same time on ${one.days} days. An Alertmanager time interval mutes it: ${intervalText(one)}`,
    ),
    ...(historyBegins === undefined
      ? []
      : [
          `The history begins at ${minute(historyBegins)}: in the first week less is known of what is usual.`,
        ]),
    ...(names === '' ? [] : [`Not judged, for lack of their metrics: ${names}`]),
  ];
}

/** Returns the counts as text: `1 page, 4 tickets, 2 infos`. */
export function countText({ page, ticket, info }: Counts): string {
  const words = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  return `${words(page, 'page')}, ${words(ticket, 'ticket')}, ${words(info, 'info')}`;
}

const SHARES = new Set([
  'Edge5xxRatio',
  'EdgeErrorsRecur',
  'Edge4xxRatio',
  'EdgeOffloadCollapse',
  'EdgeOriginErrors',
]);

const SUBJECT = [
  'account',
  'configuration',
  'family',
  'code',
  'domain',
  'certificate',
  'waf_ruleset',
  'firewall',
  'function',
  'zone',
  'network_list',
  'edge_application',
  'collector',
  'metric',
  'instance',
];

/** Returns a time in UTC, to the minute. */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns the subject of an alert: `production, shop, 503`. */
export function subject(labels: Labels): string {
  const product = labels['configuration'] === undefined ? labels['product'] : undefined;
  const rest = SUBJECT.flatMap((label) =>
    label === 'metric' && labels['about'] === 'traffic' ? [] : (labels[label] ?? []),
  );
  const [account, ...others] = rest;
  const words = [account, product, ...others].filter((word) => word !== undefined && word !== '');
  // Names come from outside, so control characters of a terminal are removed.
  return words.join(', ').replaceAll(/\p{Cc}/gu, '');
}

/** Returns the text of an alert's value; empty if there is none. */
export function valueText({ alertname = '' }: Labels, value: number): string {
  if (Number.isNaN(value)) return '';
  return SHARES.has(alertname) ? `${plainNumber(value * 100)} %` : plainNumber(value);
}

/** Returns the duration of an alert, with a plus if it is still firing. */
export function lengthText({ from, to, open }: RehearsedAlert): string {
  return `${duration((to - from) / 1_000)}${open ? ' +' : ''}`;
}

function perWeekText(perWeek: number): string {
  return perWeek > 0 && perWeek < 0.05 ? '<0.1' : String(Math.round(perWeek * 10) / 10);
}

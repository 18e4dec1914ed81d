import { duration, plainNumber } from '../../exporter/text/figures.ts';
import { left, oneLine, renderTable, right } from '../../exporter/text/output.ts';
import type { Labels } from '../promql/vector.ts';
import type { RehearsedAlert } from './rehearsal.ts';
import {
  acceptedText,
  type Change,
  type ComparisonReport,
  type ConfigurationReport,
  type Counts,
  type RehearsalReport,
  type RulesReport,
  severityOf,
} from './report.ts';

/** Paints a piece of text, or leaves it as it is. */
export type Paint = (colour: 'red' | 'yellow' | 'grey' | 'green', text: string) => string;

const COLOURS = { page: 'red', ticket: 'yellow', info: 'grey' } as const;

/** The report for a terminal. */
export function reportText(report: RehearsalReport, paint: Paint): string {
  const { source, from, to, rules, alerts, comparison } = report;
  const parts = [
    `${minute(from)} to ${minute(to)} UTC, ${source}\nRules: ${rules}\n`,
    headline(report),
    weekTable(report),
    alerts.length === 0 ? 'No alert would have fired.\n' : alertTable(alerts, paint),
    extremes(report.configurations),
    ...(comparison === undefined ? [] : [comparisonText(report, comparison, paint)]),
    notes(report),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function headline({ counts, perWeek, stale }: RulesReport): string {
  const line = `${countText(counts)}; per week ${perWeekText(perWeek.page)} pages, ${perWeekText(perWeek.ticket)} tickets\n`;
  return stale === 0 ? line : `${line}${staleText(stale)}\n`;
}

/** What is no trouble of the traffic is counted apart. */
export function staleText(stale: number): string {
  return `Besides, data was late or missing ${stale === 1 ? 'once' : `${stale} times`} (EdgeDataStale).`;
}

/** `1 page, 4 tickets, 2 infos`. */
export function countText({ page, ticket, info }: Counts): string {
  const words = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  return `${words(page, 'page')}, ${words(ticket, 'ticket')}, ${words(info, 'info')}`;
}

function weekTable({ weeks }: RulesReport): string {
  return renderTable(
    [left('WEEK OF'), right('PAGES'), right('TICKETS'), right('INFO')],
    weeks.map(({ from, counts: { page, ticket, info } }) => [
      minute(from).slice(0, 10),
      ...[page, ticket, info].map(String),
    ]),
  );
}

/** The severity stands last, so that its colour moves no other column. */
function alertTable(alerts: readonly RehearsedAlert[], paint: Paint): string {
  const text = renderTable(
    [
      left('FROM (UTC)'),
      left('FOR'),
      left('ALERT'),
      left('OF'),
      right('VALUE'),
      right('PEAK'),
      right('USUAL'),
      right('THRESHOLD'),
      left('SEVERITY'),
    ],
    alerts.map((alert) => [
      minute(alert.from),
      lengthText(alert),
      alert.labels['alertname'] ?? '',
      subject(alert.labels),
      ...[alert.value, alert.peak, alert.usual, alert.threshold].map((value) =>
        valueText(alert.labels, value),
      ),
      severityOf(alert),
    ]),
  );
  return text.replaceAll(/(page|ticket|info)\n/g, (_, severity: keyof typeof COLOURS) => {
    return `${paint(COLOURS[severity], severity)}\n`;
  });
}

function extremes(configurations: readonly ConfigurationReport[]): string {
  const [noisiest] = configurations;
  const quietest = configurations.at(-1);
  if (noisiest === undefined || quietest === undefined || noisiest === quietest) return '';
  const said = ({ account, configuration, counts }: ConfigurationReport): string =>
    oneLine(`${configuration} (${account}): ${countText(counts)}`);
  return `Noisiest configuration: ${said(noisiest)}\nQuietest configuration: ${said(quietest)}\n`;
}

function comparisonText(own: RulesReport, other: ComparisonReport, paint: Paint): string {
  const head = `With ${other.rules} instead: ${countText(other.counts)} (${countText(own.counts)} now)\n`;
  if (other.changes.length === 0) return `${head}It would change no alert.\n`;
  const signs = { gone: '-', new: '+', changed: '~' } as const;
  const colours = { gone: 'green', new: 'red', changed: 'yellow' } as const;
  const lines = other.changes.map((change) =>
    paint(colours[change.kind], `${signs[change.kind]} ${changeText(change)}`),
  );
  return `${head}${lines.join('\n')}\n`;
}

/** A change as a line. */
export function changeText({ before, after }: Change): string {
  const alert = before ?? after;
  if (alert === undefined) return '';
  const form = (one: RehearsedAlert): string =>
    `${minute(one.from)} for ${lengthText(one)}, ${severityOf(one)}`;
  const forms = [before, after].flatMap((one) => (one === undefined ? [] : form(one)));
  return `${alert.labels['alertname']} of ${subject(alert.labels)}: ${forms.join(' → ')}`;
}

function notes(report: RehearsalReport): string {
  const { recurring } = report;
  const lines = recurring.map((one) => `  ${acceptedText(one)} # ${one.alert} on ${one.days} days`);
  const proposed =
    'What comes at the same time of each day. Where it is meant to, this in an alerts file accepts it:';
  const accepted = lines.length === 0 ? [] : [proposed, 'accepted:', ...lines];
  return [...accepted, ...reservations(report)].map((line) => `${line}\n`).join('');
}

/** What the history cannot tell. */
export function reservations({ learnsFrom, notJudged }: RehearsalReport): readonly string[] {
  const names = notJudged.map(({ alert }) => alert).join(', ');
  return [
    ...(learnsFrom === undefined
      ? []
      : [`The history begins at ${minute(learnsFrom)}: in the first week less is known of what is usual.`]),
    ...(names === '' ? [] : [`Not judged, for lack of their metrics: ${names}`]),
  ];
}

/** Alerts whose value is a share. */
const SHARES = new Set(['Edge5xxRatio', 'Edge4xxRatio', 'EdgeOffloadCollapse', 'EdgeOriginErrors']);

/** What an alert is about, by the labels that tell it from others of its name. */
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

/** A moment in UTC, to the minute. */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** What an alert is about: `production, shop, 503`. */
export function subject(labels: Labels): string {
  const product = labels['configuration'] === undefined ? labels['product'] : undefined;
  const rest = SUBJECT.flatMap((label) =>
    label === 'metric' && labels['about'] === 'traffic' ? [] : (labels[label] ?? []),
  );
  const [account, ...others] = rest;
  const words = [account, product, ...others].filter((word) => word !== undefined && word !== '');
  // Names come from elsewhere: what controls a terminal is left out.
  return words.join(', ').replaceAll(/\p{Cc}/gu, '');
}

/** A value of an alert; nothing where there is none. */
export function valueText({ alertname = '' }: Labels, value: number): string {
  if (Number.isNaN(value)) return '';
  return SHARES.has(alertname) ? `${plainNumber(value * 100)} %` : plainNumber(value);
}

/** How long it fires, with a plus where it goes on. */
export function lengthText({ from, to, open }: RehearsedAlert): string {
  return `${duration((to - from) / 1_000)}${open ? ' +' : ''}`;
}

/** How many a week. */
export function perWeekText(perWeek: number): string {
  return perWeek > 0 && perWeek < 0.05 ? '<0.1' : String(Math.round(perWeek * 10) / 10);
}

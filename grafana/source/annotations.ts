import { type AnnotationQuery, AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { DATASOURCE } from './panel.ts';
import { ACCOUNT, of } from './query.ts';

const FIRING = ['alertstate="firing"', 'alertname=~"Edge.+"', 'account=~"$account|"'] as const;

/**
 * Returns a query for firing alerts of the selected accounts, and of the exporter itself, which have no
 * account.
 */
export function firingAlerts(...matchers: string[]): string {
  return of('ALERTS', ...FIRING, ...matchers);
}

/** Alerts that require action. */
export const URGENT = firingAlerts('severity!="info"');

/**
 * Times (ms) of the last change of settings, by account and kind of setting, from all families of changes.
 */
export const CHANGES = `1000 * max by (account, setting) (label_replace(${of(
  '',
  '__name__=~"edge_.+_changed_timestamp_seconds"',
  ACCOUNT,
)}, "setting", "$1", "__name__", "edge_(.+)_changed_timestamp_seconds"))`;

const LEAST_CHANGE_SECONDS = 300;

function changesOf(delay: 'publish' | 'settle'): string {
  const seconds = of(`edge_exporter_${delay}_delay_seconds`, ACCOUNT);
  const at = (offset: string) => `max by (account, product, metric) (${seconds}${offset})`;
  // One mark for all metrics of an account, because a late platform affects most of them at once.
  const changed = (now: string, before: string) =>
    `max by (account) (abs(${at(now)} - ${at(before)}) >= ${LEAST_CHANGE_SECONDS})`;
  // Compared with the minute before instead of changes(), because a minute may hold a single sample.
  const begun = `${changed('', ' offset 1m')} unless ${changed(' offset 1m', ' offset 2m')}`;
  return `label_replace(${begun}, "delay", "${delay}", "", "")`;
}

/**
 * Query for changes of the learned delays by five minutes or more within a minute. Gauges may pause after
 * such a change.
 */
export const DELAY_CHANGES = `${changesOf('publish')} or ${changesOf('settle')}`;

interface Marks {
  readonly name: string;
  readonly expr: string;
  readonly colour: string;
  readonly title: string;
  readonly text: string;
  readonly tags: string;
  readonly momentIs: 'the value' | 'the time';
}

function marks({ name, expr, colour, title, text, tags, momentIs }: Marks): AnnotationQuery {
  const annotation = new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(true)
    .hide(false)
    .iconColor(colour)
    .expr(expr)
    .target(new DataqueryBuilder().refId('Anno').datasource(DATASOURCE).expr(expr).range())
    .titleFormat(title)
    .textFormat(text)
    .tagKeys(tags)
    .step('60s')
    .useValueForTime(momentIs === 'the value');
  return annotation.build();
}

const ALERT = 'alertname, severity, account, product, configuration';

/**
 * Returns a query for the times at which alerts begin to fire. Grafana joins consecutive points to a region,
 * so only the first minute is a point.
 */
export function beginningsOf(severity: 'page' | 'ticket'): string {
  const firing = of('ALERTS', ...FIRING, `severity="${severity}"`);
  return `max by (${ALERT}) (${firing}) unless max by (${ALERT}) (last_over_time(${firing}[5m] offset 1m))`;
}

function alertMarks(severity: 'page' | 'ticket', name: string, colour: string): AnnotationQuery {
  return marks({
    name,
    expr: beginningsOf(severity),
    colour,
    title: '{{alertname}}',
    text: '{{account}} {{product}} {{configuration}}',
    tags: 'severity',
    momentIs: 'the time',
  });
}

/** Annotations at the times at which alerts begin to fire: one for pages, one for tickets. */
export const ALERT_MARKS: readonly AnnotationQuery[] = [
  alertMarks('page', 'Firing pages', 'red'),
  alertMarks('ticket', 'Firing tickets', 'orange'),
];

export const CHANGE_MARKS = marks({
  name: 'Changed settings',
  expr: CHANGES,
  colour: 'purple',
  title: 'Setting changed: {{setting}}',
  text: '{{account}}',
  tags: 'setting',
  momentIs: 'the value',
});

export const DELAY_MARKS = marks({
  name: 'Learned delays',
  expr: DELAY_CHANGES,
  colour: 'blue',
  title: 'Learned {{delay}} delays changed',
  text: '{{account}}: the exporter’s log names the metrics',
  tags: 'delay',
  momentIs: 'the time',
});

import { keyOf } from '../promql/vector.ts';
import type { Severity } from '../shipped/rule.ts';
import { DAY, MINUTE } from '../shipped/times.ts';
import type { RehearsalHistory } from './history.ts';
import type { ConfigurationName, Rehearsed, RehearsedAlert } from './rehearsal.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

const WEEK = 7 * DAY;
/** Minimum history (ms) for thresholds of the same hour; three weeks are better. */
const USUAL_NEEDS = WEEK;

export type Counts = Readonly<Record<Severity, number>>;

/** Week of the range; the last one may be shorter. */
export interface WeekReport {
  readonly from: number;
  readonly to: number;
  readonly counts: Counts;
}

export interface ConfigurationReport extends ConfigurationName {
  readonly counts: Counts;
}

/** Result of one alerts file. */
export interface RulesReport {
  /** Number of alerts of late or missing data, which the counts exclude. */
  readonly staleData: number;
  /** Alerts at the same time of each day. */
  readonly recurring: readonly Recurring[];
  /** Name of the alerts file, or of the shipped rules. */
  readonly rules: string;
  readonly alerts: readonly RehearsedAlert[];
  readonly counts: Counts;
  readonly perWeek: Counts;
  readonly weeks: readonly WeekReport[];
  /** Configurations, ordered by the number of their alerts, the most first. */
  readonly configurations: readonly ConfigurationReport[];
}

/** Report of a rehearsal. */
export interface RehearsalReport extends RulesReport {
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Start of the history, if it is too short for thresholds of every weekday at the start of the range; otherwise undefined. */
  readonly historyBegins: number | undefined;
  /** Alerts that could not be evaluated, with the missing metrics. */
  readonly notJudged: readonly { readonly alert: string; readonly missing: readonly string[] }[];
  readonly comparison: ComparisonReport | undefined;
}

export interface ComparisonReport extends RulesReport {
  readonly changes: readonly Change[];
}

export interface ReportOptions {
  readonly history: Pick<RehearsalHistory, 'source' | 'from' | 'to' | 'names'>;
  readonly rehearsed: Rehearsed;
  readonly rules: readonly { readonly name: string; readonly rules: RehearsedRules }[];
}

/** Returns the report of one set of rules, and the differences of a second one. */
export function reportOf({ history, rehearsed, rules }: ReportOptions): RehearsalReport {
  const { source, from, to } = history;
  const reports = rules.map(({ name }, index) =>
    rulesReport(name, rehearsed.alerts[index] ?? [], rehearsed.configurations, history),
  );
  const [own, other] = reports;
  if (own === undefined) throw new Error('a rehearsal without rules');
  const { first = to } = rehearsed;
  return {
    source,
    from,
    to,
    ...own,
    historyBegins: first > from - USUAL_NEEDS ? first : undefined,
    notJudged: notJudged(rules[0]?.rules, history),
    comparison: other && { ...other, changes: compare(own.alerts, other.alerts) },
  };
}

function rulesReport(
  rules: string,
  alerts: readonly RehearsedAlert[],
  names: readonly ConfigurationName[],
  { from, to }: Pick<RehearsalHistory, 'from' | 'to'>,
): RulesReport {
  const judged = alerts.filter(({ labels }) => labels['alertname'] !== 'EdgeDataStale');
  const counts = countsOf(judged);
  const weeks = (to - from) / WEEK;
  const configurations = names.map((name) => ({
    ...name,
    counts: countsOf(judged.filter((one) => isOf(one, name))),
  }));
  return {
    rules,
    alerts,
    staleData: alerts.length - judged.length,
    recurring: recurring(judged),
    counts,
    perWeek: { page: counts.page / weeks, ticket: counts.ticket / weeks, info: counts.info / weeks },
    weeks: Array.from({ length: Math.ceil(weeks) }, (_, index) => {
      const week = { from: from + index * WEEK, to: Math.min(to, from + (index + 1) * WEEK) };
      const within = judged.filter((alert) => alert.from >= week.from && alert.from < week.to);
      return { ...week, counts: countsOf(within) };
    }),
    configurations: configurations.sort((a, b) => noise(b.counts) - noise(a.counts) || byName(a, b)),
  };
}

function isOf({ labels }: RehearsedAlert, { account, product, configuration }: ConfigurationName): boolean {
  return (
    labels['account'] === account &&
    labels['configuration'] === configuration &&
    (labels['product'] ?? product) === product
  );
}

function byName(a: ConfigurationName, b: ConfigurationName): number {
  return a.account.localeCompare(b.account) || a.configuration.localeCompare(b.configuration);
}

/** Returns a sort key: pages first, then tickets, then infos. */
function noise({ page, ticket, info }: Counts): number {
  return page * 1e8 + ticket * 1e4 + info;
}

export function countsOf(alerts: readonly RehearsedAlert[]): Counts {
  const of = (severity: Severity): number => alerts.filter((alert) => severityOf(alert) === severity).length;
  return { page: of('page'), ticket: of('ticket'), info: of('info') };
}

export function severityOf({ labels }: RehearsedAlert): Severity {
  const { severity } = labels;
  return severity === 'page' || severity === 'ticket' ? severity : 'info';
}

function notJudged(
  rules: RehearsedRules | undefined,
  { names }: Pick<RehearsalHistory, 'names'>,
): RehearsalReport['notJudged'] {
  const all = [...(rules?.madeOf ?? [])];
  return all.flatMap(([alert, madeOf]) =>
    [...madeOf].some((name) => names.has(name)) ? [] : [{ alert, missing: [...madeOf] }],
  );
}

/** Difference between two alerts files in one alert. */
export interface Change {
  readonly kind: 'gone' | 'new' | 'changed';
  /** Undefined if the alert is new. */
  readonly before: RehearsedAlert | undefined;
  /** Undefined if the alert no longer fires. */
  readonly after: RehearsedAlert | undefined;
}

/** Returns the differences between the alerts of two sets of rules over the same history, ordered by time. */
export function compare(
  before: readonly RehearsedAlert[],
  after: readonly RehearsedAlert[],
): readonly Change[] {
  const left = new Set(after);
  const others = new Map<string, RehearsedAlert[]>();
  for (const alert of after) others.set(identity(alert), [...(others.get(identity(alert)) ?? []), alert]);
  const changes = before.flatMap((alert): readonly Change[] => {
    const same = others.get(identity(alert))?.find((other) => left.has(other) && overlap(other, alert));
    if (same === undefined) return [{ kind: 'gone', before: alert, after: undefined }];
    left.delete(same);
    return isSame(alert, same) ? [] : [{ kind: 'changed', before: alert, after: same }];
  });
  const added = [...left].map((alert): Change => ({ kind: 'new', before: undefined, after: alert }));
  return [...changes, ...added].sort((a, b) => beginning(a) - beginning(b));
}

/** Returns the identity of an alert: all labels except the severity. */
function identity({ labels: { severity: _, ...labels } }: RehearsedAlert): string {
  return keyOf(labels);
}

function overlap(a: RehearsedAlert, b: RehearsedAlert): boolean {
  return a.from < b.to && b.from < a.to;
}

function isSame(a: RehearsedAlert, b: RehearsedAlert): boolean {
  return a.from === b.from && a.to === b.to && a.labels['severity'] === b.labels['severity'];
}

function beginning({ before, after }: Change): number {
  return Math.min(before?.from ?? Number.POSITIVE_INFINITY, after?.from ?? Number.POSITIVE_INFINITY);
}

/** Maximum difference (ms) of alerts that count as the same time of day. */
const ALIKE = 45 * MINUTE;

const DAYS = 3;

/** Maximum delay (ms) of an alert after its cause, rounded up. */
const BEFORE = 20 * MINUTE;
const ROUNDED = 10 * MINUTE;

/** Alerts at the same time of each day. */
export interface Recurring {
  readonly alert: string;
  readonly days: number;
  readonly accounts: readonly string[];
  readonly configurations: readonly string[] | undefined;
  /** Span in UTC: `02:00-02:40`. */
  readonly daily: string;
}

/** Returns alerts that recur at the same hour on several days, which a nightly job causes more likely than an attack. */
export function recurring(alerts: readonly RehearsedAlert[]): readonly Recurring[] {
  const alike = new Map<string, RehearsedAlert[]>();
  for (const alert of alerts) {
    if (alert.labels['severity'] === 'info' || alert.labels['about'] !== 'traffic') continue;
    const { alertname, account, product, configuration } = alert.labels;
    const key = JSON.stringify([alertname, account, product, configuration]);
    alike.set(key, [...(alike.get(key) ?? []), alert]);
  }
  return [...alike.values()].flatMap((group) => ofGroup(group) ?? []);
}

function ofGroup(group: readonly RehearsedAlert[]): Recurring | undefined {
  const [best] = group
    .map(({ from }) => ({ start: from, members: group.filter((other) => after(from, other.from) < ALIKE) }))
    .sort((a, b) => days(b.members) - days(a.members));
  const first = best?.members[0];
  if (best === undefined || first === undefined || days(best.members) < DAYS) return undefined;
  const { start, members } = best;
  const lasts = Math.max(...members.map(({ from, to }) => after(start, from) + to - from));
  const { account = '', configuration } = first.labels;
  return {
    alert: first.labels['alertname'] ?? '',
    days: days(members),
    accounts: [account],
    configurations: configuration === undefined ? undefined : [configuration],
    daily: `${timeOfDay(start - BEFORE, Math.floor)}-${timeOfDay(start + lasts, Math.ceil)}`,
  };
}

/** Returns the time (ms) from one time of day to another. */
function after(one: number, other: number): number {
  return (((other - one) % DAY) + DAY) % DAY;
}

function days(alerts: readonly RehearsedAlert[]): number {
  return new Set(alerts.map(({ from }) => Math.floor((from - BEFORE) / DAY))).size;
}

function timeOfDay(at: number, round: (value: number) => number): string {
  return new Date(round(at / ROUNDED) * ROUNDED).toISOString().slice(11, 16);
}

/** Returns an Alertmanager time interval that mutes a recurring alert. */
export function intervalText({ daily }: Recurring): string {
  const [start, end] = daily.split('-');
  return `- { name: recurring, time_intervals: [{ times: [{ start_time: "${start}", end_time: "${end}" }] }] }`;
}

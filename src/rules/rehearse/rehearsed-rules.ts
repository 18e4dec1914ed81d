import { createHash } from 'node:crypto';
import type { Group, GroupRule } from '../promql/evaluation.ts';
import { parse, selectorsOf } from '../promql/parse.ts';
import { type Labels, only } from '../promql/vector.ts';
import type { AlertSettings } from '../shipped/alert-settings.ts';
import { Tuning } from '../shipped/alert-settings.ts';
import { risingThreshold } from '../shipped/baselines.ts';
import { burning, ratio5xx } from '../shipped/error-rules.ts';
import {
  labelsOf,
  MEASURES,
  type Measure,
  measures,
  recorded,
  SCOPE_NAMES,
  SCOPES,
  type Scope,
} from '../shipped/measures.ts';
import { originSeries } from '../shipped/origin-alerts.ts';
import type { AlertRule, RecordingRule } from '../shipped/rule.ts';
import { ruleFiles } from '../shipped/rule-files.ts';
import { TIMES } from '../shipped/times.ts';
import { hourLimit } from '../shipped/traffic-alerts.ts';

/** The rules that `edge-exporter rules` writes, as they are evaluated here. */
export interface RehearsedRules {
  readonly groups: readonly Group[];
  /** The names of the series, as they are scraped, that rules evaluated here are made of. */
  readonly scraped: ReadonlySet<string>;
  /**
   * Expressions of scraped series alone, by the name of the series that stands for each in the groups. A Prometheus
   * evaluates these itself, functions and all; any other history has none of the series that they are made of.
   */
  readonly asked: ReadonlyMap<string, string>;
  /** What each alert is made of in the end: names of scraped series. */
  readonly madeOf: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The rules of an alerts file. */
export function rehearsedRules(settings: AlertSettings): RehearsedRules {
  const { recording, alerts } = ruleFiles(settings);
  const sources = new Map<string, ReadonlySet<string>>();
  for (const { record, expr } of recording.groups.flatMap(({ rules }) => rules)) {
    const known = sources.get(record) ?? [];
    sources.set(record, new Set([...known, ...namesIn(expr)]));
  }
  const asked = new Map<string, string>();
  const madeOf = new Map<string, ReadonlySet<string>>();
  const alertGroups = alerts.groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule): GroupRule => {
      madeOf.set(rule.alert, new Set([...(madeOf.get(rule.alert) ?? []), ...scrapedOf(rule.expr, sources)]));
      return namesIn(rule.expr).some((name) => sources.has(name)) ? rule : askedRule(rule, asked);
    }),
  }));
  const shown = { name: 'rehearsal', interval: '1m', rules: limitRules(settings) };
  const groups: readonly Group[] = [...recording.groups, shown, ...alertGroups];
  return { groups, scraped: scrapedIn(groups, asked), asked, madeOf };
}

function namesIn(expr: string): readonly string[] {
  return selectorsOf(parse(expr)).map(({ name }) => name);
}

/** The scraped series that an expression is made of, through what is recorded. */
function scrapedOf(expr: string, sources: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>();
  const scraped = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const made = sources.get(name);
    if (made === undefined) scraped.add(name);
    else made.forEach(visit);
  };
  namesIn(expr).forEach(visit);
  return scraped;
}

/** The same expression always has the same name: several alerts files may share it. */
function askedRule(rule: AlertRule, asked: Map<string, string>): GroupRule {
  const name = `rehearsal:asked:${createHash('sha256').update(rule.expr).digest('hex')}`;
  asked.set(name, rule.expr);
  return { ...rule, expr: name };
}

function scrapedIn(groups: readonly Group[], asked: ReadonlyMap<string, string>): ReadonlySet<string> {
  const all = groups.flatMap(({ rules }) => [...rules]);
  const recorded = new Set(all.flatMap((rule) => ('record' in rule ? rule.record : [])));
  const names = all.flatMap(({ expr }) => namesIn(expr));
  return new Set(names.filter((name) => !asked.has(name) && !recorded.has(name)));
}

/** The recorded series that an alert of traffic is made of, and their labels. */
export interface JudgedSeries {
  readonly value: string;
  /** What is usual at this hour, where that is known. */
  readonly usual: string | undefined;
  /** The first of these that is there. */
  readonly thresholds: readonly string[];
  /** What applies instead where it was told for the mean of an hour, whose value is below the others. */
  readonly ofHour?: string;
  readonly labels: Labels;
}

/** What the names begin with of what is recorded to be shown, and is in no rule file. */
const SHOWN = 'rehearsal';

/** Whether a series is one of those. */
export function isShown(name: string): boolean {
  return name.startsWith(`${SHOWN}:`);
}

function serverErrorLimit(scope: Scope, speed: 'slow' | 'budget'): string {
  return `${SHOWN}:${scope}:edge_server_error_ratio:${speed}`;
}

function risingLimit(scope: Scope): string {
  return `${SHOWN}:${scope}:edge_waf_threats_per_minute:rising`;
}

function hourlyLimit(scope: Scope, { name }: Pick<Measure, 'name'>): string {
  return `${SHOWN}:${scope}:${name}:hour`;
}

/** What is recorded besides the rules, so that it can be shown: the limits of the share of server errors, of what grows slowly, and of the mean of an hour. */
export function limitRules(settings: AlertSettings): readonly RecordingRule[] {
  const tuning = new Tuning(settings);
  const [short] = TIMES.burn.fast;
  return SCOPE_NAMES.flatMap((scope) => {
    const ratio = ratio5xx(scope, short);
    const budget = tuning.value('Edge5xxRatio', 'budget', { series: ratio, labels: SCOPES[scope] });
    return [
      { record: serverErrorLimit(scope, 'slow'), expr: `0 * ${ratio} + ${burning(scope, 'slow', tuning)}` },
      { record: serverErrorLimit(scope, 'budget'), expr: `0 * ${ratio} + ${budget}` },
      { record: risingLimit(scope), expr: risingThreshold(scope, TIMES, tuning) },
      ...[MEASURES.threats, MEASURES.errors].map((measure) => ({
        record: hourlyLimit(scope, measure),
        expr: hourLimit({ scope, measure, times: TIMES, tuning }),
      })),
    ];
  });
}

/** The series to show beside an alert; undefined for alerts that no comparison of traffic is behind. */
export function judgedSeries(alert: Labels): JudgedSeries | undefined {
  const scope = SCOPE_NAMES.find((name) => name === alert['scope']);
  if (scope === undefined) return undefined;
  const { alertname: name = '' } = alert;
  if (name === 'Edge5xxRatio') return serverErrors(scope, alert);
  const { errorRatio, time, usualTime } = originSeries();
  const origin = { usual: undefined, thresholds: [], labels: only(alert, SCOPES[scope]) };
  if (name === 'EdgeOriginErrors') return { ...origin, value: errorRatio };
  if (name === 'EdgeOriginSlow') return { ...origin, value: time, usual: usualTime };
  const measure = measures().find((one) => alertsOf(one).includes(name));
  if (measure === undefined) return undefined;
  const names = recorded(scope, measure);
  const own = name === 'EdgeWafSpike' ? [risingLimit(scope)] : [];
  return {
    value: names.value,
    usual: measure.usual === true ? names.usual : undefined,
    thresholds: measure.alert === 'EdgeTrafficFlood' ? [] : [...own, names.threshold],
    ...(elevatedOf(measure) === name && { ofHour: hourlyLimit(scope, measure) }),
    labels: only(alert, labelsOf(scope, measure)),
  };
}

/** The alert of what is too much in an hour, though not in its minutes. */
function elevatedOf({ alert }: Measure): string | undefined {
  if (alert === 'EdgeWafSpike') return 'EdgeWafElevated';
  return alert === 'EdgeStatusCodeSurge' ? alert : undefined;
}

/** Returns the alerts that are made of a measure. */
export function alertsOf(measure: Measure): readonly string[] {
  const drop = measure.alert === 'EdgeTrafficFlood' ? ['EdgeTrafficDrop'] : [];
  return [measure.alert, elevatedOf(measure) ?? measure.alert, ...drop];
}

function serverErrors(scope: Scope, alert: Labels): JudgedSeries {
  const { fast, creeping } = TIMES.burn;
  const isPage = alert['severity'] === 'page';
  const window = isPage ? fast[0] : creeping[0];
  return {
    value: ratio5xx(scope, window),
    usual: undefined,
    thresholds: [serverErrorLimit(scope, isPage ? 'slow' : 'budget')],
    labels: only(alert, SCOPES[scope]),
  };
}

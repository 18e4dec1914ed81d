import { createHash } from 'node:crypto';
import type { Group, GroupRule } from '../promql/evaluation.ts';
import { parse, selectorsOf } from '../promql/parse.ts';
import { type Labels, only } from '../promql/vector.ts';
import type { AlertSettings } from '../shipped/alert-settings.ts';
import { Tuning } from '../shipped/alert-settings.ts';
import { burning, ratio5xx } from '../shipped/error-rules.ts';
import {
  labelsOf,
  type Measure,
  measures,
  recorded,
  SCOPE_NAMES,
  SCOPES,
  type Scope,
  type SpikeAlert,
} from '../shipped/measures.ts';
import { originSeries } from '../shipped/origin-alerts.ts';
import type { AlertRule, RecordingRule } from '../shipped/rule.ts';
import { ruleFiles } from '../shipped/rule-files.ts';
import { TIMES } from '../shipped/times.ts';

/** Rules of `edge-exporter rules`, in a form for evaluation without Prometheus. */
export interface RehearsedRules {
  readonly groups: readonly Group[];
  /** Names of the scraped series of these rules. */
  readonly scraped: ReadonlySet<string>;
  /**
   * Expressions of scraped series only, by the name that replaces each in the groups. A Prometheus evaluates them itself, with
   * functions that this evaluation lacks. Other histories do not have their series.
   */
  readonly asked: ReadonlyMap<string, string>;
  /** Names of the scraped series that each alert depends on. */
  readonly madeOf: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Returns the rules of an alerts file. */
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

/** Returns the names of the scraped series in an expression, directly or through recorded ones. */
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

/** Returns a rule whose expression is replaced by a name. Equal expressions have equal names, so that alerts files share them. */
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

/** Recorded series that belong to a traffic alert, and their labels. */
export interface JudgedSeries {
  readonly value: string;
  /** Name of the recorded baseline for this hour; undefined if there is none. */
  readonly usual: string | undefined;
  readonly threshold: string | undefined;
  readonly labels: Labels;
}

/** Prefix of series that are recorded only for display, and are in no rule file. */
const SHOWN = 'rehearsal';

/** Returns true if a series is recorded only for display. */
export function isShown(name: string): boolean {
  return name.startsWith(`${SHOWN}:`);
}

function serverErrorLimit(scope: Scope, speed: 'slow' | 'budget'): string {
  return `${SHOWN}:${scope}:edge_server_error_ratio:${speed}`;
}

/** Returns rules that record the limits of the share of server errors, for display. */
export function limitRules(settings: AlertSettings): readonly RecordingRule[] {
  const tuning = new Tuning(settings);
  const [short] = TIMES.burn.fast;
  return SCOPE_NAMES.flatMap((scope) => {
    const ratio = ratio5xx(scope, short);
    const budget = tuning.value('Edge5xxRatio', 'budget', { series: ratio, labels: SCOPES[scope] });
    return [
      { record: serverErrorLimit(scope, 'slow'), expr: `0 * ${ratio} + ${burning(scope, 'slow', tuning)}` },
      { record: serverErrorLimit(scope, 'budget'), expr: `0 * ${ratio} + ${budget}` },
    ];
  });
}

/** Returns the series to display beside an alert; undefined if it does not compare traffic. */
export function judgedSeries(alert: Labels): JudgedSeries | undefined {
  const scope = SCOPE_NAMES.find((name) => name === alert['scope']);
  if (scope === undefined) return undefined;
  const { alertname: name = '' } = alert;
  if (name === 'Edge5xxRatio') return serverErrors(scope, alert);
  const { errorRatio, time, usualTime } = originSeries();
  const origin = { usual: undefined, threshold: undefined, labels: only(alert, SCOPES[scope]) };
  if (name === 'EdgeOriginErrors') return { ...origin, value: errorRatio };
  if (name === 'EdgeOriginSlow') return { ...origin, value: time, usual: usualTime };
  const measure = measures().find((one) => alertsOf(one).includes(name));
  if (measure === undefined) return undefined;
  const names = recorded(scope, measure);
  return {
    value: names.value,
    usual: measure.usual === true ? names.usual : undefined,
    threshold: measure.alert === 'EdgeTrafficFlood' ? undefined : names.threshold,
    labels: only(alert, labelsOf(scope, measure)),
  };
}

/** Returns the alerts of a measure. */
export function alertsOf({ alert }: Measure): readonly string[] {
  const others: Partial<Record<SpikeAlert, string>> = {
    EdgeWafSpike: 'EdgeWafElevated',
    EdgeTrafficFlood: 'EdgeTrafficDrop',
  };
  return [alert, others[alert] ?? alert];
}

function serverErrors(scope: Scope, alert: Labels): JudgedSeries {
  const { fast, creeping } = TIMES.burn;
  const isPage = alert['severity'] === 'page';
  const window = isPage ? fast[0] : creeping[0];
  return {
    value: ratio5xx(scope, window),
    usual: undefined,
    threshold: serverErrorLimit(scope, isPage ? 'slow' : 'budget'),
    labels: only(alert, SCOPES[scope]),
  };
}

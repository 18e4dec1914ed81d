import { createHash } from 'node:crypto';
import { parse } from '../promql/parse.ts';
import type { Group, GroupRule } from '../promql/rule-group.ts';
import { selectorsOf } from '../promql/selectors.ts';
import type { AlertSettings } from '../rules/alert-settings.ts';
import type { AlertRule } from '../rules/rule.ts';
import { ruleFiles } from '../rules/rule-files.ts';
import { limitRules } from './judged-series.ts';

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
  return { groups, scraped: scrapedIn(groups, sources, asked), asked, madeOf };
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
function askedRule({ alert, expr, labels, ...times }: AlertRule, asked: Map<string, string>): GroupRule {
  const name = `rehearsal:asked:${createHash('sha256').update(expr).digest('hex')}`;
  asked.set(name, expr);
  const { for: hold, keep_firing_for: kept } = times;
  return {
    alert,
    expr: name,
    ...(hold !== undefined && { for: hold }),
    ...(kept !== undefined && { keep_firing_for: kept }),
    labels,
  };
}

function scrapedIn(
  groups: readonly Group[],
  sources: ReadonlyMap<string, unknown>,
  asked: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const own = new Set(
    groups.flatMap(({ rules }) => rules.flatMap((rule) => ('record' in rule ? rule.record : []))),
  );
  const names = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => namesIn(expr)));
  return new Set(names.filter((name) => !sources.has(name) && !asked.has(name) && !own.has(name)));
}

import type { RuleFiles } from '../../src/rules/rule-files.ts';

interface Group<Rule> {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

function only<Rule>(groups: readonly Group<Rule>[], wanted: (rule: Rule) => boolean): readonly Group<Rule>[] {
  const kept = groups.map((group) => ({ ...group, rules: group.rules.filter(wanted) }));
  return kept.filter(({ rules }) => rules.length > 0);
}

/** The rules of one alert with all that they are made of: promtool evaluates every rule at every step. */
export function neededRules(
  { recording, alerts }: RuleFiles,
  alert: string,
): {
  readonly groups: readonly { readonly name: string }[];
} {
  const ofAlert = only(alerts.groups, (rule) => rule.alert === alert);
  const recordings = recording.groups.flatMap(({ rules }) => rules);
  const needed = new Set<string>();
  const need = (expr: string): void => {
    for (const { record, expr: inner } of recordings) {
      if (needed.has(record) || !expr.includes(record)) continue;
      needed.add(record);
      need(inner);
    }
  };
  for (const { rules } of ofAlert) for (const { expr } of rules) need(expr);
  return { groups: [...only(recording.groups, ({ record }) => needed.has(record)), ...ofAlert] };
}

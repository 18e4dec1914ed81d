import type { AlertRule, RecordingRule } from '../../../src/rules/shipped/rule.ts';
import type { RuleFiles } from '../../../src/rules/shipped/rule-files.ts';

interface Group<Rule> {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

function groupsWith<Rule>(
  groups: readonly Group<Rule>[],
  wanted: (rule: Rule) => boolean,
): readonly Group<Rule>[] {
  const kept = groups.map((group) => ({ ...group, rules: group.rules.filter(wanted) }));
  return kept.filter(({ rules }) => rules.length > 0);
}

/**
 * Returns the given alerts with all rules that they depend on. promtool evaluates every rule at every step,
 * so others would only cost time.
 */
export function neededRules(
  { recording, alerts }: RuleFiles,
  ...wanted: readonly string[]
): { readonly groups: readonly Group<AlertRule | RecordingRule>[] } {
  const ofAlert = groupsWith(alerts.groups, (rule) => wanted.includes(rule.alert));
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
  return { groups: [...groupsWith(recording.groups, ({ record }) => needed.has(record)), ...ofAlert] };
}

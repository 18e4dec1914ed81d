import { formatDuration, parseDuration } from '../../../src/exporter/text/figures.ts';
import type { Group, GroupRule } from '../../../src/rules/promql/evaluation.ts';

const BEFORE = 30_000;

/** Rule with a query that evaluates it at any moment. */
export interface AskedRule {
  readonly rule: GroupRule;
  /** Milliseconds between two evaluations. */
  readonly interval: number;
  readonly query: string;
}

/**
 * Returns the rules in the order of their evaluation, as queries. In a group, a rule sees the results of itself and of
 * later rules from the evaluation before. So its query reads these series half a minute earlier.
 */
export function askedRules(groups: readonly Group[]): readonly AskedRule[] {
  const rules = groups.flatMap(({ rules: all, interval }) => all.map((rule) => ({ rule, interval })));
  return rules.map(({ rule, interval }, index) => {
    const later = rules.slice(index).flatMap(({ rule: one }) => ('record' in one ? [one.record] : []));
    return {
      rule,
      interval: parseDuration(interval) ?? 60_000,
      query: lookedAtBefore(rule.expr, new Set(later)),
    };
  });
}

function lookedAtBefore(expr: string, names: ReadonlySet<string>): string {
  const selector = /([a-z_]+:[a-z0-9_:]+)(\{[^}]*\})?(?:\[(\w+)\])?( offset \w+)?/g;
  return expr.replaceAll(selector, (text, name: string, matchers = '', range?: string, offset?: string) => {
    // An offset already refers to earlier evaluations.
    if (!names.has(name) || offset !== undefined) return text;
    const span = range === undefined ? '' : `[${formatDuration((parseDuration(range) ?? 0) - BEFORE)}]`;
    return `${name}${matchers}${span} offset ${formatDuration(BEFORE)}`;
  });
}

import { formatDuration, parseDuration } from '../../../src/exporter/text/figures.ts';
import type { Group, GroupRule } from '../../../src/rules/promql/evaluation.ts';

const BEFORE = 30_000;

/** A rule, and how it is asked for by a query about any moment. */
export interface AskedRule {
  readonly rule: GroupRule;
  /** Milliseconds between two evaluations. */
  readonly interval: number;
  readonly query: string;
}

/**
 * The rules in the order of their evaluation, as queries. In a group's evaluation, a rule sees what itself and the rules
 * after it recorded in the evaluation before; a query over a history that is there as a whole would see what they
 * record at that moment, and so it looks at those series from half a minute earlier.
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
    // Offsets refer to long ago.
    if (!names.has(name) || offset !== undefined) return text;
    const span = range === undefined ? '' : `[${formatDuration((parseDuration(range) ?? 0) - BEFORE)}]`;
    return `${name}${matchers}${span} offset ${formatDuration(BEFORE)}`;
  });
}

import { describe, expect, it } from 'vitest';
import { ExpressionError, parse, selectorsOf } from '../../../src/rules/promql/parse.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';

/** Returns an expression with parentheses around each operation, which show the precedence. */
function bracketed(text: string): string {
  const show = (of: ReturnType<typeof parse>): string => {
    switch (of.kind) {
      case 'number':
      case 'text':
        return String(of.value);
      case 'call':
        return `${of.name}(${of.arguments.map(show).join(', ')})`;
      case 'aggregation':
        return `${of.operation}(${show(of.of)})`;
      case 'operation':
        return `(${show(of.left)} ${of.operator} ${show(of.right)})`;
      case 'selector':
        return `${of.name}${of.range === undefined ? '' : `[${of.range}]`}${of.offset === 0 ? '' : `@-${of.offset}`}`;
    }
  };
  return show(parse(text));
}

describe('an expression that is read', () => {
  it.each([
    ['a or b and c > d + e * f', '(a or (b and (c > (d + (e * f)))))'],
    ['a - b - c', '((a - b) - c)'],
    ['-a * 2', '((0 - a) * 2)'],
    ['+a', 'a'],
  ])('binds operators as Prometheus does: %s', (text, expected) => {
    expect(bracketed(text)).toBe(expected);
  });

  it.each([
    ['a + b offset 5m * 2', '(a + (b@-300000 * 2))'],
    ['-a offset 1m', '(0 - a@-60000)'],
    ['a or b offset 1m unless c offset 2m', '(a or (b@-60000 unless c@-120000))'],
    ['(a or b offset 1m) / rate(c[5m] offset 2m)', '((a or b@-60000) / rate(c[300000]@-120000))'],
  ])('shifts the selector before an offset alone: %s', (text, expected) => {
    expect(bracketed(text)).toBe(expected);
  });

  it('keeps matchers, groupings and matching', () => {
    const text =
      'sum by (x) (a{b="c\\"d", e!~"f|g"}) > bool on (x, y) group_left () quantile without (z) (0.5, h)';
    expect(parse(text)).toMatchObject({
      bool: true,
      on: ['x', 'y'],
      groupLeft: true,
      left: {
        grouping: { by: true, labels: ['x'] },
        of: {
          matchers: [
            { label: 'b', operator: '=', value: 'c"d' },
            { label: 'e', operator: '!~', value: 'f|g' },
          ],
        },
      },
      right: { grouping: { by: false, labels: ['z'] }, parameter: { value: 0.5 }, of: { name: 'h' } },
    });
  });

  it.each([
    'a ==',
    'a b',
    'sum(',
    '',
    'rate(a[5m:1m])',
    'a @ 5',
    'a unless ignoring (x) b',
    'topk(3, a)',
    '5m',
  ])('is refused where it is no PromQL, or more of it than is evaluated: %s', (text) => {
    expect(() => parse(text)).toThrow(ExpressionError);
  });

  it('can be any shipped rule, and names its series', () => {
    const { recording, alerts } = ruleFiles();
    const rules = [...recording.groups, ...alerts.groups].flatMap((group) => [...group.rules]);
    for (const { expr } of rules) expect(selectorsOf(parse(expr)).length).toBeGreaterThan(0);
  });
});

import type { Expression, Selector } from './expression.ts';

/** The selectors of an expression, in their order. */
export function selectorsOf(expression: Expression): readonly Selector[] {
  switch (expression.kind) {
    case 'selector':
      return [expression];
    case 'call':
      return expression.arguments.flatMap(selectorsOf);
    case 'aggregation':
      return [expression.parameter, expression.of].flatMap((part) =>
        part === undefined ? [] : selectorsOf(part),
      );
    case 'operation':
      return [...selectorsOf(expression.left), ...selectorsOf(expression.right)];
    default:
      return [];
  }
}

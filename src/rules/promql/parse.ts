import { parser } from '@prometheus-io/lezer-promql';
import { parseDuration } from '../../exporter/text/figures.ts';

/** A matcher of a selector. */
export interface LabelMatcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** A selector of series at a given time, or with a range before it. */
export interface Selector {
  readonly kind: 'selector';
  readonly name: string;
  readonly matchers: readonly LabelMatcher[];
  /** Milliseconds. */
  readonly range: number | undefined;
  /** Milliseconds. */
  readonly offset: number;
}

export interface Aggregation {
  readonly kind: 'aggregation';
  readonly operation: string;
  readonly grouping: { readonly by: boolean; readonly labels: readonly string[] };
  readonly parameter: Expression | undefined;
  readonly of: Expression;
}

export interface Operation {
  readonly kind: 'operation';
  readonly operator: string;
  readonly bool: boolean;
  /** Labels to match by; undefined for all. */
  readonly on: readonly string[] | undefined;
  /** True if several elements of the left side may match one of the right. */
  readonly groupLeft: boolean;
  readonly left: Expression;
  readonly right: Expression;
}

/** Expression in the subset of PromQL that rules use. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  | Selector
  | Aggregation
  | Operation;

/** Error for a text that is not PromQL, or that uses unsupported syntax. */
export class ExpressionError extends Error {
  constructor(message: string, text: string, at: number) {
    super(`${message} at ${at} of: ${text}`);
  }
}

type Node = ReturnType<typeof parser.parse>['topNode'];

const AGGREGATIONS = new Set(['sum', 'min', 'max', 'avg', 'count', 'quantile']);

/**
 * Parses an expression with Prometheus' own grammar.
 * @throws {ExpressionError} if it is not PromQL, or uses subqueries, `@` or `ignoring`
 */
export function parse(text: string): Expression {
  const bound = withOffsetsBound(text);
  const [root] = childrenOf(treeOf(bound));
  if (root === undefined) throw new ExpressionError('expected an expression', text, 0);
  return new Reader(bound).expression(root);
}

/** @throws {ExpressionError} */
function treeOf(text: string): Node {
  const tree = parser.parse(text);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new ExpressionError('unexpected text', text, from);
    },
  });
  return tree.topNode;
}

/**
 * Puts parentheses around each selector with an offset. The grammar is made for highlighting, and parses `a + b offset 5m` as an
 * offset of the sum.
 */
function withOffsetsBound(text: string): string {
  const signs: { readonly at: number; readonly sign: string }[] = [];
  treeOf(text)
    .cursor()
    .iterate(({ name, node }) => {
      if (name !== 'OffsetExpr') return;
      let last = node.firstChild;
      while (last?.name === 'BinaryExpr' || last?.name === 'UnaryExpr') last = last.lastChild;
      if (last !== null) signs.push({ at: last.from, sign: '(' }, { at: node.to, sign: ')' });
    });
  return signs
    .sort((a, b) => b.at - a.at)
    .reduce((whole, { at, sign }) => whole.slice(0, at) + sign + whole.slice(at), text);
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child);
  }
  return children;
}

class Reader {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  expression(node: Node): Expression {
    switch (node.name) {
      case 'NumberDurationLiteral':
        return this.#number(node);
      case 'StringLiteral':
        return { kind: 'text', value: this.#quoted(node) };
      case 'ParenExpr':
        return this.expression(this.#child(node));
      case 'UnaryExpr':
        return this.#signed(node);
      case 'BinaryExpr':
        return this.#operation(node);
      case 'AggregateExpr':
        return this.#aggregation(node);
      case 'FunctionCall':
        return {
          kind: 'call',
          name: this.#named(node, 'FunctionIdentifier'),
          arguments: this.#arguments(node),
        };
      case 'OffsetExpr': {
        const of = this.expression(this.#child(node));
        if (of.kind !== 'selector') return this.#refuse('an offset of what is no selector', node);
        return { ...of, offset: this.#duration(node, 'OffsetDurationExpr') };
      }
      case 'MatrixSelector': {
        const selector = this.#selector(this.#child(node));
        return { ...selector, range: this.#duration(node, 'DurationExpr') };
      }
      default:
        return this.#selector(node);
    }
  }

  #of({ from, to }: Node): string {
    return this.#text.slice(from, to);
  }

  #refuse(message: string, { from }: Node): never {
    throw new ExpressionError(message, this.#text, from);
  }

  #child(node: Node): Node {
    return childrenOf(node)[0] ?? this.#refuse('expected an expression', node);
  }

  #named(node: Node, name: string): string {
    const child = node.getChild(name);
    return child === null ? this.#refuse(`expected ${name}`, node) : this.#of(child);
  }

  #number(node: Node): Expression {
    const value = Number(this.#of(node));
    return Number.isNaN(value) ? this.#refuse('expected a number', node) : { kind: 'number', value };
  }

  #quoted(node: Node): string {
    const text = this.#of(node);
    return text.startsWith('"') ? String(JSON.parse(text)) : text.slice(1, -1);
  }

  #duration(node: Node, name: string): number {
    return parseDuration(this.#named(node, name)) ?? this.#refuse('expected a duration', node);
  }

  #signed(node: Node): Expression {
    const [sign, of] = childrenOf(node);
    if (sign === undefined || of === undefined) return this.#refuse('expected an expression', node);
    const right = this.expression(of);
    if (this.#of(sign) === '+') return right;
    const left = { kind: 'number', value: 0 } as const;
    return { kind: 'operation', operator: '-', bool: false, on: undefined, groupLeft: false, left, right };
  }

  #operation(node: Node): Operation {
    const children = childrenOf(node);
    const [left, operator, right] = [children[0], children[1], children.at(-1)];
    if (left === undefined || operator === undefined || right === undefined) {
      return this.#refuse('expected two expressions', node);
    }
    const matching = node.getChild('MatchingModifierClause');
    if (matching?.getChild('Ignoring') || matching?.getChild('GroupRight')) {
      return this.#refuse('ignoring and group_right are not evaluated', matching);
    }
    return {
      kind: 'operation',
      operator: this.#of(operator),
      bool: node.getChild('BoolModifier') !== null,
      on: matching?.getChild('On') ? this.#labels(matching) : undefined,
      groupLeft: Boolean(matching?.getChild('GroupLeft')),
      left: this.expression(left),
      right: this.expression(right),
    };
  }

  #aggregation(node: Node): Aggregation {
    const operation = this.#named(node, 'AggregateOp');
    if (!AGGREGATIONS.has(operation)) return this.#refuse(`${operation} is not evaluated`, node);
    const modifier = node.getChild('AggregateModifier');
    const given = this.#arguments(node);
    const parameter = operation === 'quantile' ? given.shift() : undefined;
    const [of] = given;
    if (of === undefined || given.length > 1) return this.#refuse(`wrong arguments of ${operation}`, node);
    const grouping = {
      by: modifier?.getChild('Without') == null,
      labels: modifier === null ? [] : this.#labels(modifier),
    };
    return { kind: 'aggregation', operation, grouping, parameter, of };
  }

  #arguments(node: Node): Expression[] {
    const body = node.getChild('FunctionCallBody');
    return body === null ? [] : childrenOf(body).map((child) => this.expression(child));
  }

  #labels(node: Node): string[] {
    const list = node.getChild('GroupingLabels');
    return list === null ? [] : list.getChildren('LabelName').map((name) => this.#of(name));
  }

  #selector(node: Node): Selector {
    if (node.name !== 'VectorSelector') return this.#refuse(`${node.name} is not evaluated`, node);
    const list = node.getChild('LabelMatchers');
    const matchers = list === null ? [] : childrenOf(list).map((one) => this.#matcher(one));
    return { kind: 'selector', name: this.#named(node, 'Identifier'), matchers, range: undefined, offset: 0 };
  }

  #matcher(node: Node): LabelMatcher {
    const value = node.getChild('StringLiteral') ?? this.#refuse('expected a value', node);
    const operator = this.#named(node, 'MatchOp') as LabelMatcher['operator'];
    return { label: this.#named(node, 'LabelName'), operator, value: this.#quoted(value) };
  }
}

/** Returns the selectors of an expression, in their order. */
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

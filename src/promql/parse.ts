import { parseDuration } from '../configuration/prometheus-duration.ts';
import type { Aggregation, Expression, LabelMatcher, Selector } from './expression.ts';
import { ExpressionError, type Token, tokens } from './tokenizer.ts';

/** How strongly operators bind; all of these from the left. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '>': 3,
  '<=': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
};

const AGGREGATIONS = new Set(['sum', 'min', 'max', 'avg', 'count', 'quantile']);
const WITH_PARAMETER = new Set(['quantile']);

/**
 * Reads an expression. (The grammar that Prometheus' own pages use for colouring binds `offset` to whole operations.)
 * @throws {ExpressionError} where it is not PromQL, or what rules here are not made of: subqueries, `@`, `ignoring`
 */
export function parse(text: string): Expression {
  const parser = new Parser(text);
  return parser.whole();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokens(text);
  }

  whole(): Expression {
    const expression = this.#expression(0);
    if (this.#peek().kind !== 'end') this.#refuse('unexpected text');
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', at: this.#text.length };
  }

  #take(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #refuse(message: string): never {
    throw new ExpressionError(message, this.#text, this.#peek().at);
  }

  #takeIf(text: string): boolean {
    if (this.#peek().text !== text || this.#peek().kind === 'text') return false;
    this.#next += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takeIf(text)) this.#refuse(`expected ${text}`);
  }

  #expression(weakest: number): Expression {
    let left = this.#operand();
    for (;;) {
      const { text, kind } = this.#peek();
      const precedence = kind === 'text' ? undefined : PRECEDENCE[text];
      if (precedence === undefined || precedence <= weakest) return left;
      this.#next += 1;
      const bool = this.#takeIf('bool');
      const on = this.#takeIf('on') ? this.#names() : undefined;
      const groupLeft = this.#takeIf('group_left');
      if (groupLeft && this.#peek().text === '(') this.#names();
      const right = this.#expression(precedence);
      left = { kind: 'operation', operator: text, bool, on, groupLeft, left, right };
    }
  }

  #operand(): Expression {
    const token = this.#take();
    switch (token.kind) {
      case 'number':
        return { kind: 'number', value: Number(token.text) };
      case 'text':
        return { kind: 'text', value: unquoted(token.text) };
      case 'word':
        return this.#word(token.text);
      default:
        return this.#signed(token);
    }
  }

  #signed({ text }: Token): Expression {
    if (text === '(') {
      const inner = this.#expression(0);
      this.#expect(')');
      return inner;
    }
    if (text !== '-') this.#refuse(`unexpected ${text || 'end'}`);
    const zero = { kind: 'number', value: 0 } as const;
    const right = this.#expression(5);
    return {
      kind: 'operation',
      operator: '-',
      bool: false,
      on: undefined,
      groupLeft: false,
      left: zero,
      right,
    };
  }

  #word(word: string): Expression {
    const next = this.#peek().text;
    if (AGGREGATIONS.has(word) && (next === '(' || next === 'by' || next === 'without')) {
      return this.#aggregation(word);
    }
    if (next === '(') return { kind: 'call', name: word, arguments: this.#arguments() };
    return this.#selector(word);
  }

  #arguments(): Expression[] {
    this.#expect('(');
    const found: Expression[] = [];
    while (!this.#takeIf(')')) {
      if (found.length > 0) this.#expect(',');
      found.push(this.#expression(0));
    }
    return found;
  }

  #aggregation(operation: string): Aggregation {
    let grouping = this.#grouping();
    const given = this.#arguments();
    grouping ??= this.#grouping() ?? { by: true, labels: [] };
    const parameter = WITH_PARAMETER.has(operation) ? given.shift() : undefined;
    const [of] = given;
    if (of === undefined || given.length > 1) return this.#refuse(`wrong arguments of ${operation}`);
    return { kind: 'aggregation', operation, grouping, parameter, of };
  }

  #grouping(): Aggregation['grouping'] | undefined {
    if (this.#takeIf('by')) return { by: true, labels: this.#names() };
    if (this.#takeIf('without')) return { by: false, labels: this.#names() };
    return undefined;
  }

  #names(): string[] {
    this.#expect('(');
    const found: string[] = [];
    while (!this.#takeIf(')')) {
      if (found.length > 0) this.#expect(',');
      found.push(this.#take().text);
    }
    return found;
  }

  #selector(name: string): Selector {
    const matchers = this.#matchers();
    const range = this.#peek().kind === 'range' ? this.#duration(this.#take().text.slice(1, -1)) : undefined;
    const offset = this.#takeIf('offset') ? this.#duration(this.#take().text) : 0;
    return { kind: 'selector', name, matchers, range, offset };
  }

  #matchers(): LabelMatcher[] {
    const found: LabelMatcher[] = [];
    if (!this.#takeIf('{')) return found;
    while (!this.#takeIf('}')) {
      if (found.length > 0) this.#expect(',');
      const label = this.#take().text;
      const operator = this.#take().text as LabelMatcher['operator'];
      found.push({ label, operator, value: unquoted(this.#take().text) });
    }
    return found;
  }

  #duration(text: string): number {
    return parseDuration(text) ?? this.#refuse(`expected a duration instead of ${text}`);
  }
}

function unquoted(text: string): string {
  return text.startsWith("'") ? text.slice(1, -1) : String(JSON.parse(text));
}

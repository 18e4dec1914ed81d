/** A piece of an expression: a number, a quoted text, a word, a range in brackets, or a sign. */
export interface Token {
  readonly kind: 'number' | 'text' | 'word' | 'duration' | 'range' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

const PATTERNS = [
  ['range', /\[[^\]]*\]/y],
  ['text', /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y],
  ['duration', /(?:\d+(?:ms|[smhdwy]))+(?![\w.])/y],
  ['number', /(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy],
  ['word', /[a-zA-Z_:][\w:]*/y],
  ['sign', /==|!=|=~|!~|>=|<=|[-+*/%^<>=(){},]/y],
] as const;

/** An expression that is not PromQL, or more of it than is known here. */
export class ExpressionError extends Error {
  constructor(message: string, text: string, at: number) {
    super(`${message} at ${at} of: ${text}`);
  }
}

/**
 * The pieces of an expression.
 * @throws {ExpressionError}
 */
export function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  const space = /(?:\s|#.*)*/y;
  let at = 0;
  const skip = (): void => {
    space.lastIndex = at;
    at += space.exec(text)?.[0].length ?? 0;
  };
  for (skip(); at < text.length; skip()) {
    const token = tokenAt(text, at);
    found.push(token);
    at += token.text.length;
  }
  return [...found, { kind: 'end', text: '', at }];
}

function tokenAt(text: string, at: number): Token {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return { kind, text: found, at };
  }
  throw new ExpressionError('unknown character', text, at);
}

/** A matcher of a selector. */
export interface LabelMatcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

/** A selector of series: at a moment, or, with a range, over a span before it. */
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
  /** The labels to match by; undefined: all. */
  readonly on: readonly string[] | undefined;
  /** Whether several elements of the left side may match one of the right. */
  readonly groupLeft: boolean;
  readonly left: Expression;
  readonly right: Expression;
}

/** PromQL, as far as rules are made of it. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  | Selector
  | Aggregation
  | Operation;

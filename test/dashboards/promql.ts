import { parser } from '@prometheus-io/lezer-promql';
import { filledIn } from '../../grafana/source/filled-in.ts';

interface Aggregation {
  readonly operator: string;
  readonly by: readonly string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Series selector in an expression. */
export interface Selector {
  readonly text: string;
  /** Name of the metric; undefined if the selector has only other labels. */
  readonly metric: string | undefined;
  /** Functions and aggregations around the selector, from the inside out. */
  readonly within: readonly string[];
  /** Aggregations around the selector, from the inside out, with the labels that they keep. */
  readonly aggregations: readonly Aggregation[];
  readonly range: string | undefined;
}

const VALUES = {
  account: '.+',
  product: '.+',
  configuration: '.+',
  job: '.+',
  instance: '.+',
  __rate_interval: '7m',
  __range: '11h',
};

export const RATE_INTERVAL = VALUES.__rate_interval;

/** Returns an expression as Prometheus receives it, with variables that select everything. */
export function asAsked(expression: string): string {
  return filledIn(expression, VALUES);
}

/** Returns the syntax errors of an expression, each as the text from the error to the end. */
export function syntaxErrors(expression: string): readonly string[] {
  const text = asAsked(expression);
  const errors: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) errors.push(text.slice(from));
    },
  });
  return errors;
}

/** Returns every selector of an expression. */
export function selectorsOf(expression: string): readonly Selector[] {
  const text = asAsked(expression);
  const selectors: Selector[] = [];
  parser.parse(text).iterate({
    enter: ({ name, node, from, to }) => {
      if (name !== 'VectorSelector') return;
      const within: string[] = [];
      const aggregations: Aggregation[] = [];
      let range: string | undefined;
      for (let around = node.parent; around !== null; around = around.parent) {
        const called = around.getChild('FunctionIdentifier') ?? around.getChild('AggregateOp');
        if (called) within.push(text.slice(called.from, called.to));
        if (called?.name === 'AggregateOp') aggregations.push(aggregationOf(text, around, called));
        if (around.name === 'MatrixSelector') {
          range = /\[(.+?)\]/.exec(text.slice(around.from, around.to))?.[1];
        }
      }
      const metric = node.getChild('Identifier');
      selectors.push({
        text: text.slice(from, to),
        metric: metric ? text.slice(metric.from, metric.to) : undefined,
        within,
        aggregations,
        range,
      });
    },
  });
  return selectors;
}

function aggregationOf(text: string, around: Node, { from, to }: Node): Aggregation {
  const modifier = around.getChild('AggregateModifier');
  const [, ...by] = modifier === null ? [] : (text.slice(modifier.from, modifier.to).match(/\w+/g) ?? []);
  return { operator: text.slice(from, to), by };
}

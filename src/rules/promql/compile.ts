import { aggregated, type Combine, overTimeFunction } from './aggregate.ts';
import { operation } from './binary-operation.ts';
import type { Expression, Selector } from './parse.ts';
import type { SampleTable, Tables } from './sample-table.ts';
import { type Compiled, matches, number, numberAt, replaced, type Scalar, type Vector } from './vector.ts';

/** Error for valid PromQL that this evaluation does not support. */
export class UnsupportedExpression extends Error {}

/**
 * Compiles an expression into a function of the time (ms since the epoch), over the current series of the tables.
 * @throws {UnsupportedExpression}
 */
export function compile(expression: Expression, tables: Tables): Compiled {
  switch (expression.kind) {
    case 'number':
      return number(() => expression.value);
    case 'text':
      throw new UnsupportedExpression(`a text where a number is needed: ${expression.value}`);
    case 'selector':
      return found(expression, tables, (table, place, moment) => table.at(place, moment));
    case 'aggregation':
      return aggregated(
        expression,
        vector(expression.of, tables),
        expression.parameter === undefined ? undefined : scalar(expression.parameter, tables),
      );
    case 'operation':
      return operation(expression, compile(expression.left, tables), compile(expression.right, tables));
    case 'call':
      return call(expression.name, expression.arguments, tables);
  }
}

/** Compiles an expression that must yield a vector. @throws {UnsupportedExpression} if it yields a number */
export function vector(expression: Expression, tables: Tables): Vector {
  return ofKind('vector', expression, tables);
}

function scalar(expression: Expression, tables: Tables): Scalar {
  return ofKind('scalar', expression, tables);
}

function ofKind<Kind extends Compiled['kind']>(kind: Kind, expression: Expression, tables: Tables) {
  const compiled = compile(expression, tables);
  if (compiled.kind !== kind) throw new UnsupportedExpression(`a ${compiled.kind} where a ${kind} is needed`);
  return { ...compiled, kind };
}

function call(name: string, given: readonly Expression[], tables: Tables): Compiled {
  const over = overTimeFunction(name);
  if (over !== undefined || name === 'last_over_time') {
    const selector = given.at(-1);
    if (selector?.kind !== 'selector') throw new UnsupportedExpression(`${name} of what is no selector`);
    const { range = 0 } = selector;
    // The newest sample is found without reading the others.
    if (over === undefined)
      return found(selector, tables, (table, place, moment) => table.last(place, moment - range, moment));
    const [first] = given;
    const share = given.length === 2 && first !== undefined ? scalar(first, tables) : undefined;
    return overTime(over, selector, tables, share);
  }
  if (name === 'time') return number((moment) => moment / 1_000);
  if (name === 'label_replace') return labelReplace(given, tables);
  const [of, ...bounds] = given;
  if (of === undefined || !name.startsWith('clamp')) throw new UnsupportedExpression(`the function ${name}`);
  const [first, second] = bounds.map((bound) => scalar(bound, tables));
  return name === 'clamp_max'
    ? clamped(vector(of, tables), undefined, first)
    : clamped(vector(of, tables), first, second);
}

function labelReplace([of, ...texts]: readonly Expression[], tables: Tables): Vector {
  if (of === undefined) throw new UnsupportedExpression('label_replace of nothing');
  const inner = vector(of, tables);
  const words = texts.map((text) => (text.kind === 'text' ? text.value : ''));
  return { ...inner, labels: inner.labels.map((labels) => replaced(labels, words)) };
}

function clamped(of: Vector, low: Scalar | undefined, high: Scalar | undefined): Vector {
  const values = new Float64Array(of.labels.length);
  return {
    ...of,
    at(moment) {
      const given = of.at(moment);
      const least = low === undefined ? -Infinity : numberAt(low, moment);
      const most = high === undefined ? Infinity : numberAt(high, moment);
      for (let place = 0; place < values.length; place++) {
        values[place] = Math.max(least, Math.min(most, given[place] ?? Number.NaN));
      }
      return values;
    },
  };
}

/** Look-back (ms) of a selector without a range. */
const INSTANT = 300_000;

/** Returns the value of each series of a selector at a given time, after applying its offset. */
function found(
  { name, matchers, range = INSTANT, offset }: Selector,
  tables: Tables,
  read: (table: SampleTable, place: number, moment: number) => number,
): Vector {
  const table = tables.get(name);
  table?.reach(range + offset);
  const all = table?.labels ?? [];
  const places = Int32Array.from(all.flatMap((one, place) => (matches(one, matchers) ? [place] : [])));
  const values = new Float64Array(places.length);
  return {
    kind: 'vector',
    labels: Array.from(places, (place) => all[place] ?? {}),
    at(moment) {
      if (table === undefined) return values;
      const then = moment - offset;
      for (let index = 0; index < values.length; index++)
        values[index] = read(table, places[index] as number, then);
      return values;
    },
  };
}

function overTime(of: Combine, selector: Selector, tables: Tables, share: Scalar | undefined): Vector {
  const { range = 0, offset } = selector;
  let samples = new Float64Array(0);
  return found(selector, tables, (table, place, moment) => {
    if (samples.length < table.slots) samples = new Float64Array(table.slots);
    const count = table.between(place, moment - range, moment, samples);
    return count === 0 ? Number.NaN : of(samples, count, numberAt(share, moment + offset));
  });
}

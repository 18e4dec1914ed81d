import type { Operation } from './expression.ts';
import { keyOf, type Labels, only } from './labels.ts';
import { setOperation } from './set-operation.ts';
import type { Compiled, Scalar, Vector } from './vector.ts';

type Arithmetic = (left: number, right: number) => number;

const ARITHMETIC: Readonly<Record<string, Arithmetic>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
};

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
};

/** What an operator makes of two values; `kept` is what a comparison lets through. */
function combiner({ operator, bool }: Operation): (left: number, right: number, kept: number) => number {
  const arithmetic = ARITHMETIC[operator];
  if (arithmetic !== undefined) return (left, right) => arithmetic(left, right);
  const compare = COMPARISONS[operator];
  if (compare === undefined) throw new Error(`no operator ${operator}`);
  return (left, right, kept) => {
    if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
    const holds = compare(left, right);
    if (bool) return holds ? 1 : 0;
    return holds ? kept : Number.NaN;
  };
}

/** An operation between vectors and numbers. */
export function operation(described: Operation, left: Compiled, right: Compiled): Compiled {
  if (described.operator === 'and' || described.operator === 'or' || described.operator === 'unless') {
    if (left.kind === 'scalar' || right.kind === 'scalar')
      throw new Error(`${described.operator} of a number`);
    return setOperation(described, left, right);
  }
  const combine = combiner(described);
  if (left.kind === 'scalar') {
    if (right.kind === 'scalar') {
      return { kind: 'scalar', at: (moment) => combine(left.at(moment), right.at(moment), Number.NaN) };
    }
    return mapped(right, left, (value, number) => combine(number, value, value));
  }
  if (right.kind === 'scalar') return mapped(left, right, (value, number) => combine(value, number, value));
  return matched(described, left, right, combine);
}

function mapped(of: Vector, by: Scalar, combine: (value: number, number: number) => number): Vector {
  const values = new Float64Array(of.labels.length);
  return {
    kind: 'vector',
    labels: of.labels,
    at(moment) {
      const given = of.at(moment);
      const number = by.at(moment);
      for (let place = 0; place < values.length; place++) {
        values[place] = combine(given[place] as number, number);
      }
      return values;
    },
  };
}

function matched(
  { on, groupLeft }: Operation,
  left: Vector,
  right: Vector,
  combine: (left: number, right: number, kept: number) => number,
): Vector {
  const signature = (labels: Labels): string => keyOf(on === undefined ? labels : only(labels, on));
  const partners = new Map(right.labels.map((labels, place) => [signature(labels), place]));
  if (partners.size < right.labels.length)
    throw new Error('several elements on the right match one on the left');
  const pairs = left.labels.flatMap((labels, place) => {
    const partner = partners.get(signature(labels));
    return partner === undefined ? [] : [{ labels, place, partner }];
  });
  if (!groupLeft && new Set(pairs.map(({ partner }) => partner)).size < pairs.length) {
    throw new Error('several elements on the left match one on the right');
  }
  const values = new Float64Array(pairs.length);
  const places = Int32Array.from(pairs, ({ place }) => place);
  const others = Int32Array.from(pairs, ({ partner }) => partner);
  return {
    kind: 'vector',
    labels: pairs.map(({ labels }) => (groupLeft || on === undefined ? labels : only(labels, on))),
    at(moment) {
      const [ofLeft, ofRight] = [left.at(moment), right.at(moment)];
      for (let index = 0; index < places.length; index++) {
        const value = ofLeft[places[index] as number] as number;
        values[index] = combine(value, ofRight[others[index] as number] as number, value);
      }
      return values;
    },
  };
}

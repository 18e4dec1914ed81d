import { ARITHMETIC, COMPARISONS, type Elementwise, hasAny, keepWhere } from './elementwise.ts';
import type { Operation } from './expression.ts';
import { keyOf, type Labels, only } from './labels.ts';
import { setOperation } from './set-operation.ts';
import type { Compiled, Scalar, Vector } from './vector.ts';

/** What an operator makes of both sides; `kept` is what a comparison lets through. */
type Combine = (left: Float64Array, right: Float64Array, kept: Float64Array, into: Float64Array) => void;

function combiner({ operator, bool }: Operation): Combine {
  const apply: Elementwise | undefined = ARITHMETIC[operator] ?? COMPARISONS[operator];
  if (apply === undefined) throw new Error(`no operator ${operator}`);
  if (bool || operator in ARITHMETIC) return (left, right, _kept, into) => apply(left, right, into);
  return (left, right, kept, into) => {
    apply(left, right, into);
    keepWhere(into, kept);
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
    if (right.kind === 'scalar') return ofNumbers(left, right, combine);
    return mapped(right, left, (value, number, into) => combine(number, value, value, into));
  }
  if (right.kind === 'scalar') {
    return mapped(left, right, (value, number, into) => combine(value, number, value, into));
  }
  return matched(described, left, right, combine);
}

function ofNumbers(left: Scalar, right: Scalar, combine: Combine): Scalar {
  const [value, other, result] = [new Float64Array(1), new Float64Array(1), new Float64Array(1)];
  const nothing = Float64Array.of(Number.NaN);
  return {
    kind: 'scalar',
    at(moment) {
      value[0] = left.at(moment);
      other[0] = right.at(moment);
      combine(value, other, nothing, result);
      return result[0] as number;
    },
  };
}

function mapped(of: Vector, by: Scalar, combine: Elementwise): Vector {
  const values = new Float64Array(of.labels.length);
  const number = new Float64Array(of.labels.length);
  return {
    kind: 'vector',
    labels: of.labels,
    at(moment) {
      const given = of.at(moment);
      if (!hasAny(given)) return given;
      number.fill(by.at(moment));
      combine(given, number, values);
      return values;
    },
  };
}

function matched({ on, groupLeft }: Operation, left: Vector, right: Vector, combine: Combine): Vector {
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
  const ofLeft = gathering(pairs.map(({ place }) => place));
  const ofRight = gathering(pairs.map(({ partner }) => partner));
  return {
    kind: 'vector',
    labels: pairs.map(({ labels }) => (groupLeft || on === undefined ? labels : only(labels, on))),
    at(moment) {
      const paired = ofLeft(left.at(moment));
      // Where there is nothing on the left, nothing comes of it: the right is not worth evaluating.
      if (!hasAny(paired)) return paired;
      combine(paired, ofRight(right.at(moment)), paired, values);
      return values;
    },
  };
}

/** Brings the elements of some places together. */
function gathering(places: readonly number[]): (given: Float64Array) => Float64Array {
  const of = Int32Array.from(places);
  const gathered = new Float64Array(places.length);
  return (given) => {
    for (let index = 0; index < gathered.length; index++)
      gathered[index] = given[of[index] as number] as number;
    return gathered;
  };
}

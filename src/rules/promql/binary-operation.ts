import type { Operation } from './parse.ts';
import { type Compiled, keyOf, type Labels, only, type Vector } from './vector.ts';

/** Function that writes the result of an operator into `into`; `kept` contains the values that a comparison returns. */
type Combine = (left: Float64Array, right: Float64Array, kept: Float64Array, into: Float64Array) => void;

function combiner({ operator, bool }: Operation): Combine {
  const apply: Elementwise | undefined = ARITHMETIC[operator] ?? COMPARISONS[operator];
  if (apply === undefined) throw new Error(`no operator ${operator}`);
  if (bool || operator in ARITHMETIC) return (left, right, _kept, into) => apply(left, right, into);
  return (left, right, kept, into) => {
    apply(left, right, into);
    for (let at = 0; at < into.length; at++) into[at] = into[at] === 1 ? (kept[at] as number) : Number.NaN;
  };
}

/** Returns an operation between vectors or numbers. */
export function operation(described: Operation, left: Compiled, right: Compiled): Compiled {
  const { operator } = described;
  if (operator !== 'and' && operator !== 'or' && operator !== 'unless') {
    return combined(combiner(described), pairsOf(described, left, right), left, right);
  }
  if (left.kind === 'scalar' || right.kind === 'scalar') throw new Error(`${operator} of a number`);
  return setOperation(described, left, right);
}

/** An element of the result: its labels, and the indexes of its operands. */
interface Pair {
  readonly labels: Labels;
  readonly place: number;
  readonly partner: number;
}

/** Returns the matching elements of both sides; a number matches every element. */
function pairsOf({ on, groupLeft }: Operation, left: Compiled, right: Compiled): readonly Pair[] {
  if (right.kind === 'scalar') return left.labels.map((labels, place) => ({ labels, place, partner: 0 }));
  if (left.kind === 'scalar') return right.labels.map((labels, partner) => ({ labels, place: 0, partner }));
  const signature = (labels: Labels): string => keyOf(on === undefined ? labels : only(labels, on));
  const partners = new Map(right.labels.map((labels, place) => [signature(labels), place]));
  if (partners.size < right.labels.length)
    throw new Error('several elements on the right match one on the left');
  const pairs = left.labels.flatMap((labels, place) => {
    const partner = partners.get(signature(labels));
    const kept = groupLeft || on === undefined ? labels : only(labels, on);
    return partner === undefined ? [] : [{ labels: kept, place, partner }];
  });
  if (!groupLeft && new Set(pairs.map(({ partner }) => partner)).size < pairs.length) {
    throw new Error('several elements on the left match one on the right');
  }
  return pairs;
}

function combined(combine: Combine, pairs: readonly Pair[], left: Compiled, right: Compiled): Compiled {
  const values = new Float64Array(pairs.length);
  const ofLeft = gathering(left, (pair) => pair.place, pairs);
  const ofRight = gathering(right, (pair) => pair.partner, pairs);
  const number = left.kind === 'scalar';
  return {
    kind: number ? right.kind : 'vector',
    labels: pairs.map(({ labels }) => labels),
    at(moment) {
      const first = ofLeft(moment);
      // An empty left side has an empty result, so the right side is not evaluated.
      if (!hasAny(first)) return first;
      const second = ofRight(moment);
      combine(first, second, number ? second : first, values);
      return values;
    },
  };
}

/** Returns the elements at some indexes; the vector itself if these are all. */
function gathering(
  { labels, at }: Compiled,
  placeIn: (pair: Pair) => number,
  pairs: readonly Pair[],
): Compiled['at'] {
  const places = Int32Array.from(pairs, placeIn);
  if (places.length === labels.length && places.every((place, index) => place === index)) return at;
  const gathered = new Float64Array(places.length);
  return (moment) => {
    const given = at(moment);
    for (let index = 0; index < gathered.length; index++)
      gathered[index] = given[places[index] as number] as number;
    return gathered;
  };
}

/** Returns the result of `and`, `or` or `unless`, by the elements of the other side. */
function setOperation({ operator, on }: Operation, left: Vector, right: Vector): Vector {
  const signature = (labels: Labels): string => keyOf(on === undefined ? labels : only(labels, on));
  const numbers = new Map<string, number>();
  const numbered = ({ labels }: Vector): Int32Array =>
    Int32Array.from(labels, (set) => {
      const number = numbers.get(signature(set)) ?? numbers.size;
      numbers.set(signature(set), number);
      return number;
    });
  const sides = { left: numbered(left), right: numbered(right) };
  const there = new Uint8Array(numbers.size);
  return operator === 'or'
    ? union(left, right, sides, there)
    : filtered(left, right, sides, there, operator === 'and' ? 1 : 0);
}

type Sides = Readonly<Record<'left' | 'right', Int32Array>>;

function mark(values: Float64Array, signatures: Int32Array, there: Uint8Array): void {
  there.fill(0);
  for (let place = 0; place < values.length; place++) {
    if (!Number.isNaN(values[place] as number)) there[signatures[place] as number] = 1;
  }
}

function filtered(left: Vector, right: Vector, sides: Sides, there: Uint8Array, wanted: 0 | 1): Vector {
  const values = new Float64Array(left.labels.length);
  return {
    kind: 'vector',
    labels: left.labels,
    at(moment) {
      const given = left.at(moment);
      // An empty left side stays empty, whatever the right side has.
      if (!hasAny(given)) return given;
      mark(right.at(moment), sides.right, there);
      for (let place = 0; place < values.length; place++) {
        values[place] = there[sides.left[place] as number] === wanted ? (given[place] as number) : Number.NaN;
      }
      return values;
    },
  };
}

function union(left: Vector, right: Vector, sides: Sides, there: Uint8Array): Vector {
  const places = new Map(left.labels.map((labels, place) => [keyOf(labels), place]));
  const labels = [...left.labels];
  const ofRight = Int32Array.from(right.labels, (set) => {
    const key = keyOf(set);
    const place = places.get(key) ?? labels.push(set) - 1;
    places.set(key, place);
    return place;
  });
  const values = new Float64Array(labels.length);
  return {
    kind: 'vector',
    labels,
    at(moment) {
      const given = left.at(moment);
      const others = right.at(moment);
      for (let place = 0; place < given.length; place++) values[place] = given[place] as number;
      for (let place = given.length; place < values.length; place++) values[place] = Number.NaN;
      mark(given, sides.left, there);
      for (let place = 0; place < others.length; place++) {
        const value = others[place] as number;
        if (there[sides.right[place] as number] === 1 || Number.isNaN(value)) continue;
        values[ofRight[place] as number] = value;
      }
      return values;
    },
  };
}

/**
 * Function that applies an operator to two arrays, element by element, and writes a third. The result is NaN where one of the two
 * is NaN. Comparisons yield 1 and 0. Each function has its own loop, because a function call per element takes several times as
 * long.
 */
type Elementwise = (left: Float64Array, right: Float64Array, into: Float64Array) => void;

const ARITHMETIC: Readonly<Record<string, Elementwise>> = {
  '+': (left, right, into) => {
    for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) + (right[at] as number);
  },
  '-': (left, right, into) => {
    for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) - (right[at] as number);
  },
  '*': (left, right, into) => {
    for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) * (right[at] as number);
  },
  '/': (left, right, into) => {
    for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) / (right[at] as number);
  },
  '%': (left, right, into) => {
    for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) % (right[at] as number);
  },
};

function comparison(less: 0 | 1, same: 0 | 1, more: 0 | 1): Elementwise {
  return (left, right, into) => {
    for (let at = 0; at < into.length; at++) {
      const [a, b] = [left[at] as number, right[at] as number];
      into[at] = a < b ? less : a > b ? more : a === b ? same : Number.NaN;
    }
  };
}

const COMPARISONS: Readonly<Record<string, Elementwise>> = {
  '==': comparison(0, 1, 0),
  '!=': comparison(1, 0, 1),
  '<': comparison(1, 0, 0),
  '>': comparison(0, 0, 1),
  '<=': comparison(1, 1, 0),
  '>=': comparison(0, 1, 1),
};

function hasAny(values: Float64Array): boolean {
  for (let at = 0; at < values.length; at++) if (!Number.isNaN(values[at] as number)) return true;
  return false;
}

import type { Operation } from './expression.ts';
import { keyOf, type Labels, only } from './labels.ts';
import type { Vector } from './vector.ts';

/** `and`, `or`, `unless`: by the elements that are there on the other side. */
export function setOperation({ operator, on }: Operation, left: Vector, right: Vector): Vector {
  const signature = (labels: Labels): string => keyOf(on === undefined ? labels : only(labels, on));
  const signatures = [...new Set([...left.labels, ...right.labels].map(signature))];
  const numbers = new Map(signatures.map((text, number) => [text, number]));
  const numbered = ({ labels }: Vector): Int32Array =>
    Int32Array.from(labels, (set) => numbers.get(signature(set)) ?? 0);
  const sides = { left: numbered(left), right: numbered(right) };
  const there = new Uint8Array(signatures.length);
  return operator === 'or'
    ? union(left, right, sides, there)
    : filtered(left, right, sides, { there, wanted: operator === 'and' ? 1 : 0 });
}

interface Sides {
  readonly left: Int32Array;
  readonly right: Int32Array;
}

function mark(values: Float64Array, signatures: Int32Array, there: Uint8Array): void {
  there.fill(0);
  for (let place = 0; place < values.length; place++) {
    if (!Number.isNaN(values[place] as number)) there[signatures[place] as number] = 1;
  }
}

function filtered(
  left: Vector,
  right: Vector,
  sides: Sides,
  { there, wanted }: { readonly there: Uint8Array; readonly wanted: 0 | 1 },
): Vector {
  const values = new Float64Array(left.labels.length);
  return {
    kind: 'vector',
    labels: left.labels,
    at(moment) {
      mark(right.at(moment), sides.right, there);
      const given = left.at(moment);
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
      values.fill(Number.NaN);
      values.set(given);
      mark(given, sides.left, there);
      const others = right.at(moment);
      for (let place = 0; place < others.length; place++) {
        const value = others[place] as number;
        if (there[sides.right[place] as number] === 1 || Number.isNaN(value)) continue;
        values[ofRight[place] as number] = value;
      }
      return values;
    },
  };
}

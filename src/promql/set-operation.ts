import { hasAny } from './elementwise.ts';
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
      const given = left.at(moment);
      // Of nothing nothing is left, whatever there is on the right.
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
  const addsNone = right.labels.length === 0 || labels.length === left.labels.length;
  return {
    kind: 'vector',
    labels,
    at(moment) {
      const given = left.at(moment);
      // Where all elements are there on the left, none of the right is taken.
      if (addsNone && hasAll(given)) return given;
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

function hasAll(values: Float64Array): boolean {
  for (let at = 0; at < values.length; at++) if (Number.isNaN(values[at] as number)) return false;
  return true;
}

import type { Aggregation } from './expression.ts';
import { keyOf, type Labels, only, without } from './labels.ts';
import { quantile } from './quantile.ts';
import type { Scalar, Vector } from './vector.ts';

/** What an aggregation makes of the elements of a group: the first `count` of some values, at least one. */
type Combine = (values: Float64Array, count: number, share: number) => number;

const sum: Combine = (values, count) => {
  let total = 0;
  for (let at = 0; at < count; at++) total += values[at] as number;
  return total;
};

const OPERATIONS: Readonly<Record<string, Combine>> = {
  sum,
  avg: (values, count) => sum(values, count, Number.NaN) / count,
  min: (values, count) => {
    let least = values[0] as number;
    for (let at = 1; at < count; at++) least = Math.min(least, values[at] as number);
    return least;
  },
  max: (values, count) => {
    let most = values[0] as number;
    for (let at = 1; at < count; at++) most = Math.max(most, values[at] as number);
    return most;
  },
  count: (_values, count) => count,
  quantile: (values, count, share) => quantile(values.subarray(0, count), share),
};

/** An aggregation over the elements that are there. */
export function aggregated(
  { operation, grouping }: Aggregation,
  of: Vector,
  parameter: Scalar | undefined,
): Vector {
  const combine = OPERATIONS[operation];
  if (combine === undefined) throw new Error(`no aggregation ${operation}`);
  const groups = new Map<string, { readonly labels: Labels; readonly places: number[] }>();
  for (const [place, labels] of of.labels.entries()) {
    const kept = grouping.by ? only(labels, grouping.labels) : without(labels, grouping.labels);
    const key = keyOf(kept);
    const group = groups.get(key) ?? { labels: kept, places: [] };
    groups.set(key, group);
    group.places.push(place);
  }
  const members = [...groups.values()];
  const values = new Float64Array(members.length);
  const present = new Float64Array(of.labels.length);
  return {
    kind: 'vector',
    labels: members.map(({ labels }) => labels),
    at(moment) {
      const given = of.at(moment);
      const share = parameter?.at(moment) ?? Number.NaN;
      for (let index = 0; index < members.length; index++) {
        const places = members[index]?.places ?? [];
        let count = 0;
        for (let at = 0; at < places.length; at++) {
          const value = given[places[at] as number] as number;
          if (!Number.isNaN(value)) present[count++] = value;
        }
        values[index] = count === 0 ? Number.NaN : combine(present, count, share);
      }
      return values;
    },
  };
}

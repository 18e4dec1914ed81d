import type { Aggregation } from './parse.ts';
import { keyOf, type Labels, numberAt, only, type Scalar, type Vector, without } from './vector.ts';

/** Function of the first `count` values (at least one) of an aggregation, or of the samples of a range. */
export type Combine = (values: Float64Array, count: number, share: number) => number;

function sum(values: Float64Array, count: number): number {
  let total = 0;
  for (let at = 0; at < count; at++) total += values[at] as number;
  return total;
}

function extreme(pick: (a: number, b: number) => number): Combine {
  return (values, count) => {
    let found = values[0] as number;
    for (let at = 1; at < count; at++) found = pick(found, values[at] as number);
    return found;
  };
}

/** Functions by the names of aggregations, which `sum_over_time` and others share. */
const COMBINE: Readonly<Record<string, Combine>> = {
  sum,
  avg: (values, count) => sum(values, count) / count,
  min: extreme(Math.min),
  max: extreme(Math.max),
  count: (_values, count) => count,
  stddev: (values, count) => {
    const mean = sum(values, count) / count;
    let squares = 0;
    for (let at = 0; at < count; at++) squares += ((values[at] as number) - mean) ** 2;
    return Math.sqrt(squares / count);
  },
  quantile: (values, count, share) => quantile(values.subarray(0, count), share),
};

/** Returns the function with this name over all samples of a range; undefined if there is none. */
export function overTimeFunction(name: string): Combine | undefined {
  return name.endsWith('_over_time') ? COMBINE[name.slice(0, -'_over_time'.length)] : undefined;
}

/** Returns an aggregation over the present elements. */
export function aggregated(
  { operation, grouping }: Aggregation,
  of: Vector,
  parameter: Scalar | undefined,
): Vector {
  const combine = COMBINE[operation];
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
      const share = numberAt(parameter, moment);
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

/**
 * Returns a quantile of values, interpolated as in Prometheus. Reorders the values as little as possible, because rules take many
 * quantiles of hundreds of samples.
 */
function quantile(values: Float64Array, share: number): number {
  if (values.length === 0) return Number.NaN;
  const rank = share * (values.length - 1);
  const below = Math.floor(rank);
  const low = select(values, below);
  if (below === rank) return low;
  // All values to the right are larger or equal, so the next one is their minimum.
  let high = values[below + 1] as number;
  for (let at = below + 2; at < values.length; at++) high = Math.min(high, values[at] as number);
  return low + (high - low) * (rank - below);
}

/** Moves the value with this index in sorted order to that index, and smaller ones to its left (Hoare's selection). */
function select(values: Float64Array, place: number): number {
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    const pivot = values[(left + right) >> 1] as number;
    let [low, high] = [left, right];
    while (low <= high) {
      while ((values[low] as number) < pivot) low += 1;
      while ((values[high] as number) > pivot) high -= 1;
      if (low > high) break;
      const swapped = values[low] as number;
      values[low] = values[high] as number;
      values[high] = swapped;
      low += 1;
      high -= 1;
    }
    if (place <= high) right = high;
    else if (place >= low) left = low;
    else break;
  }
  return values[place] as number;
}

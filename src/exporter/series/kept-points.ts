import type { Points } from '../decode/points.ts';

/** Timestamps of the last copied dimension: most dimensions of an answer have the same. */
let latest: Float64Array = new Float64Array();

/** Points in a shared array of values. A view of it takes 120 bytes, so it is created on access. */
class SharedPoints implements Points {
  readonly timestamps: Float64Array;
  readonly all: Points['values'];
  readonly from: number;
  readonly to: number;

  constructor(timestamps: Float64Array, all: Points['values'], from: number, to: number) {
    this.timestamps = timestamps;
    this.all = all;
    this.from = from;
    this.to = to;
  }

  get values(): Points['values'] {
    return this.all.subarray(this.from, this.to);
  }
}

/**
 * Copies the points of a ledger's dimensions, to be retained until the next answer. They share one array of values, and equal
 * timestamps: a separate array costs 300 bytes of overhead.
 */
export function keptPoints(series: ReadonlyMap<string, Points>): ReadonlyMap<string, Points> {
  const all = [...series.values()];
  const length = all.reduce((sum, { values }) => sum + values.length, 0);
  const whole = all.every(({ values }) => areCounts(values))
    ? new Uint32Array(length)
    : new Float64Array(length);
  const kept = new Map<string, Points>();
  let from = 0;
  for (const [name, { timestamps, values }] of series) {
    if (!isSame(timestamps, latest)) latest = timestamps.slice();
    const to = from + values.length;
    whole.set(values, from);
    kept.set(name, new SharedPoints(latest, whole, from, to));
    from = to;
  }
  return kept;
}

function isSame(one: Float64Array, other: Float64Array): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return true;
}

function areCounts(values: Points['values']): boolean {
  for (let index = 0; index < values.length; index += 1) {
    const value = Number(values[index]);
    if (value !== value >>> 0) return false;
  }
  return true;
}

import type { Points } from '../decode/points.ts';

/** Times kept last: the dimensions of an answer mostly have the same. */
let latest: Float64Array = new Float64Array();

/** Copies points to be kept until the next answer: equal times are shared, and counts take half as many bytes. */
export function keptPoints({ timestamps, values }: Points): Points {
  if (!isSame(timestamps, latest)) latest = timestamps.slice();
  return { timestamps: latest, values: areCounts(values) ? Uint32Array.from(values) : values.slice() };
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

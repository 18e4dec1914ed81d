import { NO_POINTS, type Points } from '../decode/points.ts';
import { shortLivedArray } from '../decode/short-lived.ts';

/** Points by dimension. */
export interface PointsByDimension extends Iterable<readonly [string, Points]> {
  get(dimension: string): Points | undefined;
}

/** The names and times packed last. Answers of one metric have the same, one configuration after the other. */
let latest: { names: ReadonlyMap<string, number>; times: Float64Array } = {
  names: new Map(),
  times: new Float64Array(),
};

/**
 * Points to be kept until the next answer, in a few flat arrays that equal answers share. Two typed arrays for each
 * series, as an answer brings them, take eight times as much: measured, 890 bytes for 26 points against 115.
 */
export class PackedPoints implements PointsByDimension {
  readonly #names: ReadonlyMap<string, number>;
  /** Of each series one after the other; of one where all have the same. */
  readonly #times: Float64Array;
  readonly #values: Float64Array | Uint32Array;
  /** Where each series ends; undefined where all have the same times. */
  readonly #ends: readonly number[] | undefined;

  constructor(series: ReadonlyMap<string, Points>) {
    const all = [...series.values()];
    const [first] = all;
    const alike = all.every(({ timestamps }) => first !== undefined && isSame(timestamps, first.timestamps));
    const times = alike ? [(first ?? NO_POINTS).timestamps] : all.map(({ timestamps }) => timestamps);
    this.#names = shared(series);
    this.#times = sharedTimes(concatenated(times));
    this.#values = packed(all.map(({ values }) => values));
    this.#ends = alike ? undefined : endsOf(all);
    latest = { names: this.#names, times: this.#times };
  }

  get(dimension: string): Points | undefined {
    const index = this.#names.get(dimension);
    return index === undefined ? undefined : this.#at(index);
  }

  *[Symbol.iterator](): Generator<readonly [string, Points]> {
    for (const [name, index] of this.#names) yield [name, this.#at(index)];
  }

  #at(index: number): Points {
    const length = this.#times.length;
    const [from, to] =
      this.#ends === undefined
        ? [index * length, (index + 1) * length]
        : [this.#ends[index - 1] ?? 0, this.#ends[index] ?? 0];
    return {
      timestamps: this.#ends === undefined ? this.#times : this.#times.subarray(from, to),
      values: copied(this.#values, from, to),
    };
  }
}

function shared(series: ReadonlyMap<string, Points>): ReadonlyMap<string, number> {
  const names = [...series.keys()];
  const known = [...latest.names.keys()];
  if (names.length === known.length && names.every((name, index) => name === known[index]))
    return latest.names;
  return new Map(names.map((name, index) => [name, index]));
}

function sharedTimes(times: Float64Array): Float64Array {
  return isSame(times, latest.times) ? latest.times : times;
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

function concatenated(parts: readonly Float64Array[]): Float64Array {
  return filled(new Float64Array(lengthOf(parts)), parts);
}

/** Most values are counts: half as many bytes hold them. */
function packed(parts: readonly Float64Array[]): Float64Array | Uint32Array {
  const length = lengthOf(parts);
  return filled(parts.every(isOfCounts) ? new Uint32Array(length) : new Float64Array(length), parts);
}

function lengthOf(parts: readonly Float64Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function filled<A extends Float64Array | Uint32Array>(whole: A, parts: readonly Float64Array[]): A {
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

function isOfCounts(values: Float64Array): boolean {
  for (let index = 0; index < values.length; index += 1) {
    const value = Number(values[index]);
    if (value !== value >>> 0) return false;
  }
  return true;
}

function copied(values: Float64Array | Uint32Array, from: number, to: number): Float64Array {
  const copy = shortLivedArray(to - from);
  for (let index = from; index < to; index += 1) copy[index - from] = Number(values[index]);
  return copy;
}

function endsOf(series: readonly Points[]): readonly number[] {
  let end = 0;
  return series.map(({ timestamps }) => {
    end += timestamps.length;
    return end;
  });
}

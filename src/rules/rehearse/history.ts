import type { Chunk, Input } from '../promql/evaluation.ts';
import type { Labels } from '../promql/vector.ts';
import { HOUR, MINUTE } from '../shipped/times.ts';

/** History over which rules are evaluated. */
export interface RehearsalHistory {
  /** Name of the source, for display. */
  readonly source: string;
  /** Reported range (ms since the epoch, whole minutes). Earlier samples only determine baselines. */
  readonly from: number;
  readonly to: number;
  /** Names of the history's series. */
  readonly names: ReadonlySet<string>;
  /** Number of chunks. */
  readonly pieces: number;
  /** Returns all minutes, oldest first, without gaps between chunks. */
  chunks(): AsyncIterable<Chunk>;
}

/** Error with the reason why there is no rehearsal, as a sentence for the operator. */
export class RehearsalRefusal extends Error {
  override readonly name = 'RehearsalRefusal';
}

/** Length (ms) of the part of the history that is read and evaluated at once: large enough for a query, small enough for memory. */
export const CHUNK_MS = 6 * HOUR;

/** Samples of a series; times are ascending whole minutes (ms). */
export interface MinuteSamples {
  readonly name: string;
  readonly labels: Labels;
  readonly times: readonly number[] | Float64Array;
  readonly values: readonly number[] | Float64Array;
}

/** Returns the values of a series in each minute of a span; undefined if it has none. */
export function inputOf(series: MinuteSamples, start: number, steps: number): Input | undefined {
  const { name, labels, times } = series;
  const end = start + steps * MINUTE;
  let at = firstFrom(times, start);
  if (at === times.length || (times[at] as number) >= end) return undefined;
  const values = new Float64Array(steps).fill(Number.NaN);
  for (; at < times.length && (times[at] as number) < end; at++) {
    values[((times[at] as number) - start) / MINUTE] = series.values[at] as number;
  }
  return { name, labels, values };
}

/** Returns the index of the first time that is not before `moment`. */
function firstFrom(times: readonly number[] | Float64Array, moment: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { Chunk, Input } from '../promql/evaluation.ts';
import type { Labels } from '../promql/vector.ts';
import { HOUR, MINUTE } from '../shipped/times.ts';

/** A history that rules are evaluated over. */
export interface RehearsalHistory {
  /** Where it is from, for people. */
  readonly source: string;
  /** What is reported on, ms since the epoch: whole minutes. What is before it only tells what is usual. */
  readonly from: number;
  readonly to: number;
  /** The names of its series. */
  readonly names: ReadonlySet<string>;
  /** How many chunks there are. */
  readonly pieces: number;
  /** All of it in minutes, oldest first and without a gap between chunks. */
  chunks(): AsyncIterable<Chunk>;
}

/** Why there is no rehearsal, as a sentence for the operator. */
export class RehearsalRefusal extends Error {
  override readonly name = 'RehearsalRefusal';
}

/** A part of the history that is read and evaluated at once: enough to be worth a query, little to hold. */
export const CHUNK_MS = 6 * HOUR;

/** Samples of a series by their times, which are whole minutes, ascending (ms). */
export interface MinuteSamples {
  readonly name: string;
  readonly labels: Labels;
  readonly times: readonly number[] | Float64Array;
  readonly values: readonly number[] | Float64Array;
}

/** What a series has in each minute of a span; undefined where it has nothing. */
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

/** The place of the first time that is not before a moment. */
function firstFrom(times: readonly number[] | Float64Array, moment: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

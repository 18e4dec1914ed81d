import type { Faces } from '../catalogue/catalogue.ts';
import { mostFrequent } from '../decode/decode.ts';
import { addedUp } from '../series/decimal.ts';
import { counterValue, gaugeValue } from '../series/samples.ts';
import type { SpoolRecord } from './spool.ts';

/** The buckets of one metric of one target over the whole range. Flat arrays, since 30 days have 43,200 minutes. */
export interface SeriesHistory {
  /** Start of each bucket (ms since the epoch), ascending. */
  readonly starts: Float64Array;
  /** Width of each bucket (ms). */
  readonly widths: Float64Array;
  /** A value for each bucket, by dimension; NaN where the platform has none. */
  readonly values: ReadonlyMap<string, Float64Array>;
}

/**
 * Puts the windows of a metric together.
 * @param records in the order of their windows
 * @param end buckets that end later are left out
 */
export function assemble(records: readonly SpoolRecord[], end: number): SeriesHistory {
  const usual = usualWidth(records);
  const kept = records.map((record) => {
    const width = record.width ?? usual;
    const size = width === undefined ? 0 : record.times.filter((time) => time + width <= end).length;
    return { record, width: width ?? Number.NaN, size };
  });
  const count = kept.reduce((sum, { size }) => sum + size, 0);
  const starts = new Float64Array(count);
  const widths = new Float64Array(count);
  const values = new Map<string, Float64Array>();
  let at = 0;
  for (const { record, width, size } of kept) {
    starts.set(record.times.slice(0, size), at);
    widths.fill(width, at, at + size);
    for (const [dimension, column] of Object.entries(record.series)) {
      const all = values.get(dimension) ?? new Float64Array(count).fill(Number.NaN);
      for (let index = 0; index < size; index += 1) all[at + index] = column[index] ?? Number.NaN;
      values.set(dimension, all);
    }
    at += size;
  }
  return { starts, widths, values };
}

/** The width of buckets that came alone in their answers, by the distance of neighbours. */
function usualWidth(records: readonly SpoolRecord[]): number | undefined {
  const differences = new Map<number, number>();
  let before: number | undefined;
  for (const { width, times } of records) {
    if (width !== null) continue;
    for (const time of times) {
      if (before !== undefined) differences.set(time - before, (differences.get(time - before) ?? 0) + 1);
      before = time;
    }
  }
  return mostFrequent(differences);
}

/** One dimension of a metric's history. */
export interface DimensionHistory extends Pick<SeriesHistory, 'starts' | 'widths'> {
  readonly values: Float64Array;
}

/** A sample of one series. */
interface HistoryPoint {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value: number;
  /** When the counter was at zero (ms since the epoch); undefined for a gauge. */
  readonly since: number | undefined;
}

/** The samples that a bucket adds to a series, by the bucket's index; each bucket is to be asked for once, in order. */
export type PointsOfBucket = (index: number) => readonly HistoryPoint[];

/**
 * The gauge of every bucket, stamped at the bucket's end: the moment up to which it tells what was, as `rate` and its
 * kind look back from the moment that they are asked for.
 */
export function gaugePoints(
  { starts, widths, values }: DimensionHistory,
  gauge: Faces['gauge'],
): PointsOfBucket {
  return (index) => {
    const value = Number(values[index]);
    if (Number.isNaN(value)) return [];
    const width = Number(widths[index]);
    return [{ at: Number(starts[index]) + width, value: gaugeValue(value, gauge, width), since: undefined }];
  };
}

/**
 * The counter after every bucket, stamped at the bucket's end. It counts from 0 at the start of the history, said by
 * a sample a millisecond after it: so `increase` sees the first bucket too, and the sample does not meet that of a
 * history which ends there.
 */
export function counterPoints(
  { starts, widths, values }: DimensionHistory,
  counter: NonNullable<Faces['counter']>,
): PointsOfBucket {
  let total = 0;
  let since: number | undefined;
  return (index) => {
    const value = Number(values[index]);
    if (Number.isNaN(value)) return [];
    const start = Number(starts[index]);
    const zero = since === undefined ? [{ at: start + 1, value: 0, since: start }] : [];
    since ??= start;
    total = addedUp(total, value);
    return [...zero, { at: start + Number(widths[index]), value: counterValue(total, counter), since }];
  };
}

import type { Faces } from '../catalogue/catalogue.ts';
import { addedUp } from '../catalogue/decimal.ts';
import { counterValue, gaugeValue } from '../series/samples.ts';
import type { SeriesHistory } from './series-history.ts';

/** One dimension of a metric's history. */
export interface DimensionHistory extends Pick<SeriesHistory, 'starts' | 'widths'> {
  readonly values: Float64Array;
}

/** A sample of one series. */
export interface HistoryPoint {
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

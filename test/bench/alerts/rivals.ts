import { momentsOf } from './running-moments.ts';

/** More than 100 in five minutes. */
export function moreThan100(values: Float64Array): Uint8Array {
  const { mean } = momentsOf(values, 5, 1);
  return Uint8Array.from(mean, (value) => (value * 5 > 100 ? 1 : 0));
}

/** The last five minutes beside the fifty before them: 1.5 times their mean. */
export function aHalfMore(values: Float64Array): Uint8Array {
  const now = momentsOf(values, 5, 1).mean;
  const before = momentsOf(values, 50, 1).mean;
  return Uint8Array.from(now, (value, minute) => (value > 1.5 * (before[minute - 5] ?? Number.NaN) ? 1 : 0));
}

/** Five minutes that are 3.5 deviations above the mean of six hours, and more than 200. */
export function zScore(values: Float64Array): Uint8Array {
  const now = momentsOf(values, 5, 1).mean;
  const { mean, deviation } = momentsOf(values, 6 * 60, 1);
  return Uint8Array.from(now, (value, minute) => {
    const z = (value - (mean[minute] ?? Number.NaN)) / (deviation[minute] ?? Number.NaN);
    return z > 3.5 && value * 5 > 200 ? 1 : 0;
  });
}

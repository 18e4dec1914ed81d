import { quantile } from './quantile.ts';

/** What a function makes of the samples of a range, of which there is at least one. */
export type OverTime = (samples: Float64Array, count: number, parameter: number) => number;

function sum(samples: Float64Array, count: number): number {
  let total = 0;
  for (let index = 0; index < count; index++) total += samples[index] as number;
  return total;
}

function extreme(pick: (a: number, b: number) => number): OverTime {
  return (samples, count) => {
    let found = samples[0] ?? Number.NaN;
    for (let index = 1; index < count; index++) found = pick(found, samples[index] as number);
    return found;
  };
}

function deviation(samples: Float64Array, count: number): number {
  const mean = sum(samples, count) / count;
  let squares = 0;
  for (let index = 0; index < count; index++) squares += ((samples[index] as number) - mean) ** 2;
  return Math.sqrt(squares / count);
}

/** The functions over all samples of a range, by name. */
export const OVER_TIME: Readonly<Record<string, OverTime>> = {
  avg_over_time: (samples, count) => sum(samples, count) / count,
  sum_over_time: sum,
  count_over_time: (_samples, count) => count,
  min_over_time: extreme(Math.min),
  max_over_time: extreme(Math.max),
  stddev_over_time: deviation,
  quantile_over_time: (samples, count, share) => quantile(samples.subarray(0, count), share),
};

/** Mean and deviation of the minutes of a span that are there, at every `step`-th minute. */
export interface Moments {
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
}

/** The moments of `values` over the `span` minutes that end at minute 0, step, 2 step, …; NaN where nothing was seen. */
export function momentsOf(values: Float64Array, span: number, step: number): Moments {
  const length = Math.ceil(values.length / step);
  const mean = new Float64Array(length);
  const deviation = new Float64Array(length);
  let count = 0;
  let sum = 0;
  let squares = 0;
  const count1 = (value: number | undefined, sign: 1 | -1): void => {
    if (value === undefined || Number.isNaN(value)) return;
    count += sign;
    sum += sign * value;
    squares += sign * value * value;
  };
  for (let minute = 0; minute < values.length; minute++) {
    count1(values[minute], 1);
    if (minute >= span) count1(values[minute - span], -1);
    if (minute % step !== 0) continue;
    const average = count === 0 ? Number.NaN : sum / count;
    mean[minute / step] = average;
    deviation[minute / step] = Math.sqrt(Math.max(0, squares / count - average * average));
  }
  return { mean, deviation };
}

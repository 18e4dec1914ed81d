import type { Faces } from '../catalogue/catalogue.ts';
import { addedUp } from '../catalogue/decimal.ts';
import { formatValue } from '../exposition/sample-value.ts';
import { counterValue, gaugeValue } from '../series/samples.ts';
import type { SeriesHistory } from './series-history.ts';

/** One dimension of a metric's history. */
export interface DimensionHistory extends Pick<SeriesHistory, 'starts' | 'widths'> {
  readonly values: Float64Array;
}

/** So many lines are handed on at once: enough to be worth a write, little to hold. */
const LINES_AT_ONCE = 1_000;

/**
 * The gauge of every bucket, stamped at the bucket's end: the moment up to which it tells what was, as `rate` and its
 * kind look back from the moment that they are asked for.
 */
export function gaugeLines(
  history: DimensionHistory,
  series: string,
  gauge: Faces['gauge'],
): Generator<string> {
  const { starts, widths, values } = history;
  return inPieces(starts.length, (index) => {
    const value = Number(values[index]);
    if (Number.isNaN(value)) return '';
    const width = Number(widths[index]);
    return line(series, gaugeValue(value, gauge, width), Number(starts[index]) + width);
  });
}

/**
 * The counter after every bucket, stamped at the bucket's end. It counts from 0 at the start of the history, said by
 * a sample a millisecond after it: so `increase` sees the first bucket too, and the sample does not meet that of a
 * history which ends there.
 */
export function counterLines(
  history: DimensionHistory,
  series: string,
  counter: NonNullable<Faces['counter']>,
): Generator<string> {
  const { starts, widths, values } = history;
  let total = 0;
  let begun = false;
  return inPieces(starts.length, (index) => {
    const value = Number(values[index]);
    if (Number.isNaN(value)) return '';
    const start = Number(starts[index]);
    const zero = begun ? '' : line(series, 0, start + 1);
    begun = true;
    total = addedUp(total, value);
    return zero + line(series, counterValue(total, counter), start + Number(widths[index]));
  });
}

/** OpenMetrics has its timestamps in seconds. */
function line(series: string, value: number, time: number): string {
  return `${series} ${formatValue(value)} ${time / 1_000}\n`;
}

function* inPieces(count: number, lineAt: (index: number) => string): Generator<string> {
  for (let from = 0; from < count; from += LINES_AT_ONCE) {
    let piece = '';
    const to = Math.min(count, from + LINES_AT_ONCE);
    for (let index = from; index < to; index += 1) piece += lineAt(index);
    if (piece !== '') yield piece;
  }
}

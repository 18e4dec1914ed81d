import { formatValue } from '../exposition/sample-text.ts';
import type { PointsOfBucket } from './series-points.ts';

/** So many buckets are handed on at once: enough to be worth a write, little to hold. */
const BUCKETS_AT_ONCE = 1_000;

/** The sample lines of a series of so many buckets, in pieces. OpenMetrics has its timestamps in seconds. */
export function* seriesLines(series: string, buckets: number, pointsOf: PointsOfBucket): Generator<string> {
  for (let from = 0; from < buckets; from += BUCKETS_AT_ONCE) {
    let piece = '';
    const to = Math.min(buckets, from + BUCKETS_AT_ONCE);
    for (let index = from; index < to; index += 1) {
      for (const { at, value } of pointsOf(index)) {
        piece += `${series} ${formatValue(value)} ${at / 1_000}\n`;
      }
    }
    if (piece !== '') yield piece;
  }
}

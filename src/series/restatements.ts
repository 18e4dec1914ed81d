import type { Points } from '../decode/points.ts';
import type { Restatements } from '../poll/result.ts';
import { firstAtOrAfter } from './counter.ts';

/**
 * Compares an answer with the previous one of the same series.
 * @param watermark up to where the counter has counted; a change before it comes too late for the counter
 */
export function restatements(
  before: Points,
  after: Points,
  watermark: number,
  width: number,
  now: number,
): Restatements {
  const ages: number[] = [];
  let late = 0;
  let lateAmount = 0;
  let index = firstAtOrAfter(after.timestamps, before.timestamps[0] ?? Number.POSITIVE_INFINITY);
  for (let old = 0; old < before.timestamps.length && index < after.timestamps.length; old += 1) {
    const time = before.timestamps[old] ?? 0;
    while ((after.timestamps[index] ?? Number.POSITIVE_INFINITY) < time) index += 1;
    if (after.timestamps[index] !== time) continue;
    const change = (after.values[index] ?? 0) - (before.values[old] ?? 0);
    if (change === 0) continue;
    ages.push(now - time - width);
    if (time + width > watermark) continue;
    late += 1;
    lateAmount += Math.abs(change);
  }
  return { ages, late, lateAmount };
}

import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points, sumWithin } from '../decode/points.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { counterNames, isOutdated } from './breakdown.ts';
import type { HasCounter, Ledger } from './ledger.ts';
import { bucketsWithin, without } from './spans.ts';

/** Returns the sum of all counters' buckets in a window; undefined if the answer lacks any bucket or has dropped rows. */
export function sumOfCounted(
  ledger: Ledger,
  counts: HasCounter,
  decoded: Decoded,
  window: Window,
): number | undefined {
  if (isOutdated(ledger, decoded) || decoded.rejected.size > 0) return undefined;
  const wanted: Points[] = [];
  for (const name of counterNames(ledger)) {
    if (!counts(name)) continue;
    const points = decoded.series.get(name) ?? NO_POINTS;
    const width = ledger.dimensions.get(name)?.width ?? MINUTE_MS;
    if (without([window], bucketsWithin(points, width, window)).length > 0) return undefined;
    wanted.push(points);
  }
  return sumWithin(wanted, window);
}

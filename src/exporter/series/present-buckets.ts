import type { Points } from '../decode/points.ts';
import { MINUTE_MS, reachesPresent } from '../settling/window.ts';
import type { Ledger } from './ledger.ts';
import { newestBucket } from './samples.ts';
import type { WindowedAnswer } from './series-source.ts';

/**
 * Start of the bucket that the gauges show from now on: a newer one than before. No bucket is shown twice or after a later one:
 * values would seem to step back when the publish delay becomes longer or the platform falls behind.
 */
export function bucketToShow(
  { shown }: Ledger,
  usable: ReadonlyMap<string, Points>,
  now: number,
  { width, until }: { readonly width: number; readonly until: number },
): number | undefined {
  const newest = newestBucket(usable.values(), width, until);
  if (newest === undefined || shown.until === undefined || newest + width > shown.until) return newest;
  // A bucket shown that lies in the future dates from before the platform's clock was set back.
  return shown.until > now ? newest : undefined;
}

/** Fewer buckets than these do not show how many an answer lacks. */
const FEWEST_BUCKETS = 5;

/**
 * Share (0 to 1) of buckets that the dimensions of an answer lack, each between its first and its newest.
 * @returns undefined if the answer is too short to tell, or not of the present
 */
export function shareMissing(
  { decoded, window, now }: WindowedAnswer,
  { dimensions }: Ledger,
): number | undefined {
  if (!reachesPresent(window, now)) return undefined;
  let [expected, missing] = [0, 0];
  for (const [name, { timestamps }] of decoded.series) {
    const starts = new Set([...timestamps, ...(decoded.valueless?.get(name) ?? [])]);
    const width = dimensions.get(name)?.width ?? MINUTE_MS;
    const buckets = (Math.max(...starts) - Math.min(...starts)) / width + 1;
    if (!(buckets >= FEWEST_BUCKETS)) continue;
    expected += buckets;
    missing += Math.max(0, buckets - starts.size);
  }
  return expected === 0 ? undefined : missing / expected;
}

import type { Points } from '../decode/points.ts';
import { MINUTE_MS, reachesPresent } from '../settling/window.ts';
import type { Ledger } from './ledger.ts';
import { newestBucket } from './samples.ts';
import type { WindowedAnswer } from './series-source.ts';

/**
 * Returns the start of the bucket for the gauges; undefined if none is newer than the exposed one. Otherwise values would step
 * back if the publish delay grows, or if the platform falls behind.
 */
export function bucketToShow(
  { shown }: Ledger,
  usable: ReadonlyMap<string, Points>,
  now: number,
  { width, until }: { readonly width: number; readonly until: number },
): number | undefined {
  const newest = newestBucket(usable.values(), width, until);
  if (newest === undefined || shown.until === undefined || newest + width > shown.until) return newest;
  // An exposed bucket in the future predates a step back of the platform's clock.
  return shown.until > now ? newest : undefined;
}

/** Least number of buckets from which the share of missing ones is computed. */
const FEWEST_BUCKETS = 5;

/**
 * Returns the share (0 to 1) of missing buckets in the dimensions of an answer, each between its first and its newest.
 * @returns undefined if the answer is too short, or not of the present
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

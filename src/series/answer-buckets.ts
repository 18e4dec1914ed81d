import type { Decoded } from '../decode/decode.ts';
import { MINUTE_MS } from '../settling/window.ts';

/** From how many buckets of a series on its gaps are its width, rather than what is left of a bad answer. */
const TELLING_BUCKETS = 4;

/** Rows that may have been dropped from an answer that tells its width, as a share: to double the gaps half must be. */
const TELLING_DAMAGE = 0.25;

/** No platform answers in buckets narrower than this; a window in steps of a few ms would take for ever to walk. */
const NARROWEST_MS = 1_000;

/** From how many buckets on an answer may tell a width below the minute that the platform is known for. */
const MANY_BUCKETS = 20;

/**
 * The bucket width of an answer, in ms; undefined where it cannot be known. To take buckets for narrower than they are
 * would count them several times, and to take them for wider would skip some: without certainty none is counted, and
 * the next answer brings them again.
 * @param known the width of the answers before; undefined for the first
 */
export function answerWidth(decoded: Decoded, known: number | undefined): number | undefined {
  const { width } = decoded;
  const most = Math.max(0, ...[...decoded.series.values()].map(({ timestamps }) => timestamps.length));
  if (known === undefined || most === 0) return known ?? (Number(width) >= NARROWEST_MS ? width : undefined);
  const many = most >= TELLING_BUCKETS;
  if (isDamaged(decoded)) return many && width === known ? known : undefined;
  if (width === undefined) return most === 1 ? known : undefined;
  return width <= known ? narrower(width, known, most) : many ? width : undefined;
}

/** A narrower width is a part of the one before; one below a minute takes more rows than ever go astray together. */
function narrower(width: number, known: number, buckets: number): number | undefined {
  const usual = width >= MINUTE_MS || (width >= NARROWEST_MS && buckets >= MANY_BUCKETS);
  return usual && known % width === 0 ? width : undefined;
}

function isDamaged({ rejected, rows }: Decoded): boolean {
  const dropped = [...rejected.values()].reduce((sum, count) => sum + count, 0);
  return dropped > rows * TELLING_DAMAGE;
}

/** The start of the newest bucket of any series; -Infinity where there is none. */
export function newestStart({ series }: Decoded): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { timestamps } of series.values()) newest = Math.max(newest, timestamps.at(-1) ?? newest);
  return newest;
}

/** The start of some bucket, which tells where all others of its width begin; undefined where there is none. */
export function someStart({ series }: Decoded): number | undefined {
  for (const { timestamps } of series.values()) if (timestamps[0] !== undefined) return timestamps[0];
  return undefined;
}

/** The start of the bucket that holds a time, on the grid of an answer. */
export function startOfBucketAt(time: number, width: number, decoded: Decoded): number {
  const start = someStart(decoded) ?? 0;
  return start + Math.floor((time - start) / width) * width;
}

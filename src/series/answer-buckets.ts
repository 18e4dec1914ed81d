import type { Decoded } from './decode.ts';

/** From how many buckets on an answer may tell a greater width than the answers before it. */
const TELLING_BUCKETS = 4;

/** Rows that may have been dropped from such an answer, as a share of all: to double the gaps half of them must be. */
const TELLING_DAMAGE = 0.25;

/**
 * The bucket width of an answer, in ms. A width less than the one known is believed at once, since at worst it makes
 * the counters wait; a greater one could make them skip buckets that the answer lacks, so it must be well founded.
 * @param known the width of the answers before; undefined for the first
 */
export function answerWidth(decoded: Decoded, known: number | undefined): number | undefined {
  const { width } = decoded;
  if (known === undefined || width === undefined) return width ?? known;
  return width <= known || tells(decoded) ? width : known;
}

function tells({ series, rejected, rows }: Decoded): boolean {
  const dropped = [...rejected.values()].reduce((sum, count) => sum + count, 0);
  if (dropped > rows * TELLING_DAMAGE) return false;
  return [...series.values()].some(({ timestamps }) => timestamps.length >= TELLING_BUCKETS);
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

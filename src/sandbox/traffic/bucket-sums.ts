import { type Buckets, completeness, FINEST, horizon, type Settling } from './buckets.ts';
import { GROUPS, type Group } from './groups.ts';
import type { Source } from './source.ts';

/** Source, and the time range (ms since the epoch) in which its counts belong to the series. */
export interface Contribution {
  readonly source: Source;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the cells of every bucket, one bucket after another: the sum of the contributions.
 * @param settling completeness of young buckets; if undefined, every bucket is complete, including future ones
 */
export function bucketSums(
  contributions: readonly Contribution[],
  group: Group,
  buckets: Buckets,
  settling?: Settling,
): Float64Array {
  const cells = GROUPS[group].length;
  const sums = new Float64Array(buckets.count * cells);
  const stretches = [...(group === 'levels' ? moments(buckets, settling) : shown(buckets, settling))];
  for (const { source, from, to } of contributions) {
    const meter = source.meter(group);
    let [before, after] = [new Float64Array(cells), new Float64Array(cells)];
    let measured = Number.NaN;
    for (const { bucket, start, end } of stretches) {
      const [first, last] = [Math.max(start, from), Math.min(end, to)];
      if (last <= first) continue;
      // A level is a value; a count is the difference between two times, which consecutive buckets share.
      if (group === 'levels') meter(first, after);
      else {
        if (first !== measured) meter(first, before);
        meter(last, after);
      }
      addDifference(before, after, sums, bucket * cells);
      if (group !== 'levels') [before, after] = [after, before];
      measured = last;
    }
  }
  return sums;
}

function addDifference(before: Float64Array, after: Float64Array, sums: Float64Array, at: number): void {
  for (let cell = 0; cell < before.length; cell++)
    sums[at + cell] = (sums[at + cell] ?? 0) + (after[cell] ?? 0) - (before[cell] ?? 0);
}

/** Time range (ms since the epoch) that is counted in a bucket. */
interface Stretch {
  readonly bucket: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Yields the visible part of the buckets: settled ones as a whole, and the first part of each young minute. This keeps sums of
 * parts consistent.
 */
function* shown({ start, width, count }: Buckets, settling: Settling | undefined): Generator<Stretch> {
  const end = start + count * width;
  const young = settling ? Math.min(Math.max(horizon(settling), start), end) : end;
  for (let bucket = 0; start + bucket * width < young; bucket++) {
    const from = start + bucket * width;
    yield { bucket, start: from, end: Math.min(from + width, young) };
  }
  if (settling === undefined) return;
  for (let minute = young; minute < Math.min(end, settling.now); minute += FINEST) {
    const shownOf = Math.floor(FINEST * completeness(minute, settling));
    yield { bucket: Math.floor((minute - start) / width), start: minute, end: minute + shownOf };
  }
}

/** Yields the last moment of each bucket. */
function* moments({ start, width, count }: Buckets, settling: Settling | undefined): Generator<Stretch> {
  for (let bucket = 0; bucket < count; bucket++) {
    const end = Math.min(start + (bucket + 1) * width, settling?.now ?? Number.POSITIVE_INFINITY);
    yield { bucket, start: end - 1, end };
  }
}

import { type Buckets, completeness, FINEST, horizon, type Settling } from './buckets.ts';
import { GROUPS, type Group } from './groups.ts';
import type { Meter, Source } from './source.ts';

/** A source, and the time (ms) in which what it counts belongs to the series. */
export interface Contribution {
  readonly source: Source;
  readonly from: number;
  readonly to: number;
}

/**
 * The cells of every bucket, one bucket after another: the sum of the contributions.
 * @param settling how much of young buckets has come in; without it every bucket is complete, future ones too
 */
export function bucketSums(
  contributions: readonly Contribution[],
  group: Group,
  buckets: Buckets,
  settling?: Settling,
): Float64Array {
  const cells = GROUPS[group].length;
  const sums = new Float64Array(buckets.count * cells);
  const add = group === 'levels' ? addLevels : addCounts;
  for (const contribution of contributions) add(contribution, group, buckets, settling, sums);
  return sums;
}

type Add = (
  contribution: Contribution,
  group: Group,
  buckets: Buckets,
  settling: Settling | undefined,
  sums: Float64Array,
) => void;

const addCounts: Add = (contribution, group, buckets, settling, sums) => {
  const meter = contribution.source.meter(group);
  const end = buckets.start + buckets.count * buckets.width;
  const young = settling ? Math.min(Math.max(horizon(settling), buckets.start), end) : end;
  addSettled(meter, contribution, buckets, young, sums);
  if (settling) addYoung(meter, contribution, buckets, { from: young, to: end, settling }, sums);
};

/** Every boundary between buckets is measured once, for the bucket before and the one after it. */
function addSettled(
  meter: Meter,
  span: Contribution,
  buckets: Buckets,
  until: number,
  sums: Float64Array,
): void {
  const cells = buckets.count === 0 ? 0 : sums.length / buckets.count;
  let before = new Float64Array(cells);
  let after = new Float64Array(cells);
  const clip = (time: number) => Math.max(span.from, Math.min(time, span.to, until));
  let measured = clip(buckets.start);
  if (Number.isFinite(measured)) meter(measured, before);
  for (let bucket = 0; bucket < buckets.count; bucket++) {
    const boundary = clip(buckets.start + (bucket + 1) * buckets.width);
    if (boundary <= measured) continue;
    meter(boundary, after);
    addDifference(before, after, sums, bucket * cells);
    [before, after] = [after, before];
    measured = boundary;
  }
}

/** A young minute holds what was counted in its first part, so that whatever adds up in full adds up in part too. */
function addYoung(
  meter: Meter,
  span: Contribution,
  buckets: Buckets,
  young: { from: number; to: number; settling: Settling },
  sums: Float64Array,
): void {
  const cells = buckets.count === 0 ? 0 : sums.length / buckets.count;
  const last = Math.min(young.to, young.settling.now);
  if (young.from >= last) return;
  const before = new Float64Array(cells);
  const after = new Float64Array(cells);
  for (let minute = young.from; minute < last; minute += FINEST) {
    const shown = minute + Math.floor(FINEST * completeness(minute, young.settling));
    const from = Math.max(minute, span.from);
    const to = Math.min(shown, span.to);
    if (to <= from) continue;
    meter(from, before);
    meter(to, after);
    addDifference(before, after, sums, Math.floor((minute - buckets.start) / buckets.width) * cells);
  }
}

function addDifference(before: Float64Array, after: Float64Array, sums: Float64Array, at: number): void {
  for (let cell = 0; cell < before.length; cell++) {
    sums[at + cell] = (sums[at + cell] ?? 0) + (after[cell] ?? 0) - (before[cell] ?? 0);
  }
}

const addLevels: Add = ({ source, from, to }, group, buckets, settling, sums) => {
  const meter = source.meter(group);
  const cells = new Float64Array(GROUPS[group].length);
  const zero = new Float64Array(cells.length);
  for (let bucket = 0; bucket < buckets.count; bucket++) {
    const end = buckets.start + (bucket + 1) * buckets.width;
    const moment = Math.min(end, settling?.now ?? end) - 1;
    if (moment < from || moment >= to) continue;
    meter(moment, cells);
    addDifference(zero, cells, sums, bucket * cells.length);
  }
};

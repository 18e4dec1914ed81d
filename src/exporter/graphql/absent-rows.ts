import type { Rejections } from '../decode/points.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';

/** Age difference (ms) from the newest row of a dataset below which other rows may still be missing, unless they are old. */
const COMPLETE_AFTER_MS = 2 * MINUTE_MS;
const OLD_MS = 30 * MINUTE_MS;

/** Probability above which a span without rows counts as idle. */
const UNLIKELY = 1e-3;

/** Share of buckets from which on rows without an owner are traffic without an owner, rather than rows that lost a name. */
const NEARLY_ALL = 0.8;

/** Returns the time (ms since the epoch) until which a dataset is complete, derived from its newest row. */
export function wholeUntil(newest: number, now: number): number {
  return newest + MINUTE_MS <= now - OLD_MS ? newest + MINUTE_MS : newest - COMPLETE_AFTER_MS;
}

/** Returns the spans in which a dataset lacks rows for longer than chance explains. With little traffic these spans are longer. */
export function holesIn(starts: readonly number[], from: number): Window[] {
  const [first] = starts;
  const last = starts.at(-1);
  if (first === undefined || last === undefined) return [];
  const begin = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
  const buckets = (last - begin) / MINUTE_MS + 1;
  const holes: Window[] = [];
  let reached = begin;
  for (const start of starts) {
    const empty = (start - reached) / MINUTE_MS;
    const others = buckets - empty;
    const idle = (others - starts.length) / others;
    if (empty > 0 && idle ** empty < UNLIKELY) holes.push({ from: reached, to: start });
    reached = start + MINUTE_MS;
  }
  return holes;
}

/** Number of distinct times from which on their smallest distance is taken as the bucket width. */
const ENOUGH_TIMES = 4;

/** Returns the width (ms) of the buckets, derived from the starts of rows; undefined if there are too few rows. */
export function widthShown(starts: readonly number[]): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < starts.length; index += 1)
    least = Math.min(least, Number(starts[index]) - Number(starts[index - 1]));
  return least === MINUTE_MS || starts.length >= ENOUGH_TIMES ? least : undefined;
}

/**
 * Returns the buckets in which a row without an owner may belong to any configuration. A platform may group unowned traffic under
 * an empty name. Then nearly every bucket has one such row, which shows nothing about other configurations.
 * @param ofNone rows without an owner
 * @param starts starts (ms since the epoch) of buckets with rows that have an owner
 * @returns bucket starts (ms since the epoch), or `of any time` if a row without an owner was rejected
 */
export function mayBeLost(
  { times, rejected }: { readonly times: readonly number[]; readonly rejected: Rejections },
  starts: ReadonlySet<number>,
): ReadonlySet<number> | 'of any time' {
  if (rejected.size > 0) return 'of any time';
  const beside = times.filter((time) => starts.has(time));
  const isUsual = starts.size >= ENOUGH_TIMES && beside.length >= NEARLY_ALL * starts.size;
  return new Set(isUsual ? times.filter((time) => !starts.has(time)) : times);
}

import type { Rejections } from '../decode/points.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';

/** A row this much (ms) younger than the newest of its dataset may still be on its way, unless it is old. */
const COMPLETE_AFTER_MS = 2 * MINUTE_MS;
const OLD_MS = 30 * MINUTE_MS;

/** A span without rows is idle if that is more likely than this. */
const UNLIKELY = 1e-3;

/** From this share of buckets on, rows without an owner are traffic without an owner, not rows with a lost name. */
const NEARLY_ALL = 0.8;

/** Returns the time (ms since the epoch) until which a dataset has all of its rows, by its newest row. */
export function wholeUntil(newest: number, now: number): number {
  return newest + MINUTE_MS <= now - OLD_MS ? newest + MINUTE_MS : newest - COMPLETE_AFTER_MS;
}

/** Returns where a dataset has no rows for longer than chance explains: a long time if there is little traffic. */
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

/** From so many different times on, the least distance of two is the width. */
const ENOUGH_TIMES = 4;

/** Returns the width (ms) of the buckets that rows show; undefined if too few show it. */
export function widthShown(starts: readonly number[]): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  for (let index = 1; index < starts.length; index += 1)
    least = Math.min(least, Number(starts[index]) - Number(starts[index - 1]));
  return least === MINUTE_MS || starts.length >= ENOUGH_TIMES ? least : undefined;
}

/**
 * Returns the buckets in which a row without an owner may belong to anybody. A platform may group unowned traffic under
 * an empty name: then nearly every bucket has one such row, which says nothing about others.
 * @param ofNone rows without an owner; `starts` where others have rows (ms since the epoch)
 * @returns the starts (ms since the epoch); `of any time` if they are no such group, or have no time
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

import type { Points } from './points.ts';

/** The grid of an answer's buckets: each starts at a multiple of `width` after `phase`. In milliseconds. */
export interface Grid {
  readonly width: number;
  readonly phase: number;
  /** Whether every series has all buckets from its first to its last, and none beside the grid. */
  readonly complete: boolean;
}

/** A stray point midway between two buckets makes this many equal differences that are not the width. */
const STRAY_DIFFERENCES = 2;

/**
 * The grid on which the buckets of an answer lie. Its width is the most frequent difference of neighbouring timestamps
 * over all series (the smaller of two as frequent), since the platform chooses widths by the window asked for and does
 * not say which. It must be the only difference, or more frequent than a single stray point can make one, and most
 * buckets must share its phase; otherwise the grid stays unknown, rather than be one that strays have made up.
 */
export function gridOf(series: readonly Points[]): Grid | undefined {
  const differences = differencesIn(series);
  const width = mostFrequent(differences);
  if (width === undefined) return undefined;
  if (differences.size > 1 && Number(differences.get(width)) <= STRAY_DIFFERENCES) return undefined;
  const phases = phasesIn(series, width);
  const phase = majority(phases);
  return phase === undefined
    ? undefined
    : { width, phase, complete: differences.size === 1 && phases.size === 1 };
}

/** How often each difference of neighbouring timestamps occurs. */
function differencesIn(series: readonly Points[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { timestamps } of series) {
    let run = 0;
    let current = Number.NaN;
    for (let index = 1; index < timestamps.length; index += 1) {
      const difference = Number(timestamps[index]) - Number(timestamps[index - 1]);
      if (difference !== current) {
        add(counts, current, run);
        current = difference;
        run = 0;
      }
      run += 1;
    }
    add(counts, current, run);
  }
  return counts;
}

/** How many timestamps have each offset from the multiples of `width`. */
function phasesIn(series: readonly Points[], width: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { timestamps } of series) {
    let run = 0;
    for (let index = 0; index < timestamps.length; index += 1) {
      run += 1;
      // A neighbour one width on has the same offset; a remainder per timestamp would cost more than all the rest.
      if (Number(timestamps[index + 1]) - Number(timestamps[index]) === width) continue;
      add(counts, Number(timestamps[index]) % width, run);
      run = 0;
    }
  }
  return counts;
}

function add(counts: Map<number, number>, key: number, times: number): void {
  if (times > 0) counts.set(key, (counts.get(key) ?? 0) + times);
}

/** The key counted most often, the smaller of two as frequent; undefined when nothing was counted. */
export function mostFrequent(counts: ReadonlyMap<number, number>): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const [key, times] of counts) {
    if (times < most || (times === most && best !== undefined && key > best)) continue;
    best = key;
    most = times;
  }
  return best;
}

function majority(counts: ReadonlyMap<number, number>): number | undefined {
  let all = 0;
  for (const times of counts.values()) all += times;
  for (const [key, times] of counts) if (times > all / 2) return key;
  return undefined;
}

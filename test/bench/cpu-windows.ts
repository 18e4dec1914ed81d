import { sum } from './statistics.ts';

/** CPU time of a process within a time in which nobody scrapes it. */
export interface CpuWindow {
  /** Milliseconds. */
  readonly cpu: number;
  /** Reads that the platform answered. */
  readonly reads: number;
  /** Whether a minute of the machine's clock begins in it: then the exporter takes stock of its accounts. */
  readonly minuteBegins: boolean;
}

export interface CpuCosts {
  /** Milliseconds of CPU; NaN where there was no poll, or no time without. */
  readonly perPoll: number;
  readonly polls: number;
  /** What the exporter does in a minute beside polling and being scraped (ms). */
  readonly idlePerMinute: number;
}

/**
 * What polls cost, and what goes on without them, from the windows of a whole minute, all equally long. Polls cost what the windows
 * with reads take beyond one without; all else of the minute is idle work, but no poll may fall into the window in which the minute
 * begins, which has more of that.
 */
export function costsOf(windows: readonly CpuWindow[]): CpuCosts {
  const busy = windows.filter(({ reads }) => reads > 0);
  const quiet = windows.filter(({ reads, minuteBegins }) => reads === 0 && !minuteBegins);
  const polls = sum(busy.map(({ reads }) => reads));
  // A full collection of the heap, which comes every few minutes, may fall into one of them.
  const idle = lowerMedian(quiet.map(({ cpu }) => cpu));
  if (polls === 0 || busy.some(({ minuteBegins }) => minuteBegins))
    return { perPoll: Number.NaN, polls, idlePerMinute: Number.NaN };
  const used = sum(busy.map(({ cpu }) => cpu - idle));
  return { perPoll: used / polls, polls, idlePerMinute: sum(windows.map(({ cpu }) => cpu)) - used };
}

function lowerMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

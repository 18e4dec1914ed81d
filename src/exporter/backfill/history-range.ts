import { FINEST_WINDOW_MS, HISTORY_MS, MINUTE_MS, type Window } from '../settling/window.ts';

/** A part of the range that one operation brings, in the platform's finest buckets. */
export interface HistoryWindow extends Window {
  readonly index: number;
  /**
   * What the platform is asked for: always as long as a finest window, since it chooses the width of buckets by the
   * length; and never beyond the range's end, where buckets have not settled.
   */
  readonly ask: Window;
}

/** What the platform has: from its oldest bucket to the end of its newest settled one (ms since the epoch). */
export interface Available {
  readonly from: number;
  readonly to: number;
}

/** What is available at a moment of the platform's time. */
export function availableAt(now: number, settleDelay: number): Available {
  return { from: now - HISTORY_MS, to: Math.floor((now - settleDelay) / MINUTE_MS) * MINUTE_MS };
}

/** The whole minutes within what was asked for; without an end up to the newest settled bucket. */
export function rangeOf(from: number, to: number | undefined, available: Available): Window {
  return {
    from: Math.ceil(from / MINUTE_MS) * MINUTE_MS,
    to: Math.floor((to ?? available.to) / MINUTE_MS) * MINUTE_MS,
  };
}

/** What is wrong with a range, as a sentence for the operator; undefined if nothing is. */
export function rangeProblem(range: Window, available: Available): string | undefined {
  if (range.from >= range.to) {
    return `--from (${moment(range.from)}) must be at least a minute before --to (${moment(range.to)})`;
  }
  if (range.from < available.from) {
    const earliest = Math.ceil(available.from / FINEST_WINDOW_MS + 0.25) * FINEST_WINDOW_MS;
    return `--from (${moment(range.from)}) is too early: the platform keeps 30 days, so the earliest is ${moment(earliest)}`;
  }
  if (range.to > available.to) {
    return `--to (${moment(range.to)}) is too late: only settled buckets are final, and the newest one ends at ${moment(available.to)}`;
  }
  return undefined;
}

/** Cuts a range at every full hour, oldest first: what the platform will forget soonest is read first. */
export function windowsOf(range: Window): HistoryWindow[] {
  const windows: HistoryWindow[] = [];
  let { from } = range;
  while (from < range.to) {
    const to = Math.min(range.to, Math.floor(from / FINEST_WINDOW_MS + 1) * FINEST_WINDOW_MS);
    const end = Math.min(from + FINEST_WINDOW_MS, range.to);
    windows.push({ index: windows.length, from, to, ask: { from: end - FINEST_WINDOW_MS, to: end } });
    from = to;
  }
  return windows;
}

/** A time as messages show it, in UTC and as the flags take it. */
export function moment(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

import { createTask } from 'node-cron';

const YEAR_MS = 365 * 24 * 3_600_000;

/** Enough runs to see every gap of a pattern that is not even, such as office hours. */
const RUNS = 64;

/** How far apart the runs of a cron pattern are, in ms. */
export interface Period {
  /** On average: what it costs. */
  readonly mean: number;
  /** At most: how long it may leave a value alone. */
  readonly longest: number;
}

/** The period of a cron pattern in the near future. */
export function periodOf(pattern: string): Period {
  const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
  const runs = task.getNextRuns(RUNS).map((run) => run.getTime());
  task.destroy();
  const gaps = runs.slice(1).map((run, index) => run - (runs[index] ?? run));
  // A pattern with a single run left has no gap: it is as rare as can be.
  if (gaps.length === 0) return { mean: YEAR_MS, longest: YEAR_MS };
  return { mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length, longest: Math.max(...gaps) };
}

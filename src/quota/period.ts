import { createTask } from 'node-cron';

/** Enough runs to see the longest gap of a pattern that is not even, such as office hours. */
const RUNS = 32;

/** The longest time (ms) between two runs of a cron pattern in the near future. */
export function periodOf(pattern: string): number {
  const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
  const runs = task.getNextRuns(RUNS).map((run) => run.getTime());
  task.destroy();
  let longest = 1_000;
  for (let index = 1; index < runs.length; index += 1) {
    longest = Math.max(longest, (runs[index] ?? 0) - (runs[index - 1] ?? 0));
  }
  return longest;
}

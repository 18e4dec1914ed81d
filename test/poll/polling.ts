import { Departures } from '../../src/poll/departures.ts';
import type { PollResult } from '../../src/poll/result.ts';
import { PollRunner, type RunnerOptions } from '../../src/poll/runner.ts';
import { Schedule, type ScheduleOptions } from '../../src/poll/schedule.ts';
import { memoryState } from '../../src/state/state.ts';

/** A poll that found what it looked for and has nothing to expose. */
export const FOUND: PollResult = { outcome: 'ok', adopt: () => [] };

export type PollingOptions = Omit<ScheduleOptions, 'runner'> &
  Pick<RunnerOptions, 'queue' | 'exchange'> &
  Partial<RunnerOptions>;

/** A schedule with its runner; nothing is kept, nothing exposed, and a fault of the exporter fails the test. */
export function polling(options: PollingOptions): Schedule {
  const state = memoryState();
  const runner = new PollRunner({
    account: 'test',
    departures: new Departures(),
    commit: ({ entries }) => state.commit(entries),
    exposes: () => true,
    store: { publish: () => undefined, withdraw: () => undefined },
    requestTimeoutMs: 30_000,
    staleAfter: 600_000,
    polled: () => undefined,
    commitRefused: () => undefined,
    // Its time is the machine's, which says nothing where an exchange lasts simulated time or is left behind by a test.
    overdue: () => undefined,
    defect: (_, error) => {
      throw error;
    },
    ...options,
  });
  return new Schedule({ ...options, runner });
}

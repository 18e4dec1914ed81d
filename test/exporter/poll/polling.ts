import { ExposedResults } from '../../../src/exporter/account/account-store.ts';
import type { Job, PollResult } from '../../../src/exporter/poll/job.ts';
import {
  Operations,
  type OperationsOptions,
  type PollObserver,
  PollRunner,
  type RunnerOptions,
} from '../../../src/exporter/poll/runner.ts';
import { Schedule, type ScheduleOptions } from '../../../src/exporter/poll/schedule.ts';
import type { DemandForecast } from '../../../src/exporter/rate-limit/demand-forecast.ts';
import { AccountMemory, memoryState } from '../../../src/exporter/state/state.ts';

/** A poll that found what it looked for and has nothing to expose. */
export const FOUND: PollResult = { outcome: 'ok', exposures: () => [] };

export interface PollingOptions
  extends Omit<ScheduleOptions, 'runner' | 'exposed'>,
    Pick<OperationsOptions, 'queue' | 'exchange'>,
    Partial<Pick<OperationsOptions, 'timeoutMs'>>,
    Partial<Pick<RunnerOptions, 'polled'>>,
    Partial<PollObserver> {
  readonly forecast: DemandForecast;
}

/** A schedule with its runner; nothing is kept, nothing exposed, and a fault of the exporter fails the test. */
export function polling(options: PollingOptions): Schedule {
  const { clock, forecast, queue, exchange, timeoutMs = 30_000 } = options;
  const state = memoryState();
  const exposed = new ExposedResults({
    account: 'test',
    platformClock: { now: () => clock.now(), localNow: () => clock.now() },
    forecast,
    store: { publishAll: () => undefined, withdraw: () => undefined },
    exposes: () => true,
    staleAfter: 600_000,
  });
  const observer: PollObserver = {
    commitRefused: () => undefined,
    // Its time is the machine's, which says nothing where an exchange lasts simulated time or is left behind by a test.
    overdue: () => undefined,
    defect: (_account, _job, error) => {
      throw error;
    },
    ...options,
  };
  const runner = new PollRunner({
    account: 'test',
    clock,
    operations: new Operations({ clock, queue, exchange, timeoutMs }),
    forecast,
    commit: ({ entries }) => state.commit(entries),
    memory: new AccountMemory(state),
    exposed,
    observer,
    polled: options.polled ?? (() => undefined),
  });
  return new Schedule({ ...options, runner, exposed });
}

/** A job of one operation a minute, which finds nothing. */
export function jobOf(id: string, overrides: Partial<Job> = {}): Job {
  return {
    id,
    subject: { collector: 'metrics' },
    schedule: '* * * * *',
    group: 'metrics',
    weight: 1,
    cost: () => 1,
    read: (read, signal) => read(() => ({ path: `/${id}`, version: 1 }), signal),
    conclude: () => FOUND,
    ...overrides,
  };
}

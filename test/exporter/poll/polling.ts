import type { ExchangeInfo } from '../../../src/exporter/platform/exchange.ts';
import { type Answer, PlatformFailure, type Resource } from '../../../src/exporter/platform/read.ts';
import type { Job, PollResult } from '../../../src/exporter/poll/job.ts';
import { Reachability } from '../../../src/exporter/poll/observed-platform.ts';
import { Operations, type OperationsOptions } from '../../../src/exporter/poll/operations.ts';
import { type PollObserver, PollRunner } from '../../../src/exporter/poll/runner.ts';
import { Schedule, type ScheduleOptions } from '../../../src/exporter/poll/schedule.ts';
import type { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';

/** Result of a successful poll without samples. */
export const FOUND: PollResult = { outcome: 'ok', exposures: () => [] };

/** Operations whose exchanges show nothing of the platform. */
export function unobserved(
  options: Pick<OperationsOptions, 'clock' | 'queue' | 'timeoutMs' | 'turns'>,
  exchange: (resource: Resource, signal: AbortSignal) => Promise<Answer>,
): Operations {
  return new Operations({
    ...options,
    account: 'test',
    platform: { observe: () => Promise.reject(new Error('nothing is observed')) as never },
    // biome-ignore lint/correctness/useYield: there is no record of the exchange
    async *send(resource, signal): AsyncGenerator<ExchangeInfo, Answer> {
      return await exchange(resource, signal);
    },
  });
}

export interface PollingOptions
  extends Omit<ScheduleOptions, 'poll'>,
    Pick<OperationsOptions, 'queue'>,
    Partial<Pick<OperationsOptions, 'timeoutMs'>>,
    Partial<PollObserver> {
  readonly forecast: PollIntervals;
  readonly exchange: Parameters<typeof unobserved>[1];
}

/** A schedule with its runner; nothing is kept, nothing exposed, and a fault of the exporter fails the test. */
export function polling(options: PollingOptions): Schedule {
  const { clock, forecast, queue, exchange, timeoutMs = 30_000 } = options;
  const state = memoryState();
  const exposed = { expose: () => undefined, withdraw: () => undefined };
  const observer: PollObserver = {
    exchanged: () => undefined,
    departed: () => undefined,
    polled: () => undefined,
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
    operations: unobserved({ clock, queue, timeoutMs }, exchange),
    reachability: new Reachability(() => clock.now()),
    intervals: forecast,
    commit: ({ entries }) => state.commit(entries),
    memory: new AccountMemory(state),
    exposed,
    observer,
  });
  const poll = async (scheduled: Parameters<typeof runner.run>[0]) => void (await runner.run(scheduled));
  return new Schedule({ ...options, poll });
}

/** Finds nothing, and passes a failure on. */
export function concludeFound(answer: unknown): PollResult {
  if (answer instanceof PlatformFailure) throw answer;
  return FOUND;
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
    conclude: concludeFound,
    ...overrides,
  };
}

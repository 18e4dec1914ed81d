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

/** Returns operations whose exchanges give no information on the platform. */
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

/**
 * Returns a schedule with its runner. Its state is in memory, it exposes nothing, and a defect of the
 * exporter fails the test.
 */
export function polling(options: PollingOptions): Schedule {
  const { clock, forecast, queue, exchange, timeoutMs = 30_000 } = options;
  const state = memoryState();
  const exposed = { expose: () => undefined, withdraw: () => undefined };
  const observer: PollObserver = {
    exchanged: () => undefined,
    departed: () => undefined,
    polled: () => undefined,
    commitRefused: () => undefined,
    // The overdue time is real time. It has no meaning for exchanges in simulated time, or for exchanges that
    // outlive their test.
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

/** Returns `FOUND`, or throws the given failure. */
export function concludeFound(answer: unknown): PollResult {
  if (answer instanceof PlatformFailure) throw answer;
  return FOUND;
}

/** Returns a job with one operation per minute and an empty result. */
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

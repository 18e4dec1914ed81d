import { accountStatus } from '../../../src/exporter/account/account-status.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import type { JobStatus } from '../../../src/exporter/status.ts';
import type { AccountStatus } from '../../../src/exporter/status-document.ts';
import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';
import { jobOf, polling } from '../poll/polling.ts';

export const MINUTE = 60_000;
export const NOON = Date.UTC(2026, 0, 5, 12);

/** Rate-limit headers of an answer to another operation of the same token, and their age. */
export interface Told {
  readonly remaining: number;
  /** Seconds until the window closes. */
  readonly closesIn: number;
  /** Age of the answer in seconds; default: 0. */
  readonly ago?: number;
}

export interface Bed {
  readonly concurrency?: number;
  readonly told?: Told;
  readonly answers?: boolean;
}

/**
 * Creates an account at 12:00:20 with 200 operations per minute, of which a fifth is reserved for other
 * clients.
 */
export function accountWith({ concurrency = 100, told, answers = false }: Bed = {}) {
  const clock = new SimulatedClock(NOON + 20_000, PROMISES_ONLY);
  const platform = new ObservedPlatform({
    clock,
    basePath: '',
    reserve: () => 0.2,
    assumedLimit: 60,
  });
  const { scopes, platformClock } = platform;
  const { limiter } = scopes.of('metrics');
  platformClock.observe({ sentAt: clock.now(), receivedAt: clock.now(), serverDate: clock.now() });
  if (told !== undefined) {
    const { remaining, closesIn, ago = 0 } = told;
    const resetAt = clock.now() + closesIn * 1_000;
    limiter.observe(clock.now() - ago * 1_000, { limit: 200, remaining, resetAt });
  }
  const forecast = new PollIntervals(scopes);
  const queue = new RequestQueue({ clock, scopes, concurrency });
  const ticks = new Set<(at: number) => void>();
  const schedule = polling({
    clock,
    platformClock,
    ticker: (_, tick) => {
      ticks.add(tick);
      return () => void ticks.delete(tick);
    },
    queue,
    forecast,
    exchange: () => (answers ? Promise.resolve({ body: null, bytes: 0 }) : new Promise(() => undefined)),
  });
  const status = (): AccountStatus => {
    const known = {
      name: 'a',
      apiUrl: '',
      credentials: 'token' as const,
      reserve: 0.2,
      platform,
      queue,
      intervals: forecast,
    };
    const unknown = {
      id: () => undefined,
      tokenExpiresAt: () => undefined,
      tokenRenewsAt: () => undefined,
      isBeginning: () => false,
      lastLook: () => undefined,
      listings: () => [],
      sources: () => [],
    };
    return accountStatus({ ...known, ...unknown, jobs: () => schedule.states() }, clock);
  };
  /** Processing many jobs takes several turns of the event loop; on a busy machine, even a few jobs do. */
  const takenIn = async () => {
    for (let turn = 0; turn < 50; turn += 1) await clock.run(clock.now());
  };
  const start = async (jobs: readonly Job[]): Promise<readonly JobStatus[]> => {
    forecast.replace(jobs);
    schedule.replace(jobs);
    await takenIn();
    return status().jobs;
  };
  return {
    clock,
    platform,
    limiter,
    status,
    /** Fires every schedule now. */
    fire(): Promise<void> {
      for (const tick of ticks) tick(clock.now());
      return takenIn();
    },
    /** Advances time, and makes the platform refuse everything from then on. */
    async refusedAfter(ms: number): Promise<void> {
      limiter.refuse(clock.now(), undefined, 2 * ms);
      await clock.run(clock.now() + ms);
    },
    /** Makes jobs due in order of decreasing weight. Returns their state after all allowed requests. */
    jobs(count: number, overrides: Partial<Job> = {}): Promise<readonly JobStatus[]> {
      const weighed = Array.from({ length: count }, (_, index) => ({ weight: count - index, ...overrides }));
      return start(weighed.map((own, index) => jobOf(`${index}`, own)));
    },
    start,
  };
}

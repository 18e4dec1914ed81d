import { expect, it, onTestFinished, vi } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { eventually } from '../../eventually.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { jobOf, polling } from './polling.ts';

it('a request that goes on for a second beyond its timeout is reported, once, while it goes on', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = new SimulatedClock(Date.UTC(2026, 0, 5, 12));
  const platformClock = new PlatformClock(() => clock.now());
  const scopes = new LimitScopes({ reserve: 0, assumedLimit: 10_000, platformClock });
  const forecast = new PollIntervals(scopes);
  const reports: string[] = [];
  const hangs: string[] = [];
  const jobs = [jobOf('hangs'), jobOf('answers')];
  const schedule = polling({
    clock,
    platformClock,
    ticker: () => () => undefined,
    queue: new RequestQueue({ clock, scopes, concurrency: 10 }),
    forecast,
    timeoutMs: 100,
    exchange: async ({ path }) => {
      if (path === '/answers') return { body: null, bytes: 0 };
      hangs.push(path);
      return new Promise(() => undefined);
    },
    overdue: (_, { id }, part) => void reports.push(`${id}: ${part}`),
  });
  forecast.replace(jobs);
  schedule.replace(jobs);
  await eventually('it hangs', async () => {
    await clock.advance(1_000);
    return hangs.length > 0;
  });
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(1_190);
  expect(reports).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(reports).toEqual(['hangs: request']);
  vi.advanceTimersByTime(60_000);
  expect(reports).toEqual(['hangs: request']);
});

import { expect, it } from 'vitest';
import { shortestInterval, silenceOf } from '../../../src/exporter/account/account-status.ts';
import type { JobState } from '../../../src/exporter/poll/schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOW = 24 * 60 * MINUTE;

/** What is said of an account on which the scheduler has just run. */
const silence = (
  polledMsAgo: number,
  shortestIntervalMs: number,
  { platformUp = true, beatMsAgo = 0 } = {},
) =>
  silenceOf({
    now: NOW,
    beatAt: NOW - beatMsAgo,
    polledAt: NOW - polledMsAgo,
    platformUp,
    shortestIntervalMs,
  });

it('an account is not ready after three of its shortest intervals without a poll, although the scheduler runs', () => {
  expect(silence(3 * MINUTE, MINUTE)).toBeUndefined();
  expect(silence(3 * MINUTE + SECOND, MINUTE)).toBe('nothing was polled for 181 s');
  expect(silence(0, MINUTE)).toBeUndefined();
});

it('intervals that the quota has stretched may be silent for as much longer', () => {
  expect(silence(30 * MINUTE, 10 * MINUTE)).toBeUndefined();
  expect(silence(30 * MINUTE + SECOND, 10 * MINUTE)).toBe('nothing was polled for 1801 s');
});

it('an account that has nothing to poll is not silent', () => {
  expect(silence(24 * 60 * MINUTE, Number.POSITIVE_INFINITY)).toBeUndefined();
});

it('while the platform is down polls may wait; a scheduler that stands still is told all the same', () => {
  const down = (beatMsAgo: number) => silence(20 * MINUTE, MINUTE, { platformUp: false, beatMsAgo });
  expect(down(0)).toBeUndefined();
  expect(down(150 * SECOND)).toBeUndefined();
  expect(down(151 * SECOND)).toBe('the scheduler has not run for 151 s');
});

it('the shortest interval is that of the jobs that ask the most often: one that never had anything to ask does not count', () => {
  const job = (schedule: string | undefined, startedAt: number | undefined) =>
    ({ job: { schedule }, startedAt }) as JobState;
  const intervals = {
    of: ({ schedule }: { schedule: string | undefined }) => {
      const usual = (schedule === 'hourly' ? 60 : 1) * MINUTE;
      return { usual, careful: usual, planned: usual };
    },
  };
  expect(shortestInterval([job('hourly', NOW), job('minutely', undefined)], intervals)).toBe(60 * MINUTE);
  expect(shortestInterval([job('hourly', NOW), job('minutely', NOW)], intervals)).toBe(MINUTE);
  expect(shortestInterval([job(undefined, NOW)], intervals)).toBe(Number.POSITIVE_INFINITY);
});

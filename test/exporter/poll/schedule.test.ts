import { expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { BLANK, type Job, type PollEnd } from '../../../src/exporter/poll/job.ts';
import { ScheduledJob } from '../../../src/exporter/poll/schedule.ts';
import { cronTicker } from '../../../src/exporter/poll/ticker.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { jobOf, polling } from './polling.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 12, 0, 10);
const unreported = { failed: () => {}, stepped: () => {}, stalled: () => {} };
const ROUND_TRIP = 100;

/**
 * Returns a schedule whose operations take 100 ms and never exhaust the quota. `skew` is the platform's clock
 * minus the local clock.
 */
function scheduled({ skew = 0 } = {}) {
  const clock = new SimulatedClock(START);
  const platformClock = new PlatformClock(() => clock.now());
  if (skew !== 0) {
    const serverDate = Math.floor((START + skew) / 1_000) * 1_000;
    platformClock.observe({ sentAt: START, receivedAt: START, serverDate });
  }
  const scopes = new LimitScopes({ reserve: 0, assumedLimit: 10_000, platformClock });
  scopes.of('metrics').limiter.observe(START, undefined);
  const forecast = new PollIntervals(scopes);
  const ends: PollEnd[] = [];
  const defects: unknown[] = [];
  const schedule = polling({
    clock,
    platformClock,
    ticker: cronTicker(clock, unreported).tick,
    queue: new RequestQueue({ clock, scopes, concurrency: 1_000 }),
    forecast,
    async exchange() {
      await clock.sleep(ROUND_TRIP);
      return { body: null, bytes: 0 };
    },
    polled: (_account, end) => void ends.push(end),
    defect: (_account, _job, error) => void defects.push(error),
  });
  const replace = (jobs: Job[]) => {
    forecast.replace(jobs);
    schedule.replace(jobs);
  };
  return { clock, schedule, replace, ends, defects };
}

function notingJob(clock: SimulatedClock, id: string, overrides: Partial<Job> = {}) {
  const leftAt: number[] = [];
  const job = jobOf(id, {
    async read(read, signal) {
      const resource = () => {
        leftAt.push(clock.now() - START);
        return { path: '/metrics/x', version: 2 } as const;
      };
      await read(resource, signal);
    },
    ...overrides,
  });
  return { job, leftAt };
}

it('polls once at the start, and then when a bucket of the platform closes', async () => {
  const { clock, replace } = scheduled();
  const { job, leftAt } = notingJob(clock, 'a');
  replace([job]);
  await clock.advance(3 * MINUTE);
  expect(leftAt).toEqual([0, 50_000, 110_000, 170_000]);
});

it.each([
  [20_000, 30_000],
  [-20_000, 10_000 + MINUTE],
  [3 * 60 * MINUTE, 50_000],
])('by the clock of the platform when that is %i ms ahead', async (skew, first) => {
  const { clock, replace } = scheduled({ skew });
  const { job, leftAt } = notingJob(clock, 'a');
  replace([job]);
  await clock.advance(4 * MINUTE);
  // The local minute fires at 50 s. The poll follows at the platform's next minute, which is known to within
  // a second.
  const expected = first < 50_000 ? first + MINUTE : first;
  expect(leftAt[1]).toBeGreaterThanOrEqual(expected);
  expect(leftAt[1]).toBeLessThanOrEqual(expected + 1_000);
  expect(leftAt.slice(2).map((time, index) => time - (leftAt[index + 1] ?? 0))).toEqual(
    leftAt.slice(2).map(() => MINUTE),
  );
});

it('polls each minute, however late a busy machine fires', async () => {
  const clock = new SimulatedClock(START);
  const platformClock = new PlatformClock(() => clock.now());
  const scopes = new LimitScopes({ reserve: 0, assumedLimit: 10_000, platformClock });
  scopes.of('metrics').limiter.observe(START, undefined);
  const forecast = new PollIntervals(scopes);
  let fire: (at: number) => void = () => undefined;
  const schedule = polling({
    clock,
    platformClock,
    ticker: (_, given) => {
      fire = given;
      return () => undefined;
    },
    queue: new RequestQueue({ clock, scopes, concurrency: 1_000 }),
    forecast,
    exchange: async () => ({ body: null, bytes: 0 }),
  });
  const { job, leftAt } = notingJob(clock, 'a');
  schedule.replace([job]);
  for (const [index, lateMs] of [900, 1_100, 900, 3_000, 0].entries()) {
    const at = START + 50_000 + index * MINUTE;
    await clock.run(at + lateMs);
    fire(at);
    await clock.advance(100);
  }
  expect(leftAt.map((left) => Math.floor((left + 10_000) / MINUTE))).toEqual([0, 1, 2, 3, 4, 5]);
});

it('spreads many jobs of a slow schedule over its period, and does not put off a few', async () => {
  const { clock, replace } = scheduled();
  const jobs = Array.from({ length: 80 }, (_, index) =>
    notingJob(clock, `job ${index}`, { schedule: '0 * * * *' }),
  );
  const few = [1, 2, 3].map((index) => notingJob(clock, `few ${index}`, { schedule: '5 * * * *' }));
  replace([...jobs, ...few].map(({ job }) => job));
  await clock.advance(2 * 60 * MINUTE - 20_000);
  const minutes = jobs.map(({ leftAt }) => Math.floor(((leftAt[1] ?? 0) + 10_000) / MINUTE));
  expect(new Set(minutes).size).toBeGreaterThan(12);
  expect(Math.min(...minutes)).toBeGreaterThanOrEqual(60);
  expect(Math.max(...minutes)).toBeLessThan(80);
  expect(few.map(({ leftAt }) => leftAt[1])).toEqual([1, 2, 3].map(() => 5 * MINUTE - 10_000));
});

it('never polls a job beside itself, and polls it again at once when it fell due meanwhile', async () => {
  const { clock, replace } = scheduled();
  const begun: number[] = [];
  const { job } = notingJob(clock, 'slow', {
    async read(read, signal) {
      await read(() => ({ path: '/metrics/x', version: 2 }), signal);
      begun.push(clock.now() - START);
      await clock.sleep(70_000, signal);
    },
  });
  replace([job]);
  await clock.advance(3 * MINUTE);
  expect(begun).toEqual([100, 70_200, 140_300]);
});

it('aborts the poll under way of a job that goes, be it its first or a later one', async () => {
  for (const polls of [1, 2, 3]) {
    const { clock, replace } = scheduled();
    const signals: AbortSignal[] = [];
    const { job } = notingJob(clock, 'slow', {
      async read(_read, signal) {
        signals.push(signal);
        await clock.sleep(30_000, signal);
      },
    });
    replace([job]);
    await clock.advance((polls - 1) * MINUTE + 10_000);
    replace([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual(signals.map((_, index) => index === polls - 1));
    expect(signals).toHaveLength(polls);
  }
});

it('a request that a failed poll has left behind ends with its job', async () => {
  const { clock, replace } = scheduled();
  const signals: AbortSignal[] = [];
  const { job } = notingJob(clock, 'fails', {
    async read(_read, signal) {
      signals.push(signal);
      throw new PlatformFailure('timeout', 'one of several requests failed');
    },
  });
  replace([job]);
  await clock.advance(10_000);
  replace([]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it('the data of a job ages from when its poll began, or, where nothing was asked, from when that ended', () => {
  const scheduled = new ScheduledJob(jobOf('a'), START);
  scheduled.due(START);
  scheduled.start(START + 1_000);
  scheduled.end(START + 5_000, BLANK);
  expect(scheduled.since).toBe(START + 1_000);
  scheduled.due(START + MINUTE);
  scheduled.end(START + MINUTE + 2_000, BLANK);
  expect(scheduled.since).toBe(START + MINUTE + 2_000);
});

function followed(clock: SimulatedClock, follower: Job, dueAt: number): Job {
  let hasSucceeded = false;
  const read: Job['read'] = async (...given) => {
    const answer = await follower.read(...given);
    hasSucceeded = true;
    return answer;
  };
  const own: Job = {
    ...follower,
    read,
    schedule: undefined,
    dueAt: () => (hasSucceeded ? undefined : dueAt),
  };
  const job: Job = { ...notingJob(clock, 'a').job, follower: own };
  Object.assign(own, { follows: job });
  return job;
}

it('polls a follower when it is due, and stops it with the job that it follows', async () => {
  const { clock, replace, schedule } = scheduled();
  const past = notingJob(clock, 'a/catch-up');
  replace([followed(clock, past.job, START + 5_000)]);
  await clock.advance(10_000);
  expect(past.leftAt).toEqual([5_000]);
  replace([]);
  expect(schedule.states()).toEqual([]);
});

it('polls a follower that failed no sooner than after five minutes, however often its job is polled', async () => {
  const { clock, replace } = scheduled();
  const failedAt: number[] = [];
  const failing = jobOf('a/catch-up', {
    read: async (read, signal) => {
      await read(() => ({ path: '/metrics/x', version: 2 }), signal);
      failedAt.push(clock.now());
      throw new PlatformFailure('server_error', 'HTTP 503', 503);
    },
    conclude: (failure) => {
      throw failure;
    },
  });
  replace([followed(clock, failing, START)]);
  await clock.advance(20 * MINUTE);
  expect(failedAt.length).toBeGreaterThan(2);
  for (const [index, at] of failedAt.slice(1).entries())
    expect(at - (failedAt[index] ?? at)).toBeGreaterThanOrEqual(5 * MINUTE);
});

it('tells how each poll ended and goes on, whether the platform failed or the exporter did', async () => {
  const { clock, replace, ends, defects } = scheduled();
  const failing = notingJob(clock, 'refused', {
    read: () => Promise.reject(new PlatformFailure('forbidden', 'no permission', 403)),
  });
  const broken = notingJob(clock, 'broken', { read: () => Promise.reject(new TypeError('a mistake')) });
  replace([failing.job, broken.job]);
  await clock.advance(MINUTE);
  const told = ends.map(({ job, outcome, reason }) => [job.id, outcome, reason]);
  expect(told.slice(0, 2).toSorted()).toEqual([
    ['broken', 'undecodable', 'a bug in the exporter, see its log'],
    ['refused', 'forbidden', 'no permission'],
  ]);
  expect(told).toHaveLength(4);
  expect(defects).toHaveLength(2);
});

it('ends its polls when it stops, and reports none of them', async () => {
  const { clock, schedule, replace, ends } = scheduled();
  replace([notingJob(clock, 'a').job, notingJob(clock, 'b').job]);
  await schedule.stop();
  await clock.advance(5 * MINUTE);
  expect(ends).toEqual([]);
});

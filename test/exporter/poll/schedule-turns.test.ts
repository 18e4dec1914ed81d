import { afterEach, expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { allStepsOf } from '../../in-steps.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { doneInTurns, STEPS_A_TURN, sliceBySteps, sliceByTime } from '../../work-in-turns.ts';
import { jobOf, polling } from './polling.ts';

const JOBS = 40;

afterEach(sliceByTime);

/** A schedule whose minute begins when the test says so. */
function scheduled() {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10));
  const platformClock = new PlatformClock(() => clock.now());
  const scopes = new LimitScopes({ reserve: 0, assumedLimit: 10_000, platformClock });
  const forecast = new PollIntervals(scopes);
  const minute = new Set<(at: number) => void>();
  const schedule = polling({
    clock,
    platformClock,
    forecast,
    ticker: (_, fire) => {
      minute.add(fire);
      return () => void minute.delete(fire);
    },
    queue: new RequestQueue({ clock, scopes, concurrency: 1_000 }),
    exchange: async () => ({ body: null, bytes: 0 }),
  });
  const jobs = Array.from({ length: JOBS }, (_, index) => jobOf(`job ${index}`));
  allStepsOf(forecast.replace(jobs));
  return { clock, schedule, jobs, beginMinute: () => minute.forEach((fire) => void fire(clock.now())) };
}

it('jobs fall due a few in each turn of the event loop as the minute begins, so that nothing waits for all of them', async () => {
  const { clock, schedule, jobs, beginMinute } = scheduled();
  await schedule.replace(jobs);
  const underWay = () => schedule.states().filter(({ state }) => state !== 'idle').length;
  await clock.advance(1_000, { busy: underWay });
  sliceBySteps();
  const due = () => schedule.states().filter(({ state }) => state === 'waiting').length;
  expect(due()).toBe(0);
  beginMinute();
  expect(Math.max(...(await doneInTurns(due, JOBS)))).toBe(STEPS_A_TURN);
  await schedule.stop();
});

it('jobs come and go a few in each turn of the event loop', async () => {
  const { schedule, jobs } = scheduled();
  sliceBySteps();
  schedule.replace(jobs);
  const there = () => schedule.states().length;
  expect(Math.max(...(await doneInTurns(there, JOBS)))).toBe(STEPS_A_TURN);
  schedule.replace([]);
  expect(Math.max(...(await doneInTurns(() => JOBS - there(), JOBS)))).toBe(STEPS_A_TURN);
  await schedule.stop();
});

import { describe, expect, it } from 'vitest';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';

const MINUTE = 60_000;
const LIMIT = 80;
const JOBS = 40;
const START = Date.UTC(2026, 0, 5, 12, 0, 17);
const EVERY_MINUTE = { schedule: '* * * * *', group: 'metrics', weight: 1, cost: () => 1 };

type Answer = (now: number) => {
  readonly allowed: boolean;
  readonly remaining?: number;
  readonly resetAt?: number;
};

/** Creates an exporter with 40 jobs per minute, and records the worst values that it ever estimated. */
function exporterOn(clock: SimulatedClock, answer: Answer) {
  const platform = new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 });
  const { scopes } = platform;
  const queue = new RequestQueue({ clock, scopes, concurrency: 6 });
  const forecast = new PollIntervals(scopes);
  forecast.replace(Array(JOBS).fill(EVERY_MINUTE));
  const { limiter } = scopes.of('metrics');
  const most = { othersPerMinute: 0, stretch: 1, plannedIntervalMs: MINUTE };
  const counts = { operations: 0, refusals: 0 };
  const work = async (since: number): Promise<void> => {
    const request = { group: 'metrics', notBefore: since, weight: 1, since, plannedIntervalMs: () => MINUTE };
    const over = await queue.turn(request, new AbortController().signal);
    const startedAt = clock.now();
    await clock.sleep(40);
    const { allowed, remaining, resetAt } = answer(clock.now());
    const serverDate = Math.floor(clock.now() / 1_000) * 1_000;
    await clock.sleep(40);
    platform.observe({
      method: 'GET',
      path: '/metrics/x',
      version: 2,
      status: allowed ? 200 : 429,
      outcome: allowed ? 'ok' : 'rate_limited',
      startedAt,
      endedAt: clock.now(),
      serverDate,
      bytes: 0,
      ...(remaining !== undefined && {
        rate: { limit: LIMIT, remaining, ...(resetAt !== undefined && { resetAt }) },
      }),
    });
    counts.operations += 1;
    if (!allowed) counts.refusals += 1;
    over();
    void work(clock.now() + MINUTE);
  };
  for (let job = 0; job < JOBS; job += 1) void work(clock.now());
  const measure = (): void => {
    forecast.measure();
    most.othersPerMinute = Math.max(most.othersPerMinute, limiter.othersPerMinute);
    most.stretch = Math.max(most.stretch, forecast.stretch);
    most.plannedIntervalMs = Math.max(most.plannedIntervalMs, forecast.of(EVERY_MINUTE).planned);
    clock.at(clock.now() + 5_000, measure);
  };
  measure();
  return { most, counts };
}

function countedPlatform(): Answer {
  let [openedAt, used] = [Number.NEGATIVE_INFINITY, 0];
  return (now) => {
    if (now >= openedAt + MINUTE) [openedAt, used] = [now, 0];
    const allowed = used < LIMIT;
    if (allowed) used += 1;
    return { allowed, remaining: LIMIT - used, resetAt: openedAt + MINUTE };
  };
}

describe('a platform that answers 429 to everything is nobody’s use of the quota', () => {
  const untilNextMinute = (now: number) => (Math.floor(now / MINUTE) + 1) * MINUTE;
  it.each<[string, Answer]>([
    ['without headers', () => ({ allowed: false })],
    [
      'with headers by which nothing remains until the next minute',
      (now) => ({ allowed: false, remaining: 0, resetAt: untilNextMinute(now) }),
    ],
    [
      'with a reset that is always three seconds away',
      (now) => ({ allowed: false, remaining: 0, resetAt: now + 3_000 }),
    ],
    [
      'with headers by which something remains',
      (now) => ({ allowed: false, remaining: 40, resetAt: untilNextMinute(now) }),
    ],
  ])('%s', async (_, refusal) => {
    const clock = new SimulatedClock(START, PROMISES_ONLY);
    const works = countedPlatform();
    const { most, counts } = exporterOn(clock, (now) =>
      now < START + 5 * MINUTE ? works(now) : refusal(now),
    );
    await clock.run(START + 65 * MINUTE);
    expect(most).toEqual({ othersPerMinute: 0, stretch: 1, plannedIntervalMs: MINUTE });
    // One request probes in each window.
    expect(counts.refusals).toBeGreaterThan(30);
    expect(counts.refusals).toBeLessThanOrEqual(80);
  });
});

it('of two exporters on one account each sees what the other takes, and keeps to its plan for what is late', async () => {
  const clock = new SimulatedClock(START, PROMISES_ONLY);
  const shared = countedPlatform();
  const both = [exporterOn(clock, shared), exporterOn(clock, shared)];
  await clock.run(START + 60 * MINUTE);
  for (const { most, counts } of both) {
    expect(most.othersPerMinute).toBeGreaterThan(20);
    expect(most.othersPerMinute).toBeLessThanOrEqual(LIMIT);
    // Each exporter gets about 32 of its 40 operations per minute.
    expect(most.stretch).toBeLessThan((60 * JOBS * 1.6) / counts.operations);
    expect(most.plannedIntervalMs).toBe(MINUTE);
    expect(counts.operations).toBeGreaterThan(60 * 20);
  }
});

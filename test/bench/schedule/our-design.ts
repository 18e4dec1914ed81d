import type { ExchangeInfo } from '../../../src/exporter/platform/exchange.ts';
import { type Answer, PlatformFailure } from '../../../src/exporter/platform/read.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import type { Ticker } from '../../../src/exporter/poll/ticker.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { FOUND, polling } from '../../exporter/poll/polling.ts';
import type { SimulatedClock } from '../../simulated-clock.ts';
import type { Ages } from './ages.ts';
import { type CountedPlatform, WINDOW_MS } from './counted-platform.ts';

const EVERY_MINUTE = '* * * * *';

const CONCURRENCY = 6;

interface Load {
  readonly clock: SimulatedClock;
  readonly platform: CountedPlatform;
  /** Draws the latency (ms) of one way. */
  readonly latency: () => number;
  /** Ages of the data, updated with every answer. */
  readonly ages: Ages;
  readonly jobs: number;
  readonly reserve: number;
  readonly until: number;
}

/** Polls with the exporter's own schedule and quota, as an account combines them, without HTTP. */
export async function ourDesign({
  clock,
  platform,
  latency,
  ages,
  jobs,
  reserve,
  until,
}: Load): Promise<void> {
  const observed = new ObservedPlatform({
    clock,
    basePath: '',
    reserve: () => reserve,
    assumedLimit: 60,
  });
  const { scopes, platformClock } = observed;
  const queue = new RequestQueue({ clock, scopes, concurrency: CONCURRENCY });
  const forecast = new PollIntervals(scopes);
  const exchange = async (job: number): Promise<Answer> => {
    const startedAt = clock.now();
    const asked = Math.floor(platformClock.now() / WINDOW_MS) * WINDOW_MS;
    await clock.sleep(latency());
    const arrivedAt = clock.now();
    const { allowed, ...rate } = platform.take(arrivedAt);
    await clock.sleep(latency());
    const endedAt = clock.now();
    const serverDate = Math.floor(arrivedAt / 1_000) * 1_000;
    observed.observe({ ...PLAIN, status: allowed ? 200 : 429, startedAt, endedAt, serverDate, rate });
    if (!allowed) throw new PlatformFailure('rate_limited', 'refused', 429);
    ages.renew(job, endedAt, Math.min(asked, Math.floor(arrivedAt / WINDOW_MS) * WINDOW_MS));
    return { body: null, bytes: 0 };
  };
  const schedule = polling({
    clock,
    platformClock,
    ticker: minuteTicker(clock),
    queue,
    forecast,
    exchange: ({ path }) => exchange(Number(path.slice('/metrics/'.length))),
  });
  const wanted = Array.from({ length: jobs }, (_, index) => jobOf(index));
  minuteTicker(clock)(EVERY_MINUTE, () => forecast.measure());
  forecast.replace(wanted);
  schedule.replace(wanted);
  await clock.run(until);
}

const PLAIN = {
  method: 'GET',
  path: '/metrics/x',
  version: 2,
  outcome: 'ok',
  bytes: 0,
} as const satisfies Partial<ExchangeInfo>;

function jobOf(index: number): Job {
  return {
    id: `job ${index}`,
    subject: { collector: 'metrics' },
    schedule: EVERY_MINUTE,
    group: 'metrics',
    weight: 1,
    cost: () => 1,
    read: (read, signal) => read(() => ({ path: `/metrics/${index}`, version: 2 }), signal),
    conclude: () => FOUND,
  };
}

function minuteTicker(clock: SimulatedClock): Ticker {
  return (_, fire) => {
    const next = (at: number) =>
      clock.at(at, () => {
        fire(at);
        next(at + WINDOW_MS);
      });
    next((Math.floor(clock.now() / WINDOW_MS) + 1) * WINDOW_MS);
    return () => undefined;
  };
}

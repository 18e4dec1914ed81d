import type { Answer, Resource } from '../../../src/exporter/platform/read.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import type { Ticker } from '../../../src/exporter/poll/ticker.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { alone, CountedPlatform, seeded } from '../../bench/schedule/counted-platform.ts';
import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';
import { FOUND, polling } from './polling.ts';

/** Jobs by weight, period in minutes (a divisor of 60) and operations per poll. */
export type Mix = readonly { readonly weight: number; readonly minutes: number; readonly cost: number }[];

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 0, 5, 12);
const LIMIT = 80;
const WARM_UP_MINUTES = 60;
const MEASURED_MINUTES = 60;

/**
 * Returns the operations per minute of a mix of jobs over simulated hours. The limit is 80, the reserve 20 %.
 */
export async function operationsPerMinute(mix: Mix): Promise<{ total: number; byJob: number[] }> {
  const clock = new SimulatedClock(START, PROMISES_ONLY);
  const random = seeded(mix.length);
  const platform = new CountedPlatform(LIMIT, alone, START);
  const counts = mix.map(() => 0);
  const observed = new ObservedPlatform({
    clock,
    basePath: '',
    reserve: () => 0.2,
    assumedLimit: 60,
  });
  const { scopes, platformClock } = observed;
  const forecast = new PollIntervals(scopes);
  const measuredFrom = START + WARM_UP_MINUTES * MINUTE_MS;
  const exchange = async ({ path }: Resource): Promise<Answer> => {
    const startedAt = clock.now();
    await clock.sleep(20 + 40 * random());
    const serverDate = Math.floor(clock.now() / 1_000) * 1_000;
    const { allowed, ...rate } = platform.take(clock.now());
    await clock.sleep(20 + 40 * random());
    if (!allowed) throw new Error('refused');
    const index = Number(path.slice('/metrics/'.length));
    if (startedAt >= measuredFrom) counts[index] = (counts[index] ?? 0) + 1;
    const ok = { method: 'GET', path, version: 2, outcome: 'ok', status: 200, bytes: 0 } as const;
    observed.observe({ ...ok, startedAt, endedAt: clock.now(), serverDate, rate });
    return { body: null, bytes: 0 };
  };
  const ticker = everyMinutes(clock);
  const schedule = polling({
    clock,
    platformClock,
    ticker,
    queue: new RequestQueue({ clock, scopes, concurrency: 6 }),
    forecast,
    exchange,
  });
  const jobs = mix.map(jobOf);
  ticker('*/1 * * * *', () => forecast.measure());
  forecast.replace(jobs);
  schedule.replace(jobs);
  await clock.run(measuredFrom + MEASURED_MINUTES * MINUTE_MS);
  const total = counts.reduce((sum, count) => sum + count, 0) / MEASURED_MINUTES;
  return {
    total,
    byJob: counts.map((count, index) => count / (mix[index]?.cost ?? 1) / MEASURED_MINUTES),
  };
}

function jobOf({ weight, minutes, cost }: Mix[number], index: number): Job {
  return {
    id: `job ${index}`,
    subject: { collector: 'metrics' },
    schedule: minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`,
    group: 'metrics',
    weight,
    cost: () => cost,
    async read(read, signal) {
      const resource = () => ({ path: `/metrics/${index}`, version: 2 }) as const;
      await Promise.all(Array.from({ length: cost }, () => read(resource, signal)));
    },
    conclude: () => FOUND,
  };
}

function everyMinutes(clock: SimulatedClock): Ticker {
  return (pattern, fire) => {
    const step = Number(/^\*\/(\d+)/.exec(pattern)?.[1] ?? 60) * MINUTE_MS;
    const next = (at: number) =>
      clock.at(at, () => {
        fire(at);
        next(at + step);
      });
    next((Math.floor(clock.now() / step) + 1) * step);
    return () => undefined;
  };
}

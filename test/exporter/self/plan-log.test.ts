import { expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { planLog } from '../../../src/exporter/self/lasting-problems.ts';
import { FOUND } from '../poll/polling.ts';

const NOW = Date.UTC(2026, 0, 5, 12);

function jobs(group: string, count: number): Job[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${group}/${index}`,
    subject: { collector: group },
    schedule: '* * * * *',
    group,
    weight: 1,
    cost: () => 1,
    read: async () => undefined,
    conclude: () => FOUND,
  }));
}

function planned() {
  const scopes = new LimitScopes({
    reserve: 0.2,
    assumedLimit: 60,
    platformClock: new PlatformClock(() => NOW),
  });
  const forecast = new PollIntervals(scopes);
  const told: object[] = [];
  const tell = (text: string) => (facts: object) => void told.push({ text, ...facts });
  const log = planLog({ info: tell('fits'), warn: tell('exceeds') });
  const report = (surveyed = true): void => {
    forecast.measure();
    log(forecast.demands(), surveyed);
  };
  const answer = (group: string, limit: number): void => {
    scopes.learn(group, { limit });
    scopes.of(group).limiter.observe(NOW, { limit, remaining: limit - 1 });
  };
  return { forecast, told, report, answer };
}

it('compares what is asked for with the limit that it is under, also without a job of the metrics API', () => {
  const { forecast, told, report, answer } = planned();
  forecast.replace([...jobs('analytics', 30), ...jobs('domains', 5)]);
  for (let round = 0; round < 2; round += 1) {
    answer('domains', 200);
    answer('analytics', 20);
  }
  report();
  const exceeds = { text: 'exceeds', jobs: 30, operations_per_minute: 30, allowed: 16 };
  const fits = { text: 'fits', jobs: 5, operations_per_minute: 5, allowed: 160 };
  expect(told).toHaveLength(2);
  expect(told).toEqual(expect.arrayContaining([exceeds, fits].map((one) => expect.objectContaining(one))));
});

it('tells of a scope again when its jobs or its limit have changed, and only then', () => {
  const { forecast, told, report, answer } = planned();
  forecast.replace(jobs('metrics', 2));
  report();
  report();
  const facts = { scope: 'reads', jobs: 2, operations_per_minute: 2, allowed: 48 };
  expect(told).toEqual([{ text: 'fits', ...facts }]);
  answer('metrics', 200);
  report();
  forecast.replace(jobs('metrics', 3));
  report();
  expect(told.slice(1)).toMatchObject([
    { jobs: 2, allowed: 160 },
    { jobs: 3, allowed: 160 },
  ]);
});

it('says that a plan fits only when it is known what there is to poll, and at once that it does not', () => {
  const { forecast, told, report } = planned();
  forecast.replace(jobs('metrics', 2));
  report(false);
  expect(told).toEqual([]);
  forecast.replace(jobs('metrics', 90));
  report(false);
  expect(told).toMatchObject([{ text: 'exceeds', jobs: 90 }]);
});

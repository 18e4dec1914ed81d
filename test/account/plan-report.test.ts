import { expect, it } from 'vitest';
import type { Plan } from '../../src/account/observer.ts';
import { PlanReport } from '../../src/account/plan-report.ts';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import type { Job } from '../../src/poll/job.ts';
import { DemandForecast } from '../../src/rate-limit/demand-forecast.ts';
import { LimitScopes } from '../../src/rate-limit/limit-scopes.ts';
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
  const forecast = new DemandForecast(scopes);
  const told: Plan[] = [];
  const report = new PlanReport((plan) => void told.push(plan));
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
  report.update(forecast, true);
  expect(new Set(told.map(({ jobs, perMinute, allowance }) => ({ jobs, perMinute, allowance })))).toEqual(
    new Set([
      { jobs: 30, perMinute: 30, allowance: 16 },
      { jobs: 5, perMinute: 5, allowance: 160 },
    ]),
  );
});

it('tells of a scope again when its jobs or its limit have changed, and only then', () => {
  const { forecast, told, report, answer } = planned();
  forecast.replace(jobs('metrics', 2));
  report.update(forecast, true);
  report.update(forecast, true);
  expect(told).toEqual([{ scope: 'reads', jobs: 2, perMinute: 2, allowance: 48 }]);
  answer('metrics', 200);
  report.update(forecast, true);
  forecast.replace(jobs('metrics', 3));
  report.update(forecast, true);
  expect(told.slice(1)).toMatchObject([
    { jobs: 2, allowance: 160 },
    { jobs: 3, allowance: 160 },
  ]);
});

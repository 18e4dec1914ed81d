import { expect, it } from 'vitest';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import { DemandForecast } from '../../src/rate-limit/demand-forecast.ts';
import { LimitScopes } from '../../src/rate-limit/limit-scopes.ts';
import { allStepsOf } from '../in-steps.ts';

const MINUTE = 60_000;

function forecastOf(assumedLimit: number, schedules: readonly (string | undefined)[]): DemandForecast {
  const platformClock = new PlatformClock(() => Date.UTC(2026, 0, 5, 12));
  const forecast = new DemandForecast(new LimitScopes({ reserve: 0, assumedLimit, platformClock }));
  allStepsOf(
    forecast.replace(schedules.map((schedule) => ({ schedule, group: 'metrics', weight: 1, cost: () => 1 }))),
  );
  return forecast;
}

it('the shortest interval is that of the jobs that are polled most often, as the quota has stretched it', () => {
  const schedules = ['*/5 * * * *', '* * * * *', '* * * * *', undefined];
  expect(forecastOf(80, schedules).shortestIntervalMs()).toBe(MINUTE);
  expect(forecastOf(1, schedules).shortestIntervalMs()).toBeGreaterThan(2 * MINUTE);
});

it('without a schedule there is no shortest interval', () => {
  expect(forecastOf(80, [undefined]).shortestIntervalMs()).toBe(Number.POSITIVE_INFINITY);
});

it('what it was measuring when other jobs came does not count', () => {
  const forecast = forecastOf(80, ['* * * * *', '* * * * *']);
  const measuring = forecast.measure();
  measuring.next();
  allStepsOf(forecast.replace([{ schedule: '*/2 * * * *', group: 'metrics', weight: 1, cost: () => 1 }]));
  allStepsOf(measuring);
  expect(forecast.perMinute).toBe(0.5);
});

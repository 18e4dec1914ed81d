import { expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { PollIntervals } from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { allStepsOf } from '../../in-steps.ts';

function forecastOf(assumedLimit: number, schedules: readonly (string | undefined)[]): PollIntervals {
  const platformClock = new PlatformClock(() => Date.UTC(2026, 0, 5, 12));
  const forecast = new PollIntervals(new LimitScopes({ reserve: 0, assumedLimit, platformClock }));
  allStepsOf(
    forecast.replace(schedules.map((schedule) => ({ schedule, group: 'metrics', weight: 1, cost: () => 1 }))),
  );
  return forecast;
}

it('what it was measuring when other jobs came does not count', () => {
  const forecast = forecastOf(80, ['* * * * *', '* * * * *']);
  const measuring = forecast.measure();
  measuring.next();
  allStepsOf(forecast.replace([{ schedule: '*/2 * * * *', group: 'metrics', weight: 1, cost: () => 1 }]));
  allStepsOf(measuring);
  expect(forecast.perMinute).toBe(0.5);
});

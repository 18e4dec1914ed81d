import { describe, expect, it } from 'vitest';
import { AccountSamples } from '../../src/account/account-samples.ts';
import { ObservedPlatform } from '../../src/account/connection.ts';
import { EDGE_RATELIMIT_RESET_TIMESTAMP } from '../../src/catalogue/platform-families.ts';
import { DemandForecast } from '../../src/rate-limit/demand-forecast.ts';
import { ManualClock } from '../manual-clock.ts';

const PLATFORM_TIME = Date.UTC(2018, 5, 7, 1, 22, 0);
const RESET_AT = PLATFORM_TIME + 42_811;

describe('what is exposed of an account', () => {
  it('has the end of the rate-limit window as the platform names it, whenever its answers come', () => {
    const clock = new ManualClock(PLATFORM_TIME + 5_300);
    const platform = new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 });
    const resets: (number | undefined)[] = [];
    const samples = new AccountSamples(
      {
        name: 'a',
        platform,
        forecast: new DemandForecast(platform.scopes),
        tokenExpiresAt: () => undefined,
        listings: () => [],
      },
      {
        clock,
        store: {
          publish: (_owner, published) => {
            resets.push(published.find(({ family }) => family === EDGE_RATELIMIT_RESET_TIMESTAMP)?.value);
          },
          withdraw: () => undefined,
        },
        staleAfter: 60_000,
      },
    );
    for (const [after, remaining] of [
      [200, 79],
      [730, 78],
      [1_610, 77],
    ] as const) {
      const now = PLATFORM_TIME + 5_300 + after;
      clock.advance(now - clock.now());
      platform.observe({
        method: 'GET',
        path: '/metrics/x',
        version: 2,
        status: 200,
        outcome: 'ok',
        startedAt: now - 80,
        endedAt: now,
        bytes: 0,
        serverDate: Math.floor((now - 5_300) / 1_000) * 1_000,
        rate: { limit: 80, remaining, resetAt: RESET_AT },
      });
      samples.exposeVitals();
    }
    expect(resets).toEqual([RESET_AT / 1_000, RESET_AT / 1_000, RESET_AT / 1_000]);
  });
});

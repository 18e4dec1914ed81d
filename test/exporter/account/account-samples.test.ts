import { describe, expect, it } from 'vitest';
import { quotaSamples } from '../../../src/exporter/account/account-samples.ts';
import { EDGE_RATELIMIT_RESET_TIMESTAMP } from '../../../src/exporter/catalogue/platform-families.ts';
import { ObservedPlatform } from '../../../src/exporter/poll/observed-platform.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const HOUR = 3_600_000;
const PLATFORM_TIME = Date.UTC(2018, 5, 7, 1, 22, 0);
const RESET_AT = PLATFORM_TIME + 42_811;

function exposedResets(resetAt: number): readonly number[] {
  const clock = new SimulatedClock(PLATFORM_TIME + 5_300);
  const platform = new ObservedPlatform({ clock, basePath: '', reserve: () => 0.2, assumedLimit: 60 });
  const resets: number[] = [];
  for (const [after, remaining] of [
    [200, 79],
    [730, 78],
    [1_610, 77],
  ] as const) {
    const now = PLATFORM_TIME + 5_300 + after;
    clock.suspend(now - clock.now());
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
      rate: { limit: 80, remaining, resetAt },
    });
    const samples = quotaSamples({ name: 'a', platform }, now);
    const reset = samples.find(({ family }) => family === EDGE_RATELIMIT_RESET_TIMESTAMP);
    resets.push(Number(reset?.value) * 1_000);
  }
  return resets;
}

describe('the end of the rate-limit window', () => {
  it('is exposed as the platform names it, whenever its answers come', () => {
    expect(exposedResets(RESET_AT)).toEqual([RESET_AT, RESET_AT, RESET_AT]);
  });

  it.each([-3 * HOUR, 3 * HOUR])(
    'is exposed as it is taken to be where the platform names one that is %i ms off',
    (off) => {
      for (const reset of exposedResets(RESET_AT + off)) {
        expect(reset).toBeGreaterThan(PLATFORM_TIME);
        expect(reset).toBeLessThan(PLATFORM_TIME + 65_000);
      }
    },
  );
});

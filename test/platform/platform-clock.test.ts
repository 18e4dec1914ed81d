import { expect, it } from 'vitest';
import { PlatformClock } from '../../src/platform/platform-clock.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 12);

// A quartz that is off by 100 ms an hour, either way.
it.each([-2.8e-5, 2.8e-5])('follows a local clock that drifts by %f', (drift) => {
  let platformNow = START;
  const localAt = (time: number) => time + (time - START) * drift;
  const clock = new PlatformClock(() => localAt(platformNow));
  for (let minute = 0; minute < 12 * 60; minute += 1) {
    platformNow = START + minute * MINUTE + ((minute * 7_919) % 1_000);
    const [sentAt, receivedAt] = [localAt(platformNow - 40), localAt(platformNow + 40)];
    clock.observe({ sentAt, receivedAt, serverDate: Math.floor(platformNow / 1_000) * 1_000 });
    if (minute < 60) continue;
    expect(Math.abs(clock.now() - platformNow)).toBeLessThan(150);
    // A request of the next window must not leave before the platform has closed this one.
    const closesAt = platformNow + MINUTE;
    expect(clock.latestLocal(closesAt)).toBeGreaterThanOrEqual(localAt(closesAt) - 2);
    expect(clock.latestLocal(closesAt)).toBeLessThan(localAt(closesAt) + 300);
  }
});

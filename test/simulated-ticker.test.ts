import { describe, expect, it } from 'vitest';
import { SimulatedClock } from './simulated-clock.ts';
import { simulatedTicker } from './simulated-ticker.ts';

const MIDNIGHT = Date.UTC(2026, 0, 5);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The moments after midnight at which the pattern fired. */
async function moments(pattern: string, over: number, from = MIDNIGHT): Promise<number[]> {
  const clock = new SimulatedClock(from);
  const fired: number[] = [];
  simulatedTicker(clock)(pattern, (at) => {
    expect(clock.now()).toBe(at);
    fired.push(at - MIDNIGHT);
  });
  await clock.advance(over);
  return fired;
}

describe('the simulated ticker', () => {
  it('fires at the minutes of a pattern, at the whole minute and only after the start', async () => {
    expect(await moments('*/2 * * * *', 6 * MINUTE)).toEqual([2 * MINUTE, 4 * MINUTE, 6 * MINUTE]);
    expect(await moments('* * * * *', 2 * MINUTE, MIDNIGHT + 1)).toEqual([MINUTE, 2 * MINUTE]);
  });

  it('fires at the seconds of a pattern of six fields', async () => {
    expect(await moments('30 * * * * *', 2 * MINUTE)).toEqual([30_000, 90_000]);
  });

  it('finds the next moment of a rare pattern', async () => {
    expect(await moments('30 7 8 * *', 30 * DAY)).toEqual([3 * DAY + 7.5 * HOUR]);
  });

  it('fires for each subscriber until it leaves, and leaves no sleeper behind', async () => {
    const clock = new SimulatedClock(MIDNIGHT);
    const tick = simulatedTicker(clock);
    const calls: string[] = [];
    const leaveA = tick('* * * * *', () => calls.push('a'));
    const leaveB = tick('* * * * *', () => calls.push('b'));
    await clock.advance(MINUTE);
    leaveA();
    await clock.advance(MINUTE);
    leaveB();
    await clock.advance(MINUTE);
    expect(calls).toEqual(['a', 'b', 'b']);
    expect(clock.sleeping).toBe(0);
  });
});

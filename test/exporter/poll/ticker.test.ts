import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { cronTicker } from '../../../src/exporter/poll/ticker.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const MIDNIGHT = Date.UTC(2026, 0, 5);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function started(from = MIDNIGHT + 500) {
  const clock = new SimulatedClock(from);
  const reports = { failed: vi.fn(), stepped: vi.fn(), stalled: vi.fn() };
  const { tick, stop } = cronTicker(clock, reports);
  /**
   * Subscribes, and records the times of the pattern (ms after midnight) and of the calls (steady ms after
   * midnight).
   */
  const note = (pattern: string) => {
    const moments: number[] = [];
    const firedAt: number[] = [];
    const leave = tick(pattern, (at) => {
      moments.push(at - MIDNIGHT);
      firedAt.push(clock.now() - MIDNIGHT);
    });
    return { moments, firedAt, leave };
  };
  return { clock, ...reports, tick, stop, note };
}

describe('the cron ticker', () => {
  it('fires at each moment of its pattern, on time, and tells which', async () => {
    const { clock, note } = started();
    const { moments, firedAt } = note('*/2 * * * *');
    await clock.advance(6 * MINUTE);
    expect(moments).toEqual([2, 4, 6].map((minutes) => minutes * MINUTE));
    expect(firedAt).toEqual(moments);
  });

  it('takes patterns with seconds', async () => {
    const { clock, note } = started();
    const { moments } = note('*/20 * * * * *');
    await clock.advance(MINUTE);
    expect(moments).toEqual([20, 40, 60].map((seconds) => seconds * SECOND));
  });

  it('comes to rare moments, in UTC wherever it runs', async () => {
    const { clock, note } = started();
    const { moments } = note('30 7 8 * *');
    await clock.advance(30 * DAY);
    expect(moments).toEqual([3 * DAY + 7.5 * HOUR]);
  });

  it('plans anew for a pattern that is subscribed to later, and fires nothing before', async () => {
    const { clock, note } = started();
    note('0 12 * * *');
    await clock.advance(30 * SECOND);
    const { moments } = note('*/10 * * * * *');
    await clock.advance(15 * SECOND);
    expect(moments).toEqual([40_000]);
  });

  it('ends each subscription alone, and sleeps no more after the last of them', async () => {
    const { clock, tick } = started();
    const calls: string[] = [];
    const leaveA = tick('* * * * *', () => calls.push('a'));
    const leaveB = tick('* * * * *', () => calls.push('b'));
    await clock.advance(MINUTE);
    leaveA();
    leaveA();
    await clock.advance(MINUTE);
    leaveB();
    await clock.advance(5 * MINUTE);
    expect(calls).toEqual(['a', 'b', 'b']);
    expect(clock.sleeping).toBe(0);
  });

  it('starts again when a pattern is subscribed to after its last subscriber left', async () => {
    const { clock, note } = started();
    note('* * * * *').leave();
    const { moments } = note('* * * * *');
    await clock.advance(2 * MINUTE);
    expect(moments).toHaveLength(2);
  });

  it('fires nothing and sleeps no more after stop', async () => {
    const { clock, note, stop } = started();
    const { moments } = note('* * * * *');
    stop();
    await clock.advance(5 * MINUTE);
    expect(moments).toEqual([]);
    expect(clock.sleeping).toBe(0);
  });

  it("contains a subscriber's error: the others are called, and it is reported", async () => {
    const { clock, tick, note, failed } = started();
    const broken = new Error('broken');
    tick('* * * * *', () => {
      throw broken;
    });
    const { moments } = note('* * * * *');
    await clock.advance(2 * MINUTE);
    expect(moments).toHaveLength(2);
    expect(failed.mock.calls).toEqual(Array(2).fill(['* * * * *', broken]));
  });

  it('refuses what is no cron pattern', () => {
    expect(() => started().tick('every minute', () => {})).toThrow();
  });
});

describe('a process that stood still', () => {
  it('fires late, once for all the moments that it slept through, and says so once', async () => {
    const { clock, note, stalled, stepped } = started();
    const minutely = note('* * * * *');
    const upkeep = note('*/10 * * * * *');
    const daily = note('5 0 * * *');
    await clock.advance(2.5 * MINUTE);
    clock.suspend(10 * MINUTE);
    await clock.advance(30 * SECOND);
    expect(minutely.moments).toEqual([1, 2, 12, 13].map((minutes) => minutes * MINUTE));
    expect(minutely.firedAt[2]).toBe(12.5 * MINUTE + 500);
    expect(daily.moments).toEqual([5 * MINUTE]);
    expect(upkeep.moments).toContain(12.5 * MINUTE);
    expect(stalled.mock.calls).toEqual([[expect.closeTo(10 * MINUTE, -5)]]);
    expect(stepped).not.toHaveBeenCalled();
  });

  it('says nothing of a busy event loop', async () => {
    const { clock, note, stalled } = started();
    note('* * * * *');
    await clock.advance(45 * SECOND);
    clock.suspend(20 * SECOND);
    await clock.advance(MINUTE);
    expect(stalled).not.toHaveBeenCalled();
  });
});

describe('a clock that is set', () => {
  for (const step of [7 * MINUTE, HOUR, DAY, -7 * MINUTE, -HOUR, -DAY]) {
    it(`by ${step / MINUTE} min costs no moment of each minute, and is told once`, async () => {
      const { clock, note, stepped } = started();
      const { firedAt } = note('* * * * *');
      await clock.advance(5.25 * MINUTE);
      clock.setWall(step);
      await clock.advance(10 * MINUTE);
      const gaps = firedAt.slice(1).map((at, index) => at - (firedAt[index] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(MINUTE);
      expect(firedAt.length).toBeGreaterThanOrEqual(15);
      expect(firedAt.length).toBeLessThanOrEqual(16);
      expect(stepped.mock.calls).toEqual([[step]]);
    });
  }

  it('forward over a rare moment fires that late rather than never, and back again repeats it', async () => {
    const { clock, note } = started();
    const { moments, firedAt } = note('30 7 * * *');
    clock.setWall(8 * HOUR);
    await clock.advance(2 * MINUTE);
    expect(moments).toEqual([7.5 * HOUR]);
    clock.setWall(-8 * HOUR);
    await clock.advance(DAY - 2 * MINUTE);
    expect(firedAt[1]).toBe(7.5 * HOUR);
  });

  it('is no news when it is slewed', async () => {
    const { clock, note, stepped } = started();
    const { moments } = note('* * * * *');
    for (let minute = 0; minute < 60; minute += 1) {
      await clock.advance(MINUTE);
      clock.setWall(30);
    }
    expect(moments).toHaveLength(60);
    expect(stepped).not.toHaveBeenCalled();
  });

  it('however often, forward and back, starves no pattern and makes none fire in a rush', async () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 1, max: 90 * SECOND }),
      by: fc.oneof(fc.integer({ min: -3 * MINUTE, max: 3 * MINUTE }), fc.integer({ min: -DAY, max: DAY })),
      suspended: fc.constantFrom(0, 0, 0, 20 * SECOND, 10 * MINUTE),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const { clock, note } = started();
        const { firedAt } = note('* * * * *');
        note('*/10 * * * * *');
        let longest = 0;
        // The ticker treats a step back of less than a second as a slewed clock, which only lengthens a
        // minute.
        let slewed = 0;
        for (const { afterMs, by, suspended } of steps) {
          await clock.advance(afterMs);
          clock.setWall(by);
          clock.suspend(suspended);
          longest = Math.max(longest, suspended);
          if (by < 0 && by > -SECOND) slewed -= by;
        }
        await clock.advance(2 * MINUTE);
        const times = [500, ...firedAt];
        const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
        expect(Math.max(...gaps)).toBeLessThanOrEqual(MINUTE + longest + slewed + 1);
        expect(firedAt.length).toBeLessThanOrEqual(3 + (clock.now() - MIDNIGHT) / MINUTE + 2 * steps.length);
      }),
      { numRuns: 60 },
    );
  });
});

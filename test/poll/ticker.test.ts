import { getTasks } from 'node-cron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CronTicker, cronTicker } from '../../src/poll/ticker.ts';

const MIDNIGHT = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

describe('the cron ticker', () => {
  const failed = vi.fn();
  const missed = vi.fn();
  let ticker: CronTicker;

  beforeEach(() => {
    vi.useFakeTimers({ now: MIDNIGHT + 500 });
    ticker = cronTicker({ failed, missed });
  });

  afterEach(() => {
    ticker.stop();
    vi.useRealTimers();
    vi.clearAllMocks();
  });

  it('fires at each moment of its pattern, and tells which', async () => {
    const moments: number[] = [];
    ticker.tick('*/2 * * * *', (at) => moments.push(at));
    await vi.advanceTimersByTimeAsync(6 * MINUTE);
    expect(moments).toEqual([2, 4, 6].map((minutes) => MIDNIGHT + minutes * MINUTE));
  });

  it('reads patterns in UTC wherever it runs', async () => {
    const moments: number[] = [];
    ticker.tick('30 7 * * *', (at) => moments.push(at));
    await vi.advanceTimersByTimeAsync(24 * 60 * MINUTE);
    expect(moments).toEqual([MIDNIGHT + 450 * MINUTE]);
  });

  it('takes patterns with seconds', async () => {
    const moments: number[] = [];
    ticker.tick('*/20 * * * * *', (at) => moments.push(at));
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(moments).toEqual([20, 40, 60].map((seconds) => MIDNIGHT + seconds * 1000));
  });

  it('keeps one node-cron task for a thousand subscribers of one pattern', async () => {
    const before = getTasks().size;
    let fired = 0;
    for (let index = 0; index < 1000; index++) ticker.tick('* * * * *', () => fired++);
    ticker.tick('*/5 * * * *', () => {});
    expect(getTasks().size - before).toBe(2);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(fired).toBe(1000);
  });

  it('ends each subscription alone, and the task with the last of them', async () => {
    const before = getTasks().size;
    let fired = 0;
    const fire = () => fired++;
    const first = ticker.tick('* * * * *', fire);
    const second = ticker.tick('* * * * *', fire);
    first();
    first();
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(fired).toBe(1);
    second();
    expect(getTasks().size).toBe(before);
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(fired).toBe(1);
  });

  it('starts again when a pattern is subscribed to after its last subscriber left', async () => {
    ticker.tick('* * * * *', () => {})();
    let fired = 0;
    ticker.tick('* * * * *', () => fired++);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(fired).toBe(2);
  });

  it('fires nothing and keeps no timer after stop', async () => {
    let fired = 0;
    ticker.tick('* * * * *', () => fired++);
    ticker.stop();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(fired).toBe(0);
  });

  it("contains a subscriber's error: the others are called, and it is reported", async () => {
    const print = vi.spyOn(console, 'error');
    let fired = 0;
    const broken = new Error('broken');
    ticker.tick('* * * * *', () => {
      throw broken;
    });
    ticker.tick('* * * * *', () => fired++);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(fired).toBe(2);
    expect(failed.mock.calls).toEqual(Array(2).fill(['* * * * *', broken]));
    expect(print).not.toHaveBeenCalled();
  });

  it('fires late rather than never when the event loop was blocked for part of a period', async () => {
    const moments: number[] = [];
    ticker.tick('* * * * *', (at) => moments.push(at));
    vi.setSystemTime(MIDNIGHT + 45_000);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(moments).toEqual([MIDNIGHT + MINUTE]);
    expect(missed).not.toHaveBeenCalled();
  });

  it('reports the periods that passed whole while the machine slept, and prints nothing', async () => {
    const print = vi.spyOn(console, 'warn');
    const moments: number[] = [];
    ticker.tick('* * * * *', (at) => moments.push(at));
    vi.setSystemTime(MIDNIGHT + 3.5 * MINUTE);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(moments).toEqual([MIDNIGHT + 4 * MINUTE]);
    expect(missed.mock.calls).toEqual([1, 2, 3].map((minutes) => ['* * * * *', MIDNIGHT + minutes * MINUTE]));
    expect(print).not.toHaveBeenCalled();
  });

  it('refuses what is no cron pattern', () => {
    expect(() => ticker.tick('every minute', () => {})).toThrow();
  });
});

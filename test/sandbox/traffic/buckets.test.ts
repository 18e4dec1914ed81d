import { describe, expect, it } from 'vitest';
import { answerBuckets, bucketsOf, widthFor } from '../../../src/sandbox/traffic/buckets.ts';
import { NOON } from '../client.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('buckets', () => {
  it.each([
    [5 * MINUTE, MINUTE],
    [HOUR, MINUTE],
    [HOUR + MINUTE, 5 * MINUTE],
    [6 * HOUR, 5 * MINUTE],
    [24 * HOUR, 30 * MINUTE],
    [3 * DAY, HOUR],
    [7 * DAY, 2 * HOUR],
    [15 * DAY, 6 * HOUR],
    [31 * DAY, 12 * HOUR],
  ])('for a window of %i ms are %i ms wide', (length, width) => {
    expect(widthFor(length)).toBe(width);
  });

  it('start with the one that holds the beginning of the window and end before its end', () => {
    expect(bucketsOf(NOON, NOON + 2 * MINUTE, MINUTE)).toEqual({
      start: NOON - 20_000,
      width: MINUTE,
      count: 3,
    });
    expect(bucketsOf(NOON - 20_000, NOON + 40_000, MINUTE).count).toBe(1);
  });

  it('are those of the past only, the running one included', () => {
    const { start, count } = answerBuckets(NOON - 5 * MINUTE, NOON + 50 * MINUTE, NOON, 0);
    expect(start + count * MINUTE).toBe(NOON + 40_000);
    expect(answerBuckets(NOON + MINUTE, NOON + HOUR, NOON, 0).count).toBe(0);
  });

  it('reach thirty days back', () => {
    expect(answerBuckets(NOON - 40 * DAY, NOON - 31 * DAY, NOON, 0).count).toBe(0);
    const { start } = answerBuckets(NOON - 40 * DAY, NOON, NOON, 0);
    expect(start).toBeGreaterThanOrEqual(NOON - 30 * DAY);
  });

  it('follow the local day of the account', () => {
    const { start } = bucketsOf(NOON, NOON + 1, 12 * HOUR, -3 * HOUR);
    expect(new Date(start).toISOString()).toBe('2026-11-20T03:00:00.000Z');
  });
});

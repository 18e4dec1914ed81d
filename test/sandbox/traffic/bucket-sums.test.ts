import { describe, expect, it } from 'vitest';
import { bucketSums } from '../../../src/sandbox/traffic/bucket-sums.ts';
import { createSource } from '../../../src/sandbox/traffic/source.ts';
import { NOON } from '../client.ts';

const MINUTE = 60_000;
const start = NOON - 20_000;
const source = createSource(1, 16, { id: 1, factor: 1, kilobytes: 18 }, []);
const minute = { start, width: MINUTE, count: 1 };
const counted = (from: number, to: number, now?: number) =>
  bucketSums(
    [{ source, from, to }],
    'plain',
    minute,
    now === undefined ? undefined : { now, settleMs: 600_000, key: 1 },
  )[0] ?? 0;

describe('the sum of a bucket', () => {
  it('is divided exactly where one contribution ends and another begins', () => {
    const whole = counted(-Infinity, Infinity);
    const parts = [counted(-Infinity, start + 13_000), counted(start + 13_000, Infinity)];
    expect(parts[0]).toBeGreaterThan(0);
    expect((parts[0] ?? 0) + (parts[1] ?? 0)).toBe(whole);
  });

  it('of a young bucket ends where its contribution ends', () => {
    const now = start + 3 * MINUTE;
    expect(counted(-Infinity, start + 13_000, now)).toBe(counted(-Infinity, start + 13_000));
    expect(counted(start + 13_000, Infinity, now)).toBeLessThan(counted(start + 13_000, Infinity));
  });

  it('is nothing before and after the contribution', () => {
    expect(counted(start + MINUTE, Infinity)).toBe(0);
    expect(counted(-Infinity, start)).toBe(0);
    expect(counted(-Infinity, start, start + MINUTE)).toBe(0);
  });

  it('of a level is how much there is at its end', () => {
    const wide = { start, width: 30 * MINUTE, count: 2 };
    const held = bucketSums([{ source, from: start + MINUTE, to: start + 40 * MINUTE }], 'levels', wide);
    expect([held[0], held[2]]).toEqual([1, 0]);
  });
});

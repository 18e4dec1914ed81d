import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketSums } from '../../../src/sandbox/traffic/bucket-sums.ts';
import { bucketsOf } from '../../../src/sandbox/traffic/buckets.ts';
import { GROUPS } from '../../../src/sandbox/traffic/groups.ts';
import { createSource } from '../../../src/sandbox/traffic/source.ts';
import { NOON } from '../client.ts';

const MINUTE = 60_000;
const settleMs = 10 * MINUTE;
const source = createSource(1, 16, { id: 1, factor: 1, kilobytes: 18 }, []);
const everything = [{ source, from: -Infinity, to: Infinity }];
const { start } = bucketsOf(NOON, NOON, MINUTE);
const bucket = { start, width: MINUTE, count: 1 };
const [truth = 0] = bucketSums(everything, 'requests', bucket);

const shownAt = (age: number, buckets = bucket, group: 'requests' | 'codes' = 'requests') =>
  bucketSums(everything, group, buckets, { now: start + age, settleMs, key: 5 });

describe('a young bucket', () => {
  it('is restated upward only, and ends at the truth', () => {
    const age = fc.integer({ min: 0, max: 12 * MINUTE });
    fc.assert(
      fc.property(age, age, (one, other) => {
        const [sooner = 0] = shownAt(Math.min(one, other));
        const [later = 0] = shownAt(Math.max(one, other));
        expect(sooner).toBeLessThanOrEqual(later);
        expect(later).toBeLessThanOrEqual(truth);
      }),
    );
    expect(shownAt(settleMs)[0]).toBe(truth);
  });

  it('is visibly low when it closes, nearly complete two minutes later', () => {
    expect(shownAt(MINUTE)[0]).toBeLessThan(0.85 * truth);
    expect(shownAt(MINUTE)[0]).toBeGreaterThan(0.3 * truth);
    expect(shownAt(3 * MINUTE)[0]).toBeGreaterThan(0.9 * truth);
    expect(shownAt(3 * MINUTE)[0]).toBeLessThan(truth);
  });

  it('adds up in every partition, however incomplete it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 11 * MINUTE }), (age) => {
        const [total, http = 0, https = 0, saved = 0, missed = 0] = shownAt(age);
        expect(http + https).toBe(total);
        expect(saved + missed).toBe(total);
        const codes = shownAt(age, bucket, 'codes');
        expect(codes.reduce((sum, value) => sum + value, 0)).toBe(total);
        expect(codes).toHaveLength(GROUPS.codes.length);
      }),
    );
  });

  it('shows the same in a wide bucket as in the minutes of it', () => {
    const age = 7 * MINUTE + 12_345;
    const minutes = { start: start - 20 * MINUTE, width: MINUTE, count: 30 };
    const wide = { ...minutes, width: 30 * MINUTE, count: 1 };
    const cells = GROUPS.requests.length;
    const totals = shownAt(age, minutes).filter((_, index) => index % cells === 0);
    expect(shownAt(age, wide)[0]).toBe(totals.reduce((sum, value) => sum + value, 0));
  });

  it('is as complete as it is old when nothing has to settle', () => {
    const [half = 0] = bucketSums(everything, 'requests', bucket, {
      now: start + MINUTE / 2,
      settleMs: 0,
      key: 5,
    });
    expect(half / truth).toBeCloseTo(0.5, 1);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Points } from '../../../src/exporter/decode/points.ts';
import {
  type Completeness,
  completeAt,
  type Growth,
  growthBetween,
  leastAgeWith,
  NO_COMPLETENESS,
  OLDEST_MINUTE,
  withGrown,
} from '../../../src/exporter/settling/completeness.ts';
import { MINUTE_MS } from '../../../src/exporter/settling/window.ts';

const START = Date.UTC(2026, 0, 5);

function answer(minute: number, value: (age: number, bucket: number) => number): Points {
  const timestamps = Float64Array.from(
    { length: 60 },
    (_, index) => START + (minute - 60 + index) * MINUTE_MS,
  );
  const values = timestamps.map((_, index) => value(59 - index, minute - 60 + index));
  return { timestamps, values };
}

interface Polls {
  readonly growth: (age: number) => number;
  readonly every?: number;
  readonly dimensions?: (minute: number) => readonly string[];
}

function learned({ growth, every = 1, dimensions = () => ['a', 'b'] }: Polls): Completeness {
  let completeness = NO_COMPLETENESS;
  let before: ReadonlyMap<string, Points> = new Map();
  for (let minute = 0; minute < 240; minute += every) {
    const points = answer(minute, (age, bucket) => growth(age) * (1_000 + bucket) * 4_097);
    const after = new Map(dimensions(minute).map((name) => [name, points]));
    const reachedAfter = START + minute * MINUTE_MS;
    const reachedBefore = reachedAfter - every * MINUTE_MS;
    const grown = growthBetween({ before, after, width: MINUTE_MS, from: 0, reachedBefore, reachedAfter });
    completeness = withGrown(completeness, grown);
    before = after;
  }
  return completeness;
}

it('learns the share of its final value that a bucket holds at each age', () => {
  const completeness = learned({ growth: (age) => Math.min(1, (age + 1) / 8) });
  for (const age of [0, 1, 4]) expect(completeAt(completeness, age)).toBeCloseTo((age + 1) / 8, 6);
  for (const age of [7, 9]) expect(completeAt(completeness, age)).toBe(1);
  expect(leastAgeWith(completeness, 0.98)).toBe(7 * MINUTE_MS);
});

it('learns of buckets that grow for longer than usual', () => {
  const completeness = learned({ growth: (age) => Math.min(1, (age + 1) / 16) });
  for (const age of [0, 8, 14]) expect(completeAt(completeness, age)).toBeCloseTo((age + 1) / 16, 6);
});

it('a bucket need not be read at every age', () => {
  const completeness = learned({ growth: (age) => (age < 3 ? 0.5 : 1), every: 2 });
  expect([0, 1, 2, 3, 9].map((age) => completeAt(completeness, age))).toEqual([0.5, 0.5, 0.5, 1, 1]);
});

it('compares the dimensions that both answers have', () => {
  const dimensions = (minute: number) => (minute % 2 === 0 ? ['a', 'b'] : ['a']);
  expect(completeAt(learned({ growth: (age) => (age < 1 ? 0.5 : 1), dimensions }), 0)).toBeCloseTo(0.5, 6);
});

const grownAt = (minute: number, share: number, final: number): Growth => ({
  minute,
  shown: share * final,
  laterMinute: OLDEST_MINUTE + 1,
  later: final,
});

it('goes along with a platform that changes: what was measured long before counts half', () => {
  const after = (known: Completeness, share: number, buckets: number) =>
    withGrown(known, Array(buckets).fill(grownAt(0, share, 1)));
  const slow = after(NO_COMPLETENESS, 0.5, 20_000);
  expect(completeAt(slow, 0)).toBeCloseTo(0.5, 6);
  expect(completeAt(after(slow, 1, 1), 0)).toBeCloseTo(0.5, 3);
  expect(completeAt(after(slow, 1, 10_000), 0)).toBeGreaterThan(0.8);
});

describe('completeness', () => {
  it('is not known before enough buckets were seen', () => {
    const seen = (count: number) => withGrown(NO_COMPLETENESS, Array(count).fill(grownAt(0, 0.5, 100)));
    expect(completeAt(seen(59), 0)).toBeUndefined();
    expect(leastAgeWith(seen(59), 0.5)).toBeUndefined();
    expect(completeAt(seen(60), 0)).toBe(0.5);
  });

  it('is not known of an age whose later ages are not', () => {
    const one = { minute: 0, shown: 50, laterMinute: 1, later: 80 };
    expect(completeAt(withGrown(NO_COMPLETENESS, Array(60).fill(one)), 0)).toBeUndefined();
    const both = [one, grownAt(1, 0.8, 100)];
    const known = withGrown(NO_COMPLETENESS, Array.from({ length: 60 }, () => both).flat());
    expect(completeAt(known, 0)).toBeCloseTo(0.5, 6);
  });

  it('weighs buckets by their size, and leaves out those without traffic', () => {
    const three = [grownAt(0, 0.9, 900), grownAt(0, 0.5, 100), grownAt(0, 0, 0)];
    const known = withGrown(NO_COMPLETENESS, Array.from({ length: 60 }, () => three).flat());
    expect(completeAt(known, 0)).toBeCloseTo(0.86);
  });

  it('is not known of a metric without traffic, however many buckets it has', () => {
    expect(completeAt(withGrown(NO_COMPLETENESS, Array(100).fill(grownAt(0, 0, 0))), 0)).toBeUndefined();
  });

  it('is never above 1, whatever is restated', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 60 }), (buckets) => {
        const grown = buckets.map(([shown, later]) => ({ minute: 0, shown, laterMinute: 30, later }));
        expect(completeAt(withGrown(NO_COMPLETENESS, grown), 0) ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

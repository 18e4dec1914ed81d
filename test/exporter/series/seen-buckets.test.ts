import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Points } from '../../../src/exporter/decode/points.ts';
import { restatements } from '../../../src/exporter/series/seen-buckets.ts';

const MINUTE = 60_000;
const series = fc.dictionary(
  fc.nat(30).map(String),
  fc.nat(3).map((value) => value + 0),
);

function points(values: Record<string, number>): Points {
  const minutes = Object.keys(values)
    .map(Number)
    .sort((a, b) => a - b);
  return {
    timestamps: Float64Array.from(minutes, (minute) => minute * MINUTE),
    values: Float64Array.from(minutes, (minute) => values[minute] ?? 0),
  };
}

it('finds every bucket that both answers hold with different values, and what of it came too late', () => {
  fc.assert(
    fc.property(series, series, fc.nat(30), (before, after, watermark) => {
      const changed = Object.keys(before).filter((minute) => {
        const value = after[minute];
        return value !== undefined && value !== before[minute];
      });
      const late = changed.filter((minute) => Number(minute) < watermark);
      const found = restatements(
        { points: points(before), width: MINUTE },
        { points: points(after), width: MINUTE },
        ({ to }) => to <= watermark * MINUTE,
        100 * MINUTE,
      );
      const ages = changed.map((minute) => (100 - Number(minute) - 1) * MINUTE);
      expect(found.ages.toSorted((a, b) => a - b)).toEqual(ages.sort((a, b) => a - b));
      expect(found.downwards).toBe(
        changed.filter((minute) => Number(after[minute]) < Number(before[minute])).length,
      );
      expect(found.late).toBe(late.length);
      expect(found.lateAmount).toBe(
        late.reduce((sum, minute) => sum + Math.abs(Number(after[minute]) - Number(before[minute])), 0),
      );
    }),
  );
});

it.each([
  ['wider', 1, 5],
  ['narrower', 5, 1],
])(
  'finds nothing where buckets only became %s, and what has changed by the sum over its time',
  (_, then, now) => {
    const minute = Array.from({ length: 20 }, (_, index) => index + 1);
    const inBuckets = (width: number, changed = 0) => {
      const values: Record<string, number> = {};
      for (const [index, value] of minute.entries()) {
        const start = Math.floor(index / width) * width;
        values[start] = (values[start] ?? 0) + value + (index === 7 ? changed : 0);
      }
      return { points: points(values), width: width * MINUTE };
    };
    const nothing = { ages: [], comparedAge: 95 * MINUTE, downwards: 0, late: 0, lateAmount: 0 };
    expect(restatements(inBuckets(then), inBuckets(now), () => true, 100 * MINUTE)).toEqual(nothing);
    const changed = restatements(inBuckets(then), inBuckets(now, 3), () => true, 100 * MINUTE);
    expect(changed).toEqual({
      ...nothing,
      ages: [90 * MINUTE],
      late: 1,
      lateAmount: 3,
    });
  },
);

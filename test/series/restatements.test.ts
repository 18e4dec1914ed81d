import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Points } from '../../src/decode/points.ts';
import { restatements } from '../../src/series/restatements.ts';

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
      const found = restatements(points(before), points(after), watermark * MINUTE, MINUTE, 100 * MINUTE);
      const ages = changed.map((minute) => (100 - Number(minute) - 1) * MINUTE);
      expect(found.ages.toSorted((a, b) => a - b)).toEqual(ages.sort((a, b) => a - b));
      expect(found.late).toBe(late.length);
      expect(found.lateAmount).toBe(
        late.reduce((sum, minute) => sum + Math.abs(Number(after[minute]) - Number(before[minute])), 0),
      );
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_POINTS, type Points } from '../../../src/exporter/decode/points.ts';
import { PackedPoints } from '../../../src/exporter/series/packed-series.ts';

const points = fc
  .tuple(fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 6 }), fc.constantFrom(1, 0.5, 2 ** 33))
  .map(([minutes, scale]) => {
    const timestamps = Float64Array.from(minutes, (minute) => minute * 60_000).sort();
    return { timestamps, values: timestamps.map((_, index) => index * scale) };
  });

/** Values as numbers: whole ones may be kept in another kind of array. */
const numbersOf = ({ timestamps, values }: Points = NO_POINTS) => [[...timestamps], [...values]];

/** Some have the same times, others times of their own. */
const answers = fc.array(
  fc.tuple(fc.dictionary(fc.string({ maxLength: 3 }), points), fc.boolean()).map(([series, alike]) => {
    const [first] = Object.values(series);
    return new Map(Object.entries(series).map(([name, own]) => [name, alike && first ? first : own]));
  }),
  { maxLength: 4 },
);

it('gives back what was packed, whatever was packed before and after', () => {
  fc.assert(
    fc.property(answers, (all) => {
      const packed = all.map((series) => new PackedPoints(series));
      for (const [index, series] of all.entries()) {
        expect([...(packed[index] ?? [])].map(([name]) => name)).toEqual([...series.keys()]);
        for (const [name, points] of packed[index] ?? [])
          expect(numbersOf(points)).toEqual(numbersOf(series.get(name)));
        for (const [name, points] of series)
          expect(numbersOf(packed[index]?.get(name))).toEqual(numbersOf(points));
        expect(packed[index]?.get('not there')).toBeUndefined();
      }
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Aspect,
  type BucketCells,
  divide,
  dividedLike,
  type Population,
} from '../../../src/sandbox/graphql/population.ts';

const NO_CELLS: BucketCells = { cell: () => 0 };

const parts = fc.array(fc.nat(200), { minLength: 1, maxLength: 6 });

const populations = fc
  .record({
    first: parts,
    cuts: fc.array(fc.tuple(parts, fc.integer({ min: 1, max: 12 })), { maxLength: 4 }),
  })
  .map(({ first, cuts }): Population => {
    const whole = first.reduce((sum, part) => sum + part, 0);
    const aspects = [[first, 1] as const, ...cuts].map(([shares, turns], index): Aspect => {
      const own = dividedLike(shares, whole, 0);
      return { name: `aspect ${index}`, values: own.map(String), turns, parts: () => own };
    });
    return { name: 'units', whole: () => whole, aspects };
  });

function countsOf(population: Population, aspects: readonly Aspect[]): Map<string, number> {
  const counts = new Map<string, number>();
  divide(population, aspects, NO_CELLS, (units, unit) => {
    const key = aspects.map(({ name }) => unit(name)).join();
    counts.set(key, (counts.get(key) ?? 0) + units);
  });
  return counts;
}

describe('a population that is divided', () => {
  it('by one aspect has its parts', () => {
    fc.assert(
      fc.property(populations, (population) => {
        for (const aspect of population.aspects) {
          const expected = aspect
            .parts(NO_CELLS, 0)
            .flatMap((part, value) => (part > 0 ? [[`${value}`, part] as const] : []));
          expect(countsOf(population, [aspect])).toEqual(new Map(expected));
        }
      }),
    );
  });

  it('by all aspects adds up to what it is by any of them', () => {
    fc.assert(
      fc.property(populations, fc.nat(), fc.nat(), (population, one, other) => {
        const { aspects } = population;
        const [first, second] = [one % aspects.length, other % aspects.length];
        const chosen = [...new Set([first, second])];
        const coarse = countsOf(
          population,
          chosen.flatMap((index) => aspects[index] ?? []),
        );
        const summed = new Map<string, number>();
        for (const [key, units] of countsOf(population, aspects)) {
          const values = key.split(',');
          const part = chosen.map((index) => values[index]).join();
          summed.set(part, (summed.get(part) ?? 0) + units);
        }
        expect(summed).toEqual(coarse);
      }),
    );
  });

  it('mixes aspects that take turns differently, and lets those with one turn go together', () => {
    const half = (name: string, turns: number): Aspect => ({
      name,
      values: ['a', 'b'],
      turns,
      parts: () => [60, 60],
    });
    const population: Population = { name: 'units', whole: () => 120, aspects: [] };
    expect([...countsOf(population, [half('one', 1), half('other', 1)]).keys()]).toEqual(['0,0', '1,1']);
    expect(countsOf(population, [half('one', 1), half('other', 6)])).toEqual(
      new Map([
        ['0,0', 30],
        ['0,1', 30],
        ['1,0', 30],
        ['1,1', 30],
      ]),
    );
  });
});

it('parts that follow others add up to their whole, whatever the others are', () => {
  fc.assert(
    fc.property(parts, fc.nat(10_000), (like, whole) => {
      const divided = dividedLike(like, whole, 0);
      expect(divided).toHaveLength(like.length);
      expect(divided.reduce((sum, part) => sum + part, 0)).toBe(whole);
      expect(divided.every((part) => part >= 0)).toBe(true);
    }),
  );
});

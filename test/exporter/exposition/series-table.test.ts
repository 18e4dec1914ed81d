import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashOf, SeriesIndex } from '../../../src/exporter/exposition/series-table.ts';

const hash = fc.oneof(fc.constantFrom(0, 1, 2, -1, -2, 511, 510), fc.integer());
const step = fc.oneof(
  fc.record({ add: hash }),
  fc.record({ add: hash }),
  fc.record({ deleteAt: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
);

function allOf(index: SeriesIndex, hash: number): number[] {
  const found: number[] = [];
  for (let series = index.first(hash); series >= 0; series = index.next(series, hash)) found.push(series);
  return found;
}

it('finds what was added and not deleted, whatever shares its place', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 1_500, size: 'max' }), (steps) => {
      const index = new SeriesIndex();
      const hashes = new Map<number, number>();
      let next = 0;
      for (const done of steps) {
        if ('add' in done) {
          index.add(next, done.add);
          hashes.set(next, done.add);
          next += 1;
          continue;
        }
        const gone = [...hashes.keys()][Math.floor(done.deleteAt * hashes.size)];
        if (gone === undefined) continue;
        index.delete(gone);
        expect(allOf(index, hashes.get(gone) ?? 0)).not.toContain(gone);
        hashes.delete(gone);
      }
      const expected = new Map<number, number[]>();
      for (const [series, of] of hashes) expected.set(of, [...(expected.get(of) ?? []), series]);
      for (const [of, alike] of expected) expect(allOf(index, of).toSorted((a, b) => a - b)).toEqual(alike);
    }),
    { numRuns: 30 },
  );
});

it('a hash is a signed integer of 32 bits, and goes on from one text to the next', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (first, second) => {
      expect(hashOf(first + second)).toBe(hashOf(second, hashOf(first)));
      expect(hashOf(first)).toBe(hashOf(first) | 0);
    }),
  );
});

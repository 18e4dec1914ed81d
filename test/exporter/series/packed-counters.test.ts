import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PackedCounters } from '../../../src/exporter/series/packed-series.ts';

const time = fc.integer({ min: 0, max: 2e12 });
const span = fc.record(
  { from: time, to: time, since: time, until: time, asked: fc.nat(40), whole: fc.nat(40) },
  { noNullPrototype: true },
);
const counter = fc.record(
  { total: fc.double({ min: 0, noNaN: true }), watermark: time, missing: fc.array(span, { maxLength: 2 }) },
  { noNullPrototype: true },
);
/** Names in common, so that some share their places. */
const name = fc.constantFrom('200', '404', '500', '');
const counters = fc.array(fc.tuple(name, counter)).map((entries) => new Map(entries));

it('gives back the counters that were packed, whatever was packed before and after', () => {
  fc.assert(
    fc.property(fc.array(counters, { maxLength: 4 }), (all) => {
      const packed = all.map((given) => new PackedCounters(given));
      for (const [index, given] of all.entries()) {
        expect(new Map(packed[index])).toEqual(given);
        expect(packed[index]?.size).toBe(given.size);
        expect([...(packed[index]?.keys() ?? [])]).toEqual([...given.keys()]);
        for (const [dimension, expected] of given) expect(packed[index]?.get(dimension)).toEqual(expected);
        expect(packed[index]?.get('not there')).toBeUndefined();
      }
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packEntry, parseKey, Records, textOfKey, unpackEntry } from '../../../src/exporter/state/records.ts';

const part = fc.string({ unit: 'grapheme', maxLength: 20 });
const key = fc.array(part, { minLength: 1, maxLength: 6 });

describe('a state key', () => {
  it('comes back from its text, whatever its parts hold', () => {
    fc.assert(
      fc.property(key, (parts) => {
        expect(parseKey(textOfKey(parts))).toEqual(parts);
      }),
    );
  });

  it('is read from damaged text without a fault', () => {
    expect(parseKey('a/%zz/b%2F/')).toEqual(['a', '%zz', 'b/']);
  });

  it('has a text that begins with the text of exactly those keys that it begins with', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        const begins = b.every((name, index) => a[index] === name);
        expect(textOfKey(a).startsWith(textOfKey(b))).toBe(begins);
      }),
    );
  });

  it('is refused when it is empty', () => {
    expect(() => packEntry({ key: [], value: 1 })).toThrow('at least one part');
  });
});

describe('a stored record', () => {
  it('gives every 64-bit float back to the last bit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true })), (numbers) => {
        const [name, bytes = Buffer.of()] = packEntry({ key: ['k'], value: numbers });
        const back = unpackEntry({ name, bytes }).value;
        // MessagePack does not preserve the sign of zero; a total of -0 is 0.
        expect(back).toEqual(numbers.map((number) => (number === 0 ? 0 : number)));
      }),
      { examples: [[[0.1 + 0.2, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308, 1_760_000_000_000]]] },
    );
  });

  it('has no value where its bytes cannot be decoded', () => {
    const [name, bytes = Buffer.of()] = packEntry({ key: ['a'], value: [[1234.5, 1_760_000_000_000]] });
    for (const damaged of [Buffer.of(), bytes.subarray(0, 9), Buffer.concat([bytes, Buffer.of(7)])])
      expect(unpackEntry({ name, bytes: damaged })).toEqual({ key: ['a'], value: undefined });
  });
});

describe('records in memory', () => {
  it('are found under any beginning of their keys, in order, as by looking through all of them', () => {
    const near = fc.array(fc.constantFrom('a', 'b', 'a-c', 'ä', ''), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(near), fc.array(near), near, (put, gone, prefix) => {
        const records = new Records();
        records.apply(put.map((of) => packEntry({ key: of, value: 1 })));
        records.apply(gone.map((of) => packEntry({ key: of, value: undefined })));
        const removed = new Set(gone.map(textOfKey));
        const left = new Set(put.map(textOfKey).filter((name) => !removed.has(name)));
        expect(records.size).toBe(left.size);
        for (const start of [prefix, []]) {
          const found = [...left].filter((name) => name.startsWith(textOfKey(start))).sort();
          expect([...records.keys(start)]).toEqual(found.map(parseKey));
        }
      }),
    );
  });

  it('of one account are found without looking through those of thousands', () => {
    const cpu = (work: () => void) => {
      const before = process.cpuUsage();
      work();
      return process.cpuUsage(before).user;
    };
    const records = new Records();
    const filling = cpu(() => {
      for (let at = 0; at < 40_000; at++)
        records.apply([packEntry({ key: ['settings', `${at % 2_000}`, 'x', `${at}`], value: 1 })]);
    });
    const looking = cpu(() => {
      for (let look = 0; look < 100; look++) Array.from(records.keys(['settings', '1', 'none']));
    });
    expect([...records.keys(['settings', '1', 'x'])]).toHaveLength(20);
    expect(looking).toBeLessThan(filling / 5);
  });
});

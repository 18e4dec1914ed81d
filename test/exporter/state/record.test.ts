import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isIntact,
  parseKey,
  sealEntry,
  sealRecord,
  textOfKey,
  unsealRecord,
} from '../../../src/exporter/state/state.ts';

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

  it('has a text that begins with the text of exactly those keys that it begins with', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        const begins = b.every((name, index) => a[index] === name);
        expect(textOfKey(a).startsWith(textOfKey(b))).toBe(begins);
      }),
    );
  });

  it('is refused when it is empty', () => {
    expect(() => sealEntry({ key: [], value: 1 })).toThrow('at least one part');
  });
});

describe('a stored record', () => {
  it('gives every 64-bit float back to the last bit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true })), (numbers) => {
        const back = unsealRecord(sealRecord('k/', numbers));
        // MessagePack has one zero; a total of -0 is 0.
        expect(back).toEqual(numbers.map((number) => (number === 0 ? 0 : number)));
      }),
      { examples: [[[0.1 + 0.2, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308, 1_760_000_000_000]]] },
    );
  });

  it('is damaged after any single bit of it has changed', () => {
    const bytes = sealRecord('series/a/', [[1234.5, 1_760_000_000_000]]);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isIntact('series/a/', flipped)).toBe(false);
    }
  });

  it('is damaged under another key', () => {
    expect(isIntact('series/b/', sealRecord('series/a/', 1))).toBe(false);
  });

  it('is damaged when it was cut short', () => {
    expect(isIntact('k/', Buffer.alloc(0))).toBe(false);
    expect(isIntact('k/', sealRecord('k/', 1).subarray(0, 4))).toBe(false);
  });
});

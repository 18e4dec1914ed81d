import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseKey, storableKey, textOfKey } from '../../src/state/key.ts';
import { openRecord, sealRecord } from '../../src/state/record.ts';

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

  it('is refused when it is empty or longer than the database can hold', () => {
    expect(() => storableKey([])).toThrow('at least one part');
    expect(() => storableKey(['x'.repeat(2000)])).toThrow('too long');
  });
});

describe('a stored record', () => {
  it('gives every 64-bit float back to the last bit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true })), (numbers) => {
        const back = openRecord('k/', sealRecord('k/', numbers))?.value;
        // MessagePack has one zero; a total of -0 is 0.
        expect(back).toEqual(numbers.map((number) => (number === 0 ? 0 : number)));
      }),
      { examples: [[[0.1 + 0.2, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308, 1_760_000_000_000]]] },
    );
  });

  it('is refused after any single bit of it has changed', () => {
    const bytes = sealRecord('series/a/', [[1234.5, 1_760_000_000_000]]);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(openRecord('series/a/', flipped)).toBeUndefined();
    }
  });

  it('is refused under another key', () => {
    expect(openRecord('series/b/', sealRecord('series/a/', 1))).toBeUndefined();
  });

  it('is refused when it was cut short', () => {
    expect(openRecord('k/', Buffer.alloc(0))).toBeUndefined();
    expect(openRecord('k/', sealRecord('k/', 1).subarray(0, 4))).toBeUndefined();
  });
});

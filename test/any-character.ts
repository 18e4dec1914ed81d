import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };
const LAST = 0x10ffff - SURROGATES.count;

/**
 * Arbitrary for one Unicode character. Replaces fast-check's unit `binary`, which needs a second to build its table of
 * characters.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc.nat({ max: LAST }).map(
  (index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  (character) => {
    const [first = '', ...others] = typeof character === 'string' ? character : [];
    const code = first.codePointAt(0) ?? SURROGATES.from;
    const isSurrogate = code >= SURROGATES.from && code < SURROGATES.from + SURROGATES.count;
    if (isSurrogate || others.length > 0) throw new Error('not a character');
    return code < SURROGATES.from ? code : code - SURROGATES.count;
  },
);

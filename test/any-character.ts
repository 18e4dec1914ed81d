import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };
const LAST = 0x10ffff - SURROGATES.count;

/** Any one character, as fast-check's own unit `binary`, which takes a second to list them all in a table. */
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

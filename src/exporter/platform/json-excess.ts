/** The platform's documents are not half as deep. */
const DEEPEST = 64;

/** Values in a document. A large answer has some 300,000. */
const MOST_VALUES = 1_000_000;

/**
 * Values that an object and a key count for. A parsed object takes 60 to 180 bytes; a key that no other object has takes
 * 1 to 5 µs, a number 0.1. A million keys would block everything for seconds.
 */
const VALUES_OF_AN_OBJECT = 5;
const VALUES_OF_A_KEY = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Number of values, and levels of depth, that a byte outside texts adds. */
const VALUES = new Uint8Array(256);
const LEVELS = new Int8Array(256);
for (const [byte, values, levels] of [
  [',', 1, 0],
  [':', VALUES_OF_A_KEY, 0],
  ['[', 1, 1],
  ['{', VALUES_OF_AN_OBJECT, 1],
  [']', 0, -1],
  ['}', 0, -1],
] as const) {
  VALUES[byte.charCodeAt(0)] = values;
  LEVELS[byte.charCodeAt(0)] = levels;
}

/**
 * Returns the excess of a JSON text, in nesting or in values; undefined if it has none. A level takes 30 times as long
 * to parse as a byte, and 80 bytes of memory, so a document of brackets would block or end the process. An object counts
 * for five values, a key for three.
 */
export function excessIn(json: Uint8Array, deepest = DEEPEST, most = MOST_VALUES): string | undefined {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) index += byte === BACKSLASH ? 1 : 0;
    else {
      values += VALUES[byte] ?? 0;
      depth += LEVELS[byte] ?? 0;
      if (depth > deepest) return `the answer is more than ${deepest} levels deep`;
    }
  }
  return values > most ? `the answer has more than ${most} values` : undefined;
}

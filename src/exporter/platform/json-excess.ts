/** Maximum nesting depth, at least twice that of the platform's documents. */
const DEEPEST = 64;

/** Maximum number of values in a document. A large response has some 300,000. */
const MOST_VALUES = 1_000_000;

/**
 * Weights of an object and of a key, in values. A parsed object takes 60 to 180 bytes. A key that no other object has takes 1 to 5
 * µs, a number 0.1 µs. A million keys would block the process for seconds.
 */
const VALUES_OF_AN_OBJECT = 5;
const VALUES_OF_A_KEY = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Number of values, and of nesting levels, that a byte outside texts adds. */
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
 * Returns a description of the excess nesting or number of values of a JSON text; undefined if it is within both limits. A nesting
 * level takes 30 times as long to parse as a byte, and 80 bytes of memory. So a document of brackets would block or crash the
 * process. An object counts as five values, a key as three.
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

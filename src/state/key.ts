/**
 * Names one entry from the general to the particular, e.g. `['series', account, api, product, id, metric]`.
 */
export type StateKey = readonly string[];

/** The longest key that the database takes is 1978 bytes. */
const LONGEST_KEY = 1900;

/**
 * A key as it is stored: every part percent-encoded and closed by a slash, so that a text begins with a
 * prefix's text exactly where the key begins with that prefix.
 */
export function textOfKey(key: StateKey): string {
  return key.map((part) => `${encodeURIComponent(part)}/`).join('');
}

/** The key of a stored text. */
export function parseKey(text: string): StateKey {
  return text.split('/').slice(0, -1).map(decodeURIComponent);
}

/** The text of a key that is to be stored; throws a RangeError where it is empty or too long. */
export function storableKey(key: StateKey): string {
  const text = textOfKey(key);
  if (text.length === 0) throw new RangeError('a state key needs at least one part');
  if (text.length > LONGEST_KEY) throw new RangeError(`a state key is too long: ${text.slice(0, 80)}…`);
  return text;
}

/**
 * Names one entry from the general to the particular, e.g. `['series', account, api, product, id, metric]`.
 */
export type StateKey = readonly string[];

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

/** The text of a key that is to be stored; throws a RangeError where it is empty. */
export function storableKey(key: StateKey): string {
  if (key.length === 0) throw new RangeError('a state key needs at least one part');
  return textOfKey(key);
}

/** The first text after all that begin with `prefix`: '0' follows '/', which closes every part of a key. */
export function endOfPrefix(prefix: string): string {
  return prefix === '' ? '\x7f' : `${prefix.slice(0, -1)}0`;
}

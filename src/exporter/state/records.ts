import { Packr } from 'msgpackr/pack';
import type { RangeOptions, StateEntry, StateKey } from './state.ts';

/** Record in the database. */
export interface StoredRecord {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Change of a record: its new bytes, or undefined to remove it. */
export type Change = readonly [name: string, bytes: Uint8Array | undefined];

/**
 * Returns the stored text of a key: every part percent-encoded and followed by a slash. The text starts with a prefix's text
 * exactly if the key starts with that prefix.
 */
export function textOfKey(key: StateKey): string {
  return key.map((part) => `${encodeURIComponent(part)}/`).join('');
}

/** Returns the key of a stored text. */
export function parseKey(text: string): StateKey {
  // A damaged part stays as it is: it matches no lookup, and other records stay readable.
  return text
    .split('/')
    .slice(0, -1)
    .map((part) => unlessDamaged(() => decodeURIComponent(part)) ?? part);
}

/** Returns the first text after all texts that begin with `prefix`. '0' follows '/', which ends every part of a key. */
export function endOfPrefix(prefix: string): string {
  return prefix === '' ? '\x7f' : `${prefix.slice(0, -1)}0`;
}

const msgpack = new Packr({ useRecords: false, copyBuffers: true });

/** Encodes an entry: the key's text, and the value in MessagePack (undefined to remove it). @throws RangeError without a key */
export function packEntry({ key, value }: StateEntry): Change {
  if (key.length === 0) throw new RangeError('a state key needs at least one part');
  return [textOfKey(key), value === undefined ? undefined : msgpack.pack(value)];
}

/** Decodes the entry of a record. The value is undefined if its bytes cannot be decoded. */
export function unpackEntry({ name, bytes }: StoredRecord): StateEntry {
  return { key: parseKey(name), value: unlessDamaged(() => msgpack.unpack(bytes)) };
}

/** Returns true if the bytes are one value in MessagePack. */
export function canDecode(bytes: Uint8Array): boolean {
  return unlessDamaged(() => [msgpack.unpack(bytes)]) !== undefined;
}

/** Returns the decoded value; undefined if the decoder throws. */
function unlessDamaged<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

/** Records in memory, by name. */
export class Records {
  /** Records in groups, so that reads of an account cost the same with thousands of accounts. */
  readonly #groups = new Map<string, Map<string, Uint8Array>>();

  get size(): number {
    return [...this.#groups.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get(key: StateKey): unknown {
    const bytes = this.bytes(textOfKey(key));
    return bytes && msgpack.unpack(bytes);
  }

  /** Returns the stored bytes of a record; undefined if there is none. */
  bytes(name: string): Uint8Array | undefined {
    return this.#groups.get(groupOf(name))?.get(name);
  }

  *keys(prefix: StateKey): Generator<StateKey, void> {
    for (const name of this.#namesUnder(prefix)) yield parseKey(name);
  }

  range(prefix: StateKey, { limit, after }: RangeOptions): StateEntry[] {
    const last = after && textOfKey(after);
    const names = [...this.#namesUnder(prefix)].filter((name) => last === undefined || name > last);
    return names.slice(0, limit).map((name) => ({ key: parseKey(name), value: this.get(parseKey(name)) }));
  }

  apply(changes: readonly Change[]): void {
    for (const [name, bytes] of changes) {
      const group = this.#groups.get(groupOf(name)) ?? new Map<string, Uint8Array>();
      if (bytes) this.#groups.set(groupOf(name), group.set(name, bytes));
      else group.delete(name);
    }
  }

  /** Yields names in order, group by group. */
  *#namesUnder(prefix: StateKey): Generator<string, void> {
    const start = textOfKey(prefix);
    const groups =
      prefix.length >= GROUPED_PARTS
        ? [groupOf(start)]
        : [...this.#groups.keys()].filter((group) => group.startsWith(start)).sort();
    for (const group of groups)
      yield* [...(this.#groups.get(group)?.keys() ?? [])].filter((name) => name.startsWith(start)).sort();
  }
}

/** Number of key parts in a group's name: the kind, and usually the account. */
const GROUPED_PARTS = 2;

/** Returns the first parts of a name; the whole name if it has fewer. */
function groupOf(name: string): string {
  const end = name.indexOf('/', name.indexOf('/') + 1);
  return end < 0 ? name : name.slice(0, end + 1);
}

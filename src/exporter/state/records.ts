import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr/pack';
import type { RangeOptions, StateEntry, StateKey } from './state.ts';

/** A record as it lies in the database. */
export interface StoredRecord {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What becomes of a record: its new bytes, or undefined where it is removed. */
export type Change = readonly [name: string, bytes: Uint8Array | undefined];

/** Ends a part of a key that stands for damaged text as it is: half a character, which no text that can be encoded has. */
const AS_IT_IS = '\ud800';

/**
 * A key as it is stored: every part percent-encoded and closed by a slash, so that a text begins with a
 * prefix's text exactly where the key begins with that prefix.
 */
export function textOfKey(key: StateKey): string {
  return key
    .map((part) => (part.endsWith(AS_IT_IS) ? part.slice(0, -1) : `${encodeURIComponent(part)}/`))
    .join('');
}

/** The key of a stored text: also of one that is damaged, so that it can be removed, and what lies behind it be read. */
export function parseKey(text: string): StateKey {
  return (text.match(/[^/]*\/|[^/]+$/g) ?? []).map(parsePart);
}

function parsePart(text: string): string {
  try {
    const part = decodeURIComponent(text.slice(0, -1));
    if (textOfKey([part]) === text) return part;
  } catch {
    // Not percent-encoded.
  }
  return text + AS_IT_IS;
}

/** The first text after all that begin with `prefix`: '0' follows '/', which closes every part of a key. */
export function endOfPrefix(prefix: string): string {
  return prefix === '' ? '\x7f' : `${prefix.slice(0, -1)}0`;
}

/** The entry as it is stored: its key's text, and its sealed value or undefined where it is removed; throws a RangeError for an empty key. */
export function sealEntry({ key, value }: StateEntry): Change {
  if (key.length === 0) throw new RangeError('a state key needs at least one part');
  const name = textOfKey(key);
  return [name, value === undefined ? undefined : sealRecord(name, value)];
}

/** The entry of a record; without a value where any bit of it is not as sealed. */
export function openEntry({ name, bytes }: StoredRecord): StateEntry {
  return { key: parseKey(name), value: isIntact(name, bytes) ? unsealRecord(bytes) : undefined };
}

const CHECKSUM_BYTES = 4;

const msgpack = new Packr({ useRecords: false, copyBuffers: true });

/** The stored bytes of a value: a CRC-32 over key and content, then the content in MessagePack. */
export function sealRecord(name: string, value: unknown): Buffer {
  const content = msgpack.pack(value);
  const bytes = Buffer.allocUnsafe(CHECKSUM_BYTES + content.length);
  bytes.set(content, CHECKSUM_BYTES);
  bytes.writeUInt32LE(checksum(name, content));
  return bytes;
}

/** The value of stored bytes that are intact. */
export function unsealRecord(bytes: Uint8Array): unknown {
  return msgpack.unpack(bytes.subarray(CHECKSUM_BYTES));
}

/** Whether every bit of key and content is as sealed: SQLite itself does not notice a changed value. */
export function isIntact(name: string, bytes: Uint8Array): boolean {
  return (
    bytes.length > CHECKSUM_BYTES && checksum(name, bytes.subarray(CHECKSUM_BYTES)) === storedChecksum(bytes)
  );
}

/** The checksum at the head of the bytes. */
export function storedChecksum(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

function checksum(name: string, content: Uint8Array): number {
  return crc32(content, crc32(name));
}

/** Sealed records in memory, by name. */
export class Records {
  /** In groups, so that what an account asks for costs no more where there are thousands of them. */
  readonly #groups = new Map<string, Map<string, Uint8Array>>();

  get size(): number {
    return [...this.#groups.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get(key: StateKey): unknown {
    const bytes = this.bytes(textOfKey(key));
    return bytes && unsealRecord(bytes);
  }

  /** The sealed record of this name, if there is one. */
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

  clear(): void {
    this.#groups.clear();
  }

  /** In order, a group at a time: names have the order of their groups. */
  *#namesUnder(prefix: StateKey): Generator<string, void> {
    const start = textOfKey(prefix);
    const isWithinOne = prefix.length >= GROUPED_PARTS;
    const groups = isWithinOne
      ? [groupOf(start)]
      : [...this.#groups.keys()].filter((group) => group.startsWith(start));
    for (const group of groups.sort())
      yield* [...(this.#groups.get(group)?.keys() ?? [])].filter((name) => name.startsWith(start)).sort();
  }
}

/** The parts of a key that its group has: what it is of, and, of most, which account. */
const GROUPED_PARTS = 2;

/** The beginning of a name, of so many parts; the name itself where it has fewer. */
function groupOf(name: string): string {
  const end = name.indexOf('/', name.indexOf('/') + 1);
  return end < 0 ? name : name.slice(0, end + 1);
}

import type { Change, StoredRecord } from './database-protocol.ts';
import { parseKey, type StateKey, storableKey } from './key.ts';
import { isIntact, sealRecord, unsealRecord } from './record.ts';

/** What an entry becomes; an `undefined` value removes it. Numbers are kept exactly, as 64-bit floats. */
export interface StateEntry {
  readonly key: StateKey;
  readonly value: unknown;
}

export interface RangeOptions {
  readonly limit: number;
  /** The key behind which to begin. */
  readonly after?: StateKey;
}

/** The entry as it is stored: its key's text, and its sealed value or undefined where it is removed. */
export function sealEntry({ key, value }: StateEntry): Change {
  const name = storableKey(key);
  return [name, value === undefined ? undefined : sealRecord(name, value)];
}

/** @throws Error where a bit of the record is not as sealed */
export function openEntry({ name, bytes }: StoredRecord): StateEntry {
  const key = parseKey(name);
  if (!isIntact(name, bytes)) throw new Error(`the state entry ${key.join(' ')} is damaged`);
  return { key, value: unsealRecord(bytes) };
}

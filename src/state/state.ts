import { parseKey, type StateKey, storableKey, textOfKey } from './key.ts';
import { openRecord, sealRecord } from './record.ts';

export type { StateKey };

/** What an entry becomes; an `undefined` value removes it. Numbers are kept exactly, as 64-bit floats. */
export interface StateEntry {
  readonly key: StateKey;
  readonly value: unknown;
}

/** What was remembered. */
export interface StateReader {
  /** The value as committed, a copy of its own; undefined when there is none. */
  get(key: StateKey): unknown;
  /** The keys that begin with `prefix`, in no promised order. */
  keys(prefix: StateKey): Iterable<StateKey>;
}

/** Nothing is remembered: for who only wants to know what a first poll would find. */
export const NO_MEMORY: StateReader = { get: () => undefined, keys: () => [] };

/** What the exporter remembers from one poll to the next: counters with their marks. */
export interface State extends StateReader {
  /** Whether what is committed outlives the process. */
  readonly kind: 'durable' | 'memory';
  /** Where it is kept, or should have been; undefined where no directory was asked for. */
  readonly directory: string | undefined;
  /** What an operator should know, in plain words: why it is memory, or what was set aside or dropped. */
  readonly note: string | undefined;
  /**
   * All entries take effect together or none does. Durable state resolves once they survive `kill -9` and the
   * loss of power, and rejects with `StateWriteFailure` when the disk refuses; the same commit may be tried
   * again later.
   */
  commit(entries: readonly StateEntry[]): Promise<void>;
  /** Lets go of the directory, after the commits under way. */
  close(): Promise<void>;
}

/** A commit that the disk refused; nothing of it took effect. */
export class StateWriteFailure extends Error {
  override readonly name = 'StateWriteFailure';
}

/**
 * State that ends with the process. It stores values as the durable one does, so that both behave alike.
 * @param directory where it should have been kept, if anywhere
 */
export function memoryState(note?: string, directory?: string): State {
  const records = new Map<string, Buffer>();
  return {
    kind: 'memory',
    directory,
    note,
    get(key) {
      const name = textOfKey(key);
      const bytes = records.get(name);
      return bytes && openRecord(name, bytes)?.value;
    },
    keys: (prefix) => [...namesUnder(records.keys(), textOfKey(prefix))].map(parseKey),
    async commit(entries) {
      for (const [name, bytes] of entries.map(sealEntry)) {
        if (bytes) records.set(name, bytes);
        else records.delete(name);
      }
    },
    close: async () => records.clear(),
  };
}

/** The entry as it is stored: its key's text, and its sealed value or undefined where it is removed. */
export function sealEntry({ key, value }: StateEntry): readonly [name: string, bytes: Buffer | undefined] {
  const name = storableKey(key);
  return [name, value === undefined ? undefined : sealRecord(name, value)];
}

function* namesUnder(names: Iterable<string>, prefix: string): Iterable<string> {
  for (const name of names) if (name.startsWith(prefix)) yield name;
}

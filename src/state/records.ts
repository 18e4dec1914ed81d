import type { Change } from './database-protocol.ts';
import type { RangeOptions, StateEntry } from './entry.ts';
import { parseKey, type StateKey, textOfKey, unsealRecord } from './entry.ts';

/** Sealed records in memory, by name. */
export class Records {
  readonly #bytes = new Map<string, Uint8Array>();

  get size(): number {
    return this.#bytes.size;
  }

  get(key: StateKey): unknown {
    const bytes = this.#bytes.get(textOfKey(key));
    return bytes && unsealRecord(bytes);
  }

  /** The sealed record of this name, if there is one. */
  bytes(name: string): Uint8Array | undefined {
    return this.#bytes.get(name);
  }

  keys(prefix: StateKey): StateKey[] {
    return this.#namesUnder(prefix).map(parseKey);
  }

  range(prefix: StateKey, { limit, after }: RangeOptions): StateEntry[] {
    const last = after && textOfKey(after);
    const names = this.#namesUnder(prefix).filter((name) => last === undefined || name > last);
    return names.slice(0, limit).map((name) => ({ key: parseKey(name), value: this.get(parseKey(name)) }));
  }

  apply(changes: readonly Change[]): void {
    for (const [name, bytes] of changes) {
      if (bytes) this.#bytes.set(name, bytes);
      else this.#bytes.delete(name);
    }
  }

  clear(): void {
    this.#bytes.clear();
  }

  #namesUnder(prefix: StateKey): string[] {
    const start = textOfKey(prefix);
    return [...this.#bytes.keys()].filter((name) => name.startsWith(start)).sort();
  }
}

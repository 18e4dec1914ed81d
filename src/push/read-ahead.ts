import type { State, StateKey } from '../state/state.ts';
import { type OutboxEntry, unpackEntry } from './outbox-entry.ts';
import { nameOf, type WaitingEntries, type WaitingEntry } from './waiting-entries.ts';

/** So many entries are looked through for those that may go out together. */
const LOOKAHEAD = 1_000;

/** The most bytes that they may have together. */
const READ_BYTES = 4 * 2 ** 20;

/** The first entries that wait, as read from disk. */
export class ReadAhead {
  readonly #state: State;
  readonly #prefix: StateKey;
  readonly #waiting: WaitingEntries;
  /** In the order of their keys, without gaps. */
  readonly #read = new Map<string, OutboxEntry>();

  constructor(state: State, prefix: StateKey, waiting: WaitingEntries) {
    this.#state = state;
    this.#prefix = prefix;
    this.#waiting = waiting;
  }

  /** Those that are in memory, with what they hold. */
  *entries(): Generator<readonly [WaitingEntry, OutboxEntry]> {
    for (const [name, entry] of this.#read) {
      const waiting = this.#waiting.find(name);
      if (waiting !== undefined) yield [waiting, entry];
    }
  }

  delete(name: string): void {
    this.#read.delete(name);
  }

  /** Reads on once half of what may be held is gone. */
  async readOn(): Promise<void> {
    const limit = this.#readable();
    if (this.#read.size > 0 && this.#read.size >= limit / 2) return;
    const last = [...this.#read.keys()].at(-1);
    const found = await this.#state.range(this.#prefix, {
      limit: limit - this.#read.size,
      ...(last !== undefined && { after: [...this.#prefix, last] }),
    });
    for (const { key, value } of found) {
      const name = nameOf(key);
      const entry = this.#waiting.find(name) && unpackEntry(value);
      if (entry !== undefined) this.#read.set(name, entry);
    }
  }

  /** How many of the first entries may be held in memory: where they are large, fewer. */
  #readable(): number {
    let entries = 0;
    let bytes = 0;
    for (const waiting of this.#waiting.values()) {
      if (entries === LOOKAHEAD || (entries > 0 && bytes + waiting.bytes > READ_BYTES)) break;
      entries += 1;
      bytes += waiting.bytes;
    }
    return entries;
  }
}

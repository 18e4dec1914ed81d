import type { Database } from './database.ts';
import type { Change } from './database-protocol.ts';
import { openEntry, type RangeOptions, type StateEntry, sealEntry } from './entry.ts';
import { endOfPrefix, type StateKey, textOfKey } from './key.ts';
import type { StateLock } from './lock.ts';
import type { Records } from './records.ts';
import { QUEUE, type State, StateWriteFailure } from './state.ts';

interface PendingCommit {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface DurableStateParts {
  readonly directory: string;
  readonly note: string | undefined;
  readonly database: Database;
  /** What the database holds, but for queues. */
  readonly records: Records;
  readonly lock: StateLock;
}

/** Where a name begins that `Records` do not hold. */
export const QUEUE_NAMES = textOfKey([QUEUE]);

/**
 * State in a database. Commits that come while one is being written go to disk together, at the price of one.
 */
export class DurableState implements State {
  readonly kind = 'durable';
  readonly directory: string;
  readonly note: string | undefined;
  readonly #database: Database;
  readonly #records: Records;
  readonly #lock: StateLock;
  #pending: PendingCommit[] = [];
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor({ directory, note, database, records, lock }: DurableStateParts) {
    this.directory = directory;
    this.note = note;
    this.#database = database;
    this.#records = records;
    this.#lock = lock;
  }

  get(key: StateKey): unknown {
    this.#refuseWhenClosed();
    return this.#records.get(key);
  }

  keys(prefix: StateKey): Iterable<StateKey> {
    this.#refuseWhenClosed();
    return this.#records.keys(prefix);
  }

  async range(prefix: StateKey, { limit, after }: RangeOptions): Promise<readonly StateEntry[]> {
    this.#refuseWhenClosed();
    const start = textOfKey(prefix);
    // No name lies between one and the same with this character at its end.
    const from = after === undefined ? start : `${textOfKey(after)}\0`;
    const records = await this.#database.read({ from, until: endOfPrefix(start), limit });
    return records.map(openEntry);
  }

  async commit(entries: readonly StateEntry[]): Promise<void> {
    this.#refuseWhenClosed();
    const changes = entries.map(sealEntry);
    if (changes.length === 0) return;
    const written = new Promise<void>((resolve, reject) => this.#pending.push({ changes, resolve, reject }));
    this.#writing ??= this.#writeAll();
    await written;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#writing;
    await this.#database.close();
    await this.#lock.release();
  }

  async #writeAll(): Promise<void> {
    // Lets the commits of the same moment join the first write.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const group = this.#pending;
      this.#pending = [];
      await this.#writeGroup(group);
    }
    this.#writing = undefined;
  }

  async #writeGroup(group: readonly PendingCommit[]): Promise<void> {
    const changes = [...new Map(group.flatMap(({ changes }) => changes))];
    try {
      await this.#database.write(changes);
      this.#records.apply(changes.filter(([name]) => !name.startsWith(QUEUE_NAMES)));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `cannot write the state in ${this.directory}: ${reason}`;
      for (const { reject } of group) reject(new StateWriteFailure(message, { cause: error }));
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error('the state is closed');
  }
}

import { statfs } from 'node:fs/promises';
import type { Database } from './database.ts';
import { parseKey, textOfKey } from './key.ts';
import type { StateLock } from './lock.ts';
import { openRecord } from './record.ts';
import { type State, StateWriteFailure, sealEntry } from './state.ts';

interface Waiting {
  readonly changes: readonly (readonly [name: string, bytes: Buffer | undefined])[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * State in a database. Commits that come while one is being written go to disk together, at the price of one.
 */
export class DurableState implements State {
  readonly kind = 'durable';
  readonly directory: string;
  readonly note: string | undefined;
  readonly #database: Database;
  readonly #lock: StateLock;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(directory: string, note: string | undefined, database: Database, lock: StateLock) {
    this.directory = directory;
    this.note = note;
    this.#database = database;
    this.#lock = lock;
  }

  get(key: readonly string[]): unknown {
    this.#refuseWhenClosed();
    const name = textOfKey(key);
    const bytes = this.#database.get(name);
    return bytes && openRecord(name, bytes)?.value;
  }

  keys(prefix: readonly string[]): Iterable<readonly string[]> {
    this.#refuseWhenClosed();
    return this.#database.namesUnder(textOfKey(prefix)).map(parseKey);
  }

  async commit(entries: Parameters<State['commit']>[0]): Promise<void> {
    this.#refuseWhenClosed();
    const changes = entries.map(sealEntry);
    if (changes.length === 0) return;
    const written = new Promise<void>((resolve, reject) => this.#waiting.push({ changes, resolve, reject }));
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
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#writeGroup(group);
    }
    this.#writing = undefined;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.#database.write(new Map(group.flatMap(({ changes }) => changes)));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const failure = await describeFailure(this.directory, error);
      for (const { reject } of group) reject(failure);
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error('the state is closed');
  }
}

/** LMDB answers a full disk with a bare input/output error; how much is free tells the two apart. */
async function describeFailure(directory: string, error: unknown): Promise<StateWriteFailure> {
  const space = await statfs(directory).then(
    ({ bavail, bsize }) => `${bavail * bsize} bytes free on its disk`,
    (reason: Error) => reason.message,
  );
  return new StateWriteFailure(`cannot write the state in ${directory} (${space})`, { cause: error });
}

import type { Change, Database } from './database.ts';
import type { StateLock } from './lock.ts';
import {
  endOfPrefix,
  openEntry,
  type RangeOptions,
  type Records,
  type StateEntry,
  type StateKey,
  sealEntry,
  textOfKey,
} from './records.ts';
import { LONGEST_COMMIT_MS, QUEUE, type State, StateWriteFailure } from './state.ts';

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
  /** How long (ms) the disk may take for a write or a read. Default: `LONGEST_COMMIT_MS`. */
  readonly timeLimitMs?: number;
}

/** Where a name begins that `Records` do not hold. */
export const QUEUE_NAMES = textOfKey([QUEUE]);

/**
 * State in a database. Commits that come while one is being written go to disk together, at the price of one. Those
 * that a disk leaves without an answer are refused; what such a disk writes in the end is taken back with its next write.
 */
export class DurableState implements State {
  readonly kind = 'durable';
  readonly directory: string;
  readonly note: string | undefined;
  readonly #database: Database;
  readonly #records: Records;
  readonly #lock: StateLock;
  readonly #timeLimitMs: number;
  #pending: PendingCommit[] = [];
  #writing: Promise<void> | undefined;
  #isHanging = false;
  /** Undoes what was written after its commits had been refused. */
  #undo: readonly Change[] = [];
  #closed = false;

  constructor({
    directory,
    note,
    database,
    records,
    lock,
    timeLimitMs = LONGEST_COMMIT_MS,
  }: DurableStateParts) {
    this.directory = directory;
    this.note = note;
    this.#database = database;
    this.#records = records;
    this.#lock = lock;
    this.#timeLimitMs = timeLimitMs;
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
    const reading = this.#database.read({ from, until: endOfPrefix(start), limit });
    return (await this.#inTime(reading)).map(openEntry);
  }

  async commit(entries: readonly StateEntry[]): Promise<void> {
    this.#refuseWhenClosed();
    const changes = entries.map(sealEntry);
    if (changes.length === 0) return;
    if (this.#isHanging) throw this.#refusal(this.#silence());
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
    const writing = this.#database.write([...new Map([...this.#undo, ...changes])]);
    try {
      await this.#inTime(writing);
      this.#undo = [];
      this.#records.apply(changes.filter(([name]) => !isQueued(name)));
      for (const { resolve } of group) resolve();
    } catch (error) {
      const refusal = this.#refusal(error);
      for (const { reject } of group) reject(refusal);
      if (error instanceof DiskHangs) await this.#untilItAnswers(writing, changes);
    }
  }

  /** Nobody waits for a disk that hangs: until it has answered, every commit is refused. */
  async #untilItAnswers(writing: Promise<unknown>, changes: readonly Change[]): Promise<void> {
    this.#isHanging = true;
    for (const { reject } of this.#pending) reject(this.#refusal(this.#silence()));
    this.#pending = [];
    const wasWritten = await writing.then(
      () => true,
      () => false,
    );
    this.#isHanging = false;
    // What a queue held before is not known; that an entry is gone is what its removal was to bring about.
    const undone = changes.filter(([name, bytes]) => bytes !== undefined || !isQueued(name));
    if (wasWritten) this.#undo = undone.map(([name]) => [name, this.#records.bytes(name)]);
  }

  /** @throws DiskHangs when it takes too long */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#silence()), this.#timeLimitMs);
    });
    return Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
  }

  #silence(): DiskHangs {
    return new DiskHangs(`the disk has not responded for ${this.#timeLimitMs / 1_000} s`);
  }

  #refusal(cause: unknown): StateWriteFailure {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StateWriteFailure(`cannot write the state in ${this.directory}: ${reason}`, { cause });
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error('the state is closed');
  }
}

class DiskHangs extends Error {
  override readonly name = 'DiskHangs';
}

function isQueued(name: string): boolean {
  return name.startsWith(QUEUE_NAMES);
}

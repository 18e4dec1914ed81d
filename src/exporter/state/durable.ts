import {
  behind,
  DamagedState,
  type Database,
  type LoadedDatabase,
  OutcomeUnknown,
  QUEUE_NAMES,
} from './database.ts';
import { type Change, endOfPrefix, packEntry, Records, textOfKey, unpackEntry } from './records.ts';
import {
  LONGEST_COMMIT_MS,
  type RangeOptions,
  type State,
  type StateEntry,
  type StateKey,
  StateReadFailure,
  StateWriteFailure,
} from './state.ts';

interface PendingCommit {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Opened database, or the reason why it is not available yet. */
export type OpeningAttempt =
  | { readonly loaded: Pick<LoadedDatabase, 'database' | 'records'>; readonly note?: string | undefined }
  | { readonly trouble: string };

/**
 * State in a database. Until the database is open, the state is `unavailable` and refuses every commit. Otherwise a counter would
 * start and later jump to its stored value. Commits that arrive during a write are written together. A commit without a response
 * from the disk is refused, and the next write undoes it if it took effect.
 */
export class DurableState implements State {
  readonly directory: string;
  readonly #timeLimitMs: number;
  #database: Database | undefined;
  #records = new Records();
  #note: string | undefined;
  readonly #closing = new AbortController();
  #opening: Promise<void> | undefined;
  #pending: PendingCommit[] = [];
  #writing: Promise<void> | undefined;
  #isHanging = false;
  /** Changes that undo refused commits, which may have been written. */
  #undo: readonly Change[] = [];
  #refused: StateWriteFailure | undefined;

  /** @param timeLimitMs time limit (ms) of a write or a read */
  constructor(directory: string, first: OpeningAttempt, timeLimitMs = LONGEST_COMMIT_MS) {
    this.directory = directory;
    this.#timeLimitMs = timeLimitMs;
    this.#use(first);
  }

  /** Uses the first database that these attempts open, unless the state is closed before. */
  openBy(attempts: (signal: AbortSignal) => AsyncIterable<OpeningAttempt>): void {
    const open = async () => {
      for await (const attempt of attempts(this.#closing.signal)) this.#use(attempt);
    };
    this.#opening = open().catch((error: unknown) => {
      if (!this.#closing.signal.aborted) throw error;
    });
  }

  get kind(): State['kind'] {
    return this.#database === undefined ? 'unavailable' : 'durable';
  }

  get note(): string | undefined {
    return this.#note;
  }

  get refusal(): string | undefined {
    return this.#refused?.message;
  }

  get(key: StateKey): unknown {
    return this.#records.get(key);
  }

  keys(prefix: StateKey): Iterable<StateKey> {
    return this.#records.keys(prefix);
  }

  async range(prefix: StateKey, { limit, after }: RangeOptions): Promise<readonly StateEntry[]> {
    const start = textOfKey(prefix);
    const from = after === undefined ? start : behind(textOfKey(after));
    return this.#read((database) => database.range({ from, until: endOfPrefix(start), limit }));
  }

  async read(keys: readonly StateKey[]): Promise<readonly StateEntry[]> {
    return this.#read((database) => database.read(keys.map(textOfKey)));
  }

  async commit(entries: readonly StateEntry[]): Promise<void> {
    this.#refuseWhenClosed();
    const changes = entries.map(packEntry);
    if (changes.length === 0) return;
    if (this.#database === undefined) throw new StateWriteFailure(this.#note);
    if (this.#isHanging) throw this.#refusal(this.#silence());
    const written = new Promise<void>((resolve, reject) => this.#pending.push({ changes, resolve, reject }));
    this.#writing ??= this.#writeAll(this.#database);
    await written;
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#opening;
    await this.#writing;
    await this.#database?.close();
  }

  #use(attempt: OpeningAttempt): void {
    if ('loaded' in attempt) {
      this.#database = attempt.loaded.database;
      this.#records = attempt.loaded.records;
      this.#note = attempt.note;
    } else this.#note = attempt.trouble;
  }

  async #read(ask: (database: Database) => ReturnType<Database['range']>): Promise<readonly StateEntry[]> {
    this.#refuseWhenClosed();
    if (this.#database === undefined) return [];
    const found = await this.#inTime(ask(this.#database)).catch((error: unknown) => {
      if (error instanceof DamagedState || !(error instanceof Error)) throw error;
      throw new StateReadFailure(error.message, { cause: error });
    });
    return found.map(unpackEntry);
  }

  async #writeAll(database: Database): Promise<void> {
    // Lets commits of the same moment join the first write.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const group = this.#pending;
      this.#pending = [];
      await this.#writeGroup(database, group);
    }
    this.#writing = undefined;
  }

  async #writeGroup(database: Database, group: readonly PendingCommit[]): Promise<void> {
    const changes = group.flatMap((commit) => commit.changes);
    const writing = database.write([...new Map([...this.#undo, ...changes])]);
    try {
      await this.#inTime(writing);
      this.#undo = [];
      this.#refused = undefined;
      this.#records.apply(changes.filter(([name]) => !name.startsWith(QUEUE_NAMES)));
      // Before the next write, so that commits resolve in order, which the queue of a receiver requires.
      for (const { resolve } of group) resolve();
    } catch (error) {
      const isLate = error instanceof DiskHangs;
      this.#isHanging = isLate;
      const refused = isLate ? [...group, ...this.#pending.splice(0)] : group;
      const refusal = this.#refusal(error);
      for (const { reject } of refused) reject(refusal);
      if (isLate || error instanceof OutcomeUnknown) this.#undoLater(changes);
      // Nobody waits for a disk that hangs. Until it responds, every commit is refused.
      if (isLate) await writing.catch(() => undefined);
      this.#isHanging = false;
    }
  }

  #undoLater(changes: readonly Change[]): void {
    // A queue's previous entries are unknown, but an entry that the write removed was to be removed anyway.
    const undone = changes.filter(([name, bytes]) => bytes !== undefined || !name.startsWith(QUEUE_NAMES));
    const before = undone.map(([name]): Change => [name, this.#records.bytes(name)]);
    this.#undo = [...new Map([...this.#undo, ...before])];
  }

  /** @throws DiskHangs if the work exceeds the time limit */
  #inTime<T>(work: Promise<T>): Promise<T> {
    return inTime(work, this.#timeLimitMs, () => this.#silence());
  }

  #silence(): DiskHangs {
    return new DiskHangs(`the disk has not responded for ${this.#timeLimitMs / 1_000} s`);
  }

  #refusal(cause: unknown): StateWriteFailure {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#refused = new StateWriteFailure(`cannot write the state in ${this.directory}: ${reason}`, {
      cause,
    });
    return this.#refused;
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new Error('the state is closed');
  }
}

class DiskHangs extends Error {
  override readonly name = 'DiskHangs';
}

/** Waits at most `limitMs` (real time). @throws the error of `late` if the work takes longer; the work continues */
function inTime<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  return Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
}

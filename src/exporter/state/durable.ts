import { wakeInSlices } from '../slices.ts';
import { DamagedState, type Database, OutcomeUnknown } from './database.ts';
import { type Change, endOfPrefix, openEntry, type Records, sealEntry, textOfKey } from './records.ts';
import {
  LONGEST_COMMIT_MS,
  QUEUE,
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

export interface DurableStateParts {
  readonly directory: string;
  readonly note?: string | undefined;
  readonly database: Database;
  /** What the database holds, but for queues. */
  readonly records: Records;
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
  readonly #timeLimitMs: number;
  #pending: PendingCommit[] = [];
  #writing: Promise<void> | undefined;
  #isHanging = false;
  /** Undoes what was written after its commits had been refused. */
  #undo: readonly Change[] = [];
  #closed = false;
  #refused: StateWriteFailure | undefined;

  constructor({ directory, note, database, records, timeLimitMs = LONGEST_COMMIT_MS }: DurableStateParts) {
    this.directory = directory;
    this.note = note;
    this.#database = database;
    this.#records = records;
    this.#timeLimitMs = timeLimitMs;
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
    this.#refuseWhenClosed();
    const start = textOfKey(prefix);
    // No name lies between one and the same with this character at its end.
    const from = after === undefined ? start : `${textOfKey(after)}\0`;
    const reading = this.#database.read({ from, until: endOfPrefix(start), limit });
    const found = await this.#inTime(reading).catch((error: unknown) => {
      if (error instanceof DamagedState || !(error instanceof Error)) throw error;
      throw new StateReadFailure(error.message, { cause: error });
    });
    return found.map(openEntry);
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
    const changes = group.flatMap((commit) => commit.changes);
    const writing = this.#database.write([...new Map([...this.#undo, ...changes])]);
    try {
      await this.#inTime(writing);
      this.#undo = [];
      this.#refused = undefined;
      this.#records.apply(changes.filter(([name]) => !isQueued(name)));
      // Before the next write, so that commits are told in their order: a queue for a receiver stands in it.
      await wakeInSlices(group.map(({ resolve }) => resolve));
    } catch (error) {
      const refusal = this.#refusal(error);
      for (const { reject } of group) reject(refusal);
      if (error instanceof OutcomeUnknown) this.#undoLater(changes);
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
      (error: unknown) => error instanceof OutcomeUnknown,
    );
    this.#isHanging = false;
    if (wasWritten) this.#undoLater(changes);
  }

  /** What was, or may have been, written of refused commits is taken back with the next write. */
  #undoLater(changes: readonly Change[]): void {
    // What a queue held before is not known; an entry that is gone was to be removed anyway.
    const undone = changes.filter(([name, bytes]) => bytes !== undefined || !isQueued(name));
    const before = undone.map(([name]): Change => [name, this.#records.bytes(name)]);
    this.#undo = [...new Map([...this.#undo, ...before])];
  }

  /** @throws DiskHangs when it takes too long */
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
    if (this.#closed) throw new Error('the state is closed');
  }
}

class DiskHangs extends Error {
  override readonly name = 'DiskHangs';
}

/** Waits for so long (ms, real time) at most. @throws what `late` makes where work takes longer; it goes on nevertheless */
export function inTime<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  return Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
}

function isQueued(name: string): boolean {
  return name.startsWith(QUEUE_NAMES);
}

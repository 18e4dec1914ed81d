import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DamagedState, type Database, type NameRange } from './database.ts';
import {
  codeOf,
  createDatabaseFile,
  DATABASE_FILE,
  LOCK_FILE,
  StateInUse,
  syncDirectory,
  unlessMissing,
} from './directory.ts';
import type { Change, StoredRecord } from './records.ts';

/** Version of the format that this program reads and writes. */
const FORMAT = 3;

/** Error because this program does not support the format of the state, which stays unchanged. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';

  constructor(directory: string, format: number) {
    const cure =
      format > FORMAT
        ? 'run the newer version, or choose another --state.dir'
        : 'it dates from before the first release; choose another --state.dir, or remove its files: counters then start from zero';
    super(
      `the state in ${directory} has format ${format}, and this version reads format ${FORMAT} alone: ${cure}`,
    );
  }
}

/** Requests to the thread of a database: argument and result of each. */
export interface Requests {
  readonly lock: readonly [path: string, undefined];
  /** Opens the database, or creates one of this format. Returns the format of the database. */
  readonly open: readonly [{ readonly path: string; readonly format: number }, format: number];
  readonly range: readonly [NameRange, readonly StoredRecord[]];
  readonly read: readonly [names: readonly string[], readonly StoredRecord[]];
  readonly write: readonly [readonly Change[], undefined];
  /** Reads all files. @throws the disk's error, which is clearer than SQLite's */
  readonly readFiles: readonly [folder: string, undefined];
  readonly close: readonly [undefined, undefined];
  readonly unlock: readonly [undefined, undefined];
}

export interface ThreadQuestion {
  readonly id: number;
  readonly request: keyof Requests;
  readonly argument: unknown;
}

export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  /** `code` is SQLite's or the system's, e.g. SQLITE_FULL or ENOENT. */
  readonly failure?: { readonly message: string; readonly code: string | undefined };
}

/** Failures of SQLite that the disk or another process causes. The contents of the files cause all others. */
const FROM_OUTSIDE = /^SQLITE_(IOERR|CANTOPEN|FULL|BUSY|LOCKED|NOMEM|PERM|PROTOCOL|READONLY)/;

function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('SQLITE_') && !FROM_OUTSIDE.test(code);
}

/** Throws an error again, with a type for damage. @throws DamagedState if the contents of the files caused it */
function rethrow(error: unknown): never {
  throw isDamage(error) ? new DamagedState(`the database is damaged, or cannot be read (${error})`) : error;
}

interface PendingReply {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** A directory locked for this process, and the thread of its database, so that a hanging disk blocks only the thread. */
export class LockedDirectory {
  readonly #directory: string;
  readonly #worker = new Worker(new URL('./database-thread.js', import.meta.url));
  readonly #pending = new Map<number, PendingReply>();
  #asked = 0;
  /** Reason why the database no longer responds; undefined while it does. */
  #ended: Error | undefined;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('its thread has ended')));
  }

  /** Locks `directory` until it is released or the process ends, even by a crash. @throws StateInUse */
  static async lock(directory: string): Promise<LockedDirectory> {
    const path = join(directory, LOCK_FILE);
    // A locked directory has had a database. If it is missing now, counters must not start again.
    if ((await unlessMissing(stat(path))) === undefined) await createDatabaseFile(directory);
    // Written only if it is missing, because closing a file releases all locks of this process on it.
    await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    // SQLite grants every process an exclusive lock on a read-only file.
    await chmod(path, 0o600);
    const locked = new LockedDirectory(directory);
    try {
      await locked.#ask('lock', path);
      return locked;
    } catch (error) {
      await locked.#worker.terminate();
      if (codeOf(error) === 'SQLITE_BUSY') throw new StateInUse(directory);
      throw new Error(`the lock ${path} cannot be taken: ${(error as Error).message}`, { cause: error });
    }
  }

  /**
   * Opens or creates the database in the directory, readable only for its owner. Closing the database releases the directory.
   * @throws DamagedState for invalid contents, OtherFormat, and another Error if the disk fails
   */
  async openDatabase(): Promise<Database> {
    const path = join(this.#directory, DATABASE_FILE);
    if ((await unlessMissing(stat(path))) === undefined)
      throw new Error(
        `${DATABASE_FILE} is missing, although the directory was used before: restore it, or remove ${LOCK_FILE} to count from zero`,
      );
    const format = await this.#ask('open', { path, format: FORMAT }).catch(async (error: unknown) => {
      await this.#ask('readFiles', this.#directory);
      return rethrow(error);
    });
    if (format !== FORMAT) throw new OtherFormat(this.#directory, format);
    await syncDirectory(this.#directory);
    return {
      range: (range) => this.#ask('range', range).catch(rethrow),
      read: (names) => this.#ask('read', names).catch(rethrow),
      write: (changes) => this.#ask('write', changes).catch(rethrow),
      close: () => this.#ask('close', undefined).finally(() => this.release()),
    };
  }

  /** Releases the directory. */
  async release(): Promise<void> {
    await this.#ask('unlock', undefined).finally(() => this.#worker.terminate());
  }

  #ask<Name extends keyof Requests>(request: Name, argument: Requests[Name][0]): Promise<Requests[Name][1]> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#asked += 1;
    const question: ThreadQuestion = { id: this.#asked, request, argument };
    // Only a request in progress keeps the process alive.
    this.#worker.ref();
    this.#worker.postMessage(question);
    return new Promise((resolve, reject) => this.#pending.set(question.id, { resolve, reject }));
  }

  #settle({ id, result, failure }: ThreadAnswer): void {
    const waiting = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref();
    if (failure === undefined) waiting?.resolve(result as never);
    else waiting?.reject(Object.assign(new Error(failure.message), { code: failure.code }));
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

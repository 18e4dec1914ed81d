import { Worker } from 'node:worker_threads';
import { DamagedState, type Database, type NameRange } from './database.ts';
import { codeOf } from './directory.ts';
import type { Change, StoredRecord } from './records.ts';

/** All records in two numbers: how many there are, and the sum of their checksums modulo 2^32. */
export interface RecordTally {
  readonly records: number;
  readonly sum: number;
}

/** What a database says of itself. */
export interface Opened {
  /** How many commits it holds. */
  readonly held: number;
  /** How many it should hold at least; NaN where that is not known. */
  readonly promised: number;
  readonly tally: RecordTally;
}

export interface DatabaseFiles {
  readonly database: string;
  /** Holds the number of the last commit, outside of the database. */
  readonly lastCommit: string;
}

/** What the thread of the database is asked for: argument and result of each request. */
export interface Requests {
  readonly lock: readonly [path: string, undefined];
  readonly open: readonly [DatabaseFiles, Opened];
  readonly read: readonly [NameRange, readonly StoredRecord[]];
  readonly write: readonly [readonly Change[], undefined];
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

/** Failures of SQLite that the disk or another process causes. All others are caused by the contents of the files. */
const FROM_OUTSIDE = /^SQLITE_(IOERR|CANTOPEN|FULL|BUSY|LOCKED|NOMEM|PERM|PROTOCOL|READONLY)/;

/** The database that a thread has open. */
export function databaseOf(thread: Pick<DatabaseThread, 'ask'>): Database {
  return {
    read: (range) => thread.ask('read', range).catch(rethrow),
    write: (changes) => thread.ask('write', changes).catch(rethrow),
    close: () => thread.ask('close', undefined),
  };
}

/** @throws DamagedState where the contents of the files are at fault, or a disk that did not let them be read: SQLite says the same of both */
export function rethrow(error: unknown): never {
  const code = codeOf(error);
  const isDamage = code === 'EISDIR' || (code.startsWith('SQLITE_') && !FROM_OUTSIDE.test(code));
  throw isDamage ? new DamagedState(`the database is damaged, or cannot be read (${error})`) : error;
}

interface PendingReply {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Requests to the thread that holds a directory, and has its database open; they are answered in their order. */
export class DatabaseThread {
  readonly #worker = new Worker(new URL('./database-thread.js', import.meta.url));
  readonly #pending = new Map<number, PendingReply>();
  #asked = 0;
  /** Why nothing is answered any more. */
  #ended: Error | undefined;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('its thread has ended')));
  }

  ask<Name extends keyof Requests>(request: Name, argument: Requests[Name][0]): Promise<Requests[Name][1]> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#asked += 1;
    const question: ThreadQuestion = { id: this.#asked, request, argument };
    // Only what is waited for keeps the process alive.
    this.#worker.ref();
    this.#worker.postMessage(question);
    return new Promise((resolve, reject) => this.#pending.set(question.id, { resolve, reject }));
  }

  /** Lets go of the directory. */
  release(): Promise<void> {
    return this.ask('unlock', undefined).finally(() => this.end());
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
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

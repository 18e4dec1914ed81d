import { chmod, open as openFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { codeOf, LOCK_FILE, StateInUse, syncDirectory } from './directory.ts';
import { DamagedState, type Database, type NameRange } from './durable.ts';
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

/** The files of the database in a state directory; SQLite adds a log beside the first. */
const DATABASE = 'state.db';
const LAST_COMMIT = 'last-commit';

/** Failures of SQLite that the disk or another process causes. All others are caused by the contents of the files. */
const FROM_OUTSIDE = /^SQLITE_(IOERR|CANTOPEN|FULL|BUSY|LOCKED|NOMEM|PERM|PROTOCOL)/;

/**
 * Holds `directory` for this process, until it is released or the process ends, however that ends. The thread that holds it opens
 * its database. @throws StateInUse
 */
export async function lockDirectory(directory: string): Promise<DatabaseThread> {
  const path = join(directory, LOCK_FILE);
  // Only where it is missing: a file that is closed takes with it all locks of this process on it.
  await writeFile(path, '', { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  // Of a file that can only be read SQLite gives everybody who asks what it calls exclusive.
  await chmod(path, 0o600);
  const thread = new DatabaseThread();
  try {
    await thread.ask('lock', path);
    return thread;
  } catch (error) {
    await thread.end();
    throw codeOf(error) === 'SQLITE_BUSY' ? new StateInUse(directory) : error;
  }
}

/**
 * Opens the database in `directory`, or creates it, readable for its owner alone; `tally` is what all its records should come to.
 * @throws DamagedState where it is not to be trusted, and another Error where the disk refuses
 */
export async function openDatabase(
  thread: Pick<DatabaseThread, 'ask'>,
  directory: string,
): Promise<{ readonly database: Database; readonly tally: RecordTally }> {
  const files = { database: join(directory, DATABASE), lastCommit: join(directory, LAST_COMMIT) };
  // SQLite gives its other files the rights of this one.
  await (await openFile(files.database, 'a', 0o600)).close();
  await chmod(files.database, 0o600);
  const { held, promised, tally } = await thread.ask('open', files).catch(rethrow);
  const database: Database = {
    read: (range) => thread.ask('read', range).catch(rethrow),
    write: (changes) => thread.ask('write', changes),
    close: () => thread.ask('close', undefined),
  };
  try {
    if (Number.isNaN(promised)) throw new DamagedState('the number of its last commit is damaged');
    if (!(held >= promised)) throw new DamagedState(`it ends with commit ${held} of ${promised}`);
    await syncDirectory(directory);
    return { database, tally };
  } catch (error) {
    // Why it is not opened says more than why it is not closed.
    await database.close().catch(() => undefined);
    throw error;
  }
}

function rethrow(error: unknown): never {
  const code = codeOf(error);
  const isDamage = code === 'EISDIR' || (code.startsWith('SQLITE_') && !FROM_OUTSIDE.test(code));
  throw isDamage ? new DamagedState(`the database is damaged (${error})`) : error;
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

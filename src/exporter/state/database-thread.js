// @ts-check
// JavaScript, because a thread loads its file as it lies, and Node.js 20 cannot load TypeScript from src.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import Sqlite from 'libsql';

/** @import { StoredRecord } from './records.ts' */
/** @import { Requests, ThreadAnswer, ThreadQuestion } from './sqlite.ts' */

// A commit to a write-ahead log is one write and one fsync. Under an exclusive lock SQLite keeps the log's index on the
// heap: the shared memory file that it would use otherwise can end the process (SIGBUS) where its disk fails.
const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 256`;
// Names are bytes: libsql ends the process where a text is no UTF-8.
const TABLE =
  'CREATE TABLE IF NOT EXISTS records (name BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID, STRICT';
const RANGE = 'SELECT name, value FROM records WHERE name >= ? AND name < ? ORDER BY name LIMIT ?';
const ONE = 'SELECT name, value FROM records WHERE name = ?';
const PUT = 'INSERT OR REPLACE INTO records VALUES (?, ?)';
const REMOVE = 'DELETE FROM records WHERE name = ?';

/** Time to wait (ms) for a process that is ending. */
const LOCK_TIMEOUT_MS = 500;

/** @type {Sqlite.Database} */
let lock;
/** @type {Sqlite.Database} */
let database;
/** @type {{ path: string, dev: number, ino: number }} */
let file;

/**
 * Opens a file by SQLite's own file system. The one that libsql takes by itself, for encryption, tells of no read that has failed:
 * whatever the memory held then went on as if it were the file's, also into the file.
 * @param {string} path
 * @param {number} timeout for how long (ms) to wait for a lock
 */
function openFile(path, timeout) {
  const vfs = process.platform === 'win32' ? 'win32' : 'unix';
  return new Sqlite(`${pathToFileURL(path)}?vfs=${vfs}`, { timeout });
}

/**
 * The first value that a statement finds.
 * @param {string} statement
 */
function firstOf(statement) {
  return Object.values(/** @type {object} */ (database.prepare(statement).get()))[0];
}

/** @param {string} name */
const bytesOf = (name) => Buffer.from(name, 'latin1');

/**
 * The records that a statement finds.
 * @param {Sqlite.Statement} statement
 * @param {unknown[]} parameters
 * @returns {StoredRecord[]}
 */
function select(statement, ...parameters) {
  // In an array: bytes alone are taken for parameters by name, and end the process.
  const rows = /** @type {{ name: ArrayBuffer, value: ArrayBuffer }[]} */ (statement.all(parameters));
  return rows.map(({ name, value }) => ({
    name: Buffer.from(name).toString('latin1'),
    bytes: new Uint8Array(value),
  }));
}

/** SQLite goes on to write to a file that was removed, or that lies below a new mount; nobody would find it again. */
function refuseOtherFile() {
  const { dev, ino } = statSync(file.path);
  if (dev !== file.dev || ino !== file.ino)
    throw new Error(`${file.path} was replaced while it was in use: start again`);
}

/** Nothing of the write stays. Emptying the log may make the room that the next one needs. */
function rollBack() {
  for (const statement of ['ROLLBACK', 'PRAGMA wal_checkpoint(TRUNCATE)']) {
    try {
      database.exec(statement);
    } catch {
      // Nothing to roll back, or the disk refuses this too: the failure of the write itself is what counts.
    }
  }
}

/** @type {{ [Name in keyof Requests]: (argument: Requests[Name][0]) => Requests[Name][1] }} */
const answers = {
  lock(path) {
    lock = openFile(path, LOCK_TIMEOUT_MS);
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  },
  open({ path, format }) {
    database = openFile(path, 0);
    try {
      database.exec(SETTINGS);
      const found = firstOf('PRAGMA quick_check(1)');
      if (found !== 'ok') throw Object.assign(new Error(String(found)), { code: 'SQLITE_CORRUPT' });
      // Files that may only be read are found at once.
      database.exec('BEGIN IMMEDIATE');
      if (firstOf('SELECT count(*) FROM sqlite_schema') === 0)
        database.exec(`${TABLE}; PRAGMA user_version = ${format}`);
      database.exec('COMMIT');
      const { dev, ino } = statSync(path);
      file = { path, dev, ino };
      return Number(firstOf('PRAGMA user_version'));
    } catch (error) {
      database.close();
      throw error;
    }
  },
  range: ({ from, until, limit }) => select(database.prepare(RANGE), bytesOf(from), bytesOf(until), limit),
  read(names) {
    const one = database.prepare(ONE);
    return names.flatMap((name) => select(one, bytesOf(name)));
  },
  write(changes) {
    refuseOtherFile();
    try {
      database.exec('BEGIN IMMEDIATE');
      // Prepared anew: a statement that has failed answers what it was asked before.
      const [put, remove] = [database.prepare(PUT), database.prepare(REMOVE)];
      for (const [name, bytes] of changes)
        if (bytes) put.run([bytesOf(name), Buffer.from(bytes)]);
        else remove.run([bytesOf(name)]);
      database.exec('COMMIT');
    } catch (error) {
      rollBack();
      throw error;
    }
  },
  readFiles(folder) {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile()) readFileSync(join(folder, entry.name));
  },
  close() {
    rollBack();
    database.close();
  },
  unlock() {
    lock.close();
  },
};

/**
 * @param {ThreadQuestion} question
 * @returns {ThreadAnswer}
 */
function answer({ id, request, argument }) {
  try {
    const result = /** @type {(argument: unknown) => unknown} */ (answers[request])(argument);
    return { id, result };
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    return { id, failure: { message, code } };
  }
}

parentPort?.on('message', (question) => parentPort?.postMessage(answer(question)));

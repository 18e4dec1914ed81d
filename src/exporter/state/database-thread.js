// @ts-check
// JavaScript, because a thread loads its file unchanged, and Node.js 20 cannot load TypeScript from src.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import Sqlite from 'libsql';

/** @import { StoredRecord } from './records.ts' */
/** @import { Requests, ThreadAnswer, ThreadQuestion } from './sqlite.ts' */

// A commit to a write-ahead log is one write and one fsync. Under an exclusive lock, SQLite stores the log's index on the heap.
// Otherwise it uses a shared memory file, which can crash the process (SIGBUS) if its disk fails.
const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 256`;
// Names are bytes, because libsql crashes the process on a text that is not UTF-8.
const TABLE =
  'CREATE TABLE IF NOT EXISTS records (name BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID, STRICT';
const RANGE = 'SELECT name, value FROM records WHERE name >= ? AND name < ? ORDER BY name LIMIT ?';
const ONE = 'SELECT name, value FROM records WHERE name = ?';
const PUT = 'INSERT OR REPLACE INTO records VALUES (?, ?)';
const REMOVE = 'DELETE FROM records WHERE name = ?';

/** Time (ms) to wait for the lock of a process that is ending. */
const LOCK_TIMEOUT_MS = 500;

/** @type {Sqlite.Database} */
let lock;
/** @type {Sqlite.Database} */
let database;
/** @type {{ path: string, dev: number, ino: number }} */
let file;

/**
 * Opens a file with SQLite's own file system. libsql's default one, for encryption, does not report failed reads. After a failed
 * read, arbitrary memory counts as file content, and is even written back.
 * @param {string} path
 * @param {number} timeout time (ms) to wait for a lock
 */
function openFile(path, timeout) {
  const vfs = process.platform === 'win32' ? 'win32' : 'unix';
  return new Sqlite(`${pathToFileURL(path)}?vfs=${vfs}`, { timeout });
}

/**
 * Returns the first value that a statement finds.
 * @param {string} statement
 */
function firstOf(statement) {
  return Object.values(/** @type {object} */ (database.prepare(statement).get()))[0];
}

/** @param {string} name */
const bytesOf = (name) => Buffer.from(name, 'latin1');

/**
 * Returns the records that a statement finds.
 * @param {Sqlite.Statement} statement
 * @param {unknown[]} parameters
 * @returns {StoredRecord[]}
 */
function select(statement, ...parameters) {
  // In an array: libsql takes a single buffer for named parameters, and crashes the process.
  const rows = /** @type {{ name: ArrayBuffer, value: ArrayBuffer }[]} */ (statement.all(parameters));
  return rows.map(({ name, value }) => ({
    name: Buffer.from(name).toString('latin1'),
    bytes: new Uint8Array(value),
  }));
}

/**
 * Throws if the database file was removed or is hidden by a new mount. SQLite would continue to write to a file that nobody would
 * find again.
 */
function refuseOtherFile() {
  const { dev, ino } = statSync(file.path);
  if (dev !== file.dev || ino !== file.ino)
    throw new Error(`${file.path} was replaced while it was in use: start again`);
}

/** Rolls the write back. Truncating the log may free the space that the next write needs. */
function rollBack() {
  for (const statement of ['ROLLBACK', 'PRAGMA wal_checkpoint(TRUNCATE)']) {
    try {
      database.exec(statement);
    } catch {
      // Nothing to roll back, or the disk refuses this too: only the failure of the write itself is reported.
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
      // Detects read-only files at once.
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
      // Prepared again for each write: a statement that has failed would repeat its former result.
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

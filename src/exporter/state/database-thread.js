// @ts-check
// JavaScript, because a thread loads its file as it lies, and Node.js 20 cannot load TypeScript from src.
import { closeSync, constants, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import Sqlite from 'libsql';

/** @import { NameRange } from './database.ts' */
/** @import { DatabaseFiles, RecordTally, Requests, ThreadAnswer, ThreadQuestion } from './database-requests.ts' */
/** @import { Change, StoredRecord } from './records.ts' */

// A commit to a write-ahead log is one write and one fsync. Under an exclusive lock SQLite keeps the log's index on the
// heap: the shared memory file that it would use otherwise can end the process (SIGBUS) where its disk fails.
const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 256`;
const TABLES = `
  CREATE TABLE IF NOT EXISTS record (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS commits (number INTEGER NOT NULL, records INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT;
  INSERT INTO commits SELECT 0, 0, 0 WHERE NOT EXISTS (SELECT * FROM commits)`;
/** Every number has as many digits, so that it is replaced in place: on a full disk too. */
const NUMBER_DIGITS = 16;

/** The database on disk, as a thread of its own sees it: a disk that is slow or hangs holds up nothing else. */
class Database {
  /**
   * @param {Sqlite.Database} sqlite
   * @param {DatabaseFiles} files
   */
  constructor(sqlite, { database, lastCommit }) {
    this.path = database;
    this.sqlite = sqlite;
    this.sqlite.exec(SETTINGS);
    const { quick_check: found } = this.row('PRAGMA quick_check(1)');
    if (found !== 'ok') throw damage(String(found));
    this.sqlite.exec(TABLES);
    const { number, records, sum } = this.row('SELECT number, records, sum FROM commits');
    this.held = Number(number);
    this.tally = { records: Number(records), sum: Number(sum) };
    this.lastCommit = openSync(lastCommit, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.promised = this.promisedNumber();
    this.file = statSync(database);
    /** @type {ReturnType<typeof prepare> | undefined} */
    this.prepared = undefined;
  }

  get statements() {
    this.prepared ??= prepare(this.sqlite);
    return this.prepared;
  }

  /** One that has failed is not asked again: libsql would answer what it had been asked before, and the tally would be wrong. */
  forgetStatements() {
    this.prepared = undefined;
  }

  /**
   * @param {NameRange} range
   * @returns {StoredRecord[]}
   */
  read({ from, until, limit }) {
    const { select } = this.statements;
    const rows = /** @type {{ text: ArrayBuffer, value: ArrayBuffer }[]} */ (select.all(from, until, limit));
    return rows.map(({ text, value }) => {
      const name = nameOf(text);
      if (value instanceof ArrayBuffer) return { name, bytes: new Uint8Array(value) };
      throw damage(`no record: ${name}`);
    });
  }

  /**
   * @param {string} question
   * @returns {Record<string, unknown>}
   */
  row(question) {
    return /** @type {Record<string, unknown> | undefined} */ (this.sqlite.prepare(question).get()) ?? {};
  }

  /** How many commits there must be at least; NaN where that is not known. */
  promisedNumber() {
    const text = readFileSync(this.lastCommit, 'latin1');
    if (text === '' && this.held === 0) {
      this.promise();
      fsyncSync(this.lastCommit);
      return 0;
    }
    return new RegExp(`^\\d{${NUMBER_DIGITS}}$`).test(text) ? Number(text) : Number.NaN;
  }

  /**
   * @param {readonly Change[]} changes
   * @returns {undefined}
   */
  write(changes) {
    this.refuseOtherFile();
    let tally = this.tally;
    try {
      this.sqlite.exec('BEGIN IMMEDIATE');
      for (const change of changes) tally = this.change(change, tally);
      this.statements.count.run(this.held + 1, tally.records, tally.sum);
      this.sqlite.exec('COMMIT');
    } catch (error) {
      this.rollBack();
      throw error;
    }
    this.held += 1;
    this.tally = tally;
    try {
      this.promise();
    } catch {
      // The commit stands; a number that is too low only notices less.
    }
  }

  /**
   * The tally after the change. It reveals a page with the content of another or an older page, though each record is intact.
   * @param {Change} change
   * @param {RecordTally} tally
   * @returns {RecordTally}
   */
  change([name, bytes], { records, sum }) {
    const before = /** @type {{ value: ArrayBuffer } | undefined} */ (this.statements.before.get(name));
    if (bytes) this.statements.put.run(name, Buffer.from(bytes));
    else this.statements.remove.run(name);
    return {
      records: records - Number(before !== undefined) + Number(bytes !== undefined),
      sum: (sum - checksum(before && new Uint8Array(before.value)) + checksum(bytes)) >>> 0,
    };
  }

  /** Nothing of the write stays. Emptying the log may make the room that the next one needs. */
  rollBack() {
    for (const statement of ['ROLLBACK', 'PRAGMA wal_checkpoint(TRUNCATE)']) {
      try {
        this.sqlite.exec(statement);
      } catch {
        // Nothing to roll back, or the disk refuses this too: the failure of the write itself is what counts.
      }
    }
  }

  /**
   * Notes, once a commit is durable, that it happened. SQLite takes a log with a damaged frame for one that ends there,
   * and would give an older state for the newest. No fsync: after a loss of power the number may be too low, never too high.
   */
  promise() {
    writeSync(this.lastCommit, String(this.held).padStart(NUMBER_DIGITS, '0'), 0);
  }

  /** SQLite goes on to write to a file that was removed, or that lies below a new mount; nobody would find it again. */
  refuseOtherFile() {
    const { dev, ino } = statSync(this.path);
    if (dev !== this.file.dev || ino !== this.file.ino) {
      throw new Error(`${this.path} was replaced while it was in use: start again`);
    }
  }

  /** @returns {undefined} */
  close() {
    this.rollBack();
    this.sqlite.close();
    closeSync(this.lastCommit);
  }
}

/** @param {Sqlite.Database} sqlite */
function prepare(sqlite) {
  return {
    // As bytes: libsql ends the process where a text is no UTF-8.
    select: sqlite.prepare(
      'SELECT CAST(name AS BLOB) AS text, value FROM record WHERE name >= ? AND name < ? ORDER BY name LIMIT ?',
    ),
    put: sqlite.prepare('INSERT OR REPLACE INTO record VALUES (?, ?)'),
    remove: sqlite.prepare('DELETE FROM record WHERE name = ?'),
    before: sqlite.prepare('SELECT value FROM record WHERE name = ?'),
    count: sqlite.prepare('UPDATE commits SET number = ?, records = ?, sum = ?'),
  };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param {ArrayBuffer} text */
function nameOf(text) {
  try {
    return UTF8.decode(text);
  } catch {
    throw damage('a name that is no text');
  }
}

/** @param {string} found */
function damage(found) {
  return Object.assign(new Error(found), { code: 'SQLITE_CORRUPT' });
}

/**
 * The checksum with which a record begins.
 * @param {Uint8Array | undefined} bytes
 */
function checksum(bytes) {
  return bytes === undefined ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

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

/** How long (ms) to wait for a process that is ending. */
const LOCK_TIMEOUT_MS = 500;

/** @type {Sqlite.Database} */
let lock;

/** @type {Database} */
let database;

/** @type {{ [Name in keyof Requests]: (argument: Requests[Name][0]) => Requests[Name][1] }} */
const answers = {
  lock(path) {
    lock = openFile(path, LOCK_TIMEOUT_MS);
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  },
  open(files) {
    const sqlite = openFile(files.database, 0);
    try {
      database = new Database(sqlite, files);
    } catch (error) {
      sqlite.close();
      throw error;
    }
    return { held: database.held, promised: database.promised, tally: database.tally };
  },
  read: (range) => database.read(range),
  write: (changes) => database.write(changes),
  close: () => database.close(),
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
    database?.forgetStatements();
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    return { id, failure: { message, code } };
  }
}

parentPort?.on('message', (question) => parentPort?.postMessage(answer(question)));

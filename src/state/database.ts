import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { syncDirectory } from './directory.ts';
import type { RawRecord } from './probe.ts';
import { storedChecksum } from './record.ts';
import { EMPTY_TALLY, retally, sealTally, TALLY_KEY, type Tally } from './tally.ts';

/** A record's new bytes by its name; undefined removes it. */
export type Changes = ReadonlyMap<string, Buffer | undefined>;

/** The records on disk. */
export interface Database {
  get(name: string): Buffer | undefined;
  namesUnder(prefix: string): string[];
  /**
   * Resolves once all the changes are on disk; rejects where none is. Must not be called while another call
   * is under way.
   */
  write(changes: Changes): Promise<void>;
  close(): Promise<void>;
}

/**
 * A new database at `path` that holds `records`. The file there before is replaced in one step, never opened:
 * what damage its unused pages may hold cannot be met later.
 */
export async function rebuildDatabase(path: string, records: readonly RawRecord[]): Promise<Database> {
  const unready = `${path}.next`;
  for (const file of [unready, `${unready}-lock`, `${path}-lock`]) await rm(file, { force: true });
  const tally = await fill(unready, records);
  await rename(unready, path);
  await rm(`${unready}-lock`, { force: true });
  await syncDirectory(dirname(path));
  return databaseOf(openLmdb(path), tally);
}

/**
 * Without `overlappingSync` LMDB makes nothing visible that is not yet on disk. With `eventTurnBatching` it
 * would keep a promise to itself, whose rejection on a full disk would end the process.
 */
function openLmdb(path: string) {
  return open<Buffer, Buffer>({
    path,
    noSubdir: true,
    maxDbs: 1,
    overlappingSync: false,
    eventTurnBatching: false,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
}

async function fill(path: string, records: readonly RawRecord[]): Promise<Tally> {
  const lmdb = openLmdb(path);
  try {
    let tally = EMPTY_TALLY;
    lmdb.transactionSync(() => {
      for (const { name, bytes } of records) {
        lmdb.putSync(Buffer.from(name), bytes);
        tally = retally(tally, undefined, storedChecksum(bytes));
      }
      lmdb.putSync(Buffer.from(TALLY_KEY), sealTally(tally));
    });
    return tally;
  } finally {
    await lmdb.close();
  }
}

function databaseOf(lmdb: RootDatabase<Buffer, Buffer>, initial: Tally): Database {
  let tally = initial;
  const get = (name: string) => lmdb.getBinary(Buffer.from(name));
  return {
    get,
    namesUnder(prefix) {
      const range = lmdb.getKeys({ start: Buffer.from(prefix || '\x01'), end: endOfPrefix(prefix) });
      return [...range].map((key) => key.toString('latin1')).filter((name) => name !== TALLY_KEY);
    },
    async write(changes) {
      const next = tallyAfter(tally, changes, get);
      await writeTogether(lmdb, [...changes, [TALLY_KEY, sealTally(next)]]);
      tally = next;
      lmdb.resetReadTxn();
    },
    close: () => lmdb.close(),
  };
}

/** The first name after all that begin with `prefix`: '0' follows '/', which closes every part of a key. */
function endOfPrefix(prefix: string): Buffer {
  return prefix === '' ? Buffer.from([0xff]) : Buffer.from(`${prefix.slice(0, -1)}0`);
}

function tallyAfter(tally: Tally, changes: Changes, get: (name: string) => Buffer | undefined): Tally {
  let next = tally;
  for (const [name, bytes] of changes) {
    const before = get(name);
    next = retally(next, before && storedChecksum(before), bytes && storedChecksum(bytes));
  }
  return next;
}

async function writeTogether(
  lmdb: RootDatabase<Buffer, Buffer>,
  changes: readonly (readonly [name: string, bytes: Buffer | undefined])[],
): Promise<void> {
  try {
    await lmdb.batch(() => {
      for (const [name, bytes] of changes) {
        const key = Buffer.from(name);
        if (bytes) lmdb.put(key, bytes);
        else lmdb.remove(key);
      }
    });
  } catch (error) {
    takeCause(error);
    throw error;
  }
}

/**
 * LMDB gives the cause of a failed commit as a second rejected promise, which needs a taker or would end the
 * process.
 */
function takeCause(error: unknown): void {
  if (!(error instanceof Error && 'commitError' in error)) return;
  Promise.resolve(error.commitError).catch((cause: unknown) => {
    error.cause = cause;
  });
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedState, type StoredRecord } from '../database.ts';
import { isIntact, storedChecksum, unsealRecord } from '../records.ts';
import { lmdbRecords } from './lmdb-file.ts';

/** The database of format 1, written by LMDB. */
export const FORMAT_1_DATABASE = 'counters.mdb';

/** Holds how many records there are, and the sum of their checksums modulo 2^32. */
const TALLY_KEY = 'tally';

/**
 * The records of a state of format 1; none where it has no database. Reading the file ourselves is safer than LMDB,
 * which maps it into memory and can end the process on a damaged one; the tally proves that all was read.
 * @throws DamagedState when they are not what the last commit left
 */
export async function readFormat1(directory: string): Promise<readonly StoredRecord[]> {
  const file = await readFile(join(directory, FORMAT_1_DATABASE)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return file === undefined ? [] : checkedRecords(file);
}

function checkedRecords(file: Buffer): StoredRecord[] {
  const found = allRecords(file);
  const records = found.filter(({ name }) => name !== TALLY_KEY);
  const tally = found.find(({ name }) => name === TALLY_KEY);
  if (!tally || !found.every(({ name, bytes }) => isIntact(name, bytes))) {
    throw new DamagedState('records in the database are damaged');
  }
  const sum = records.reduce((all, { bytes }) => (all + storedChecksum(bytes)) >>> 0, 0);
  const [expectedRecords, expectedSum] = tallyOf(tally);
  if (expectedRecords !== records.length || expectedSum !== sum) {
    throw new DamagedState('the records in the database are not those of its last commit');
  }
  return records;
}

function allRecords(file: Buffer): StoredRecord[] {
  try {
    return [...lmdbRecords(file)];
  } catch (error) {
    if (error instanceof RangeError) throw new DamagedState(`the database cannot be read (${error.message})`);
    throw error;
  }
}

function tallyOf({ bytes }: StoredRecord): readonly unknown[] {
  const value = unsealRecord(bytes);
  return Array.isArray(value) ? value : [];
}

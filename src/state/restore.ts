import { DamagedState, probeDatabase, type RawRecord } from './probe.ts';
import { actualChecksum, isIntact, storedChecksum } from './record.ts';
import { EMPTY_TALLY, equalTallies, openTally, retally, TALLY_KEY } from './tally.ts';

/** What a database holds that can be trusted. */
export interface Restored {
  readonly records: readonly RawRecord[];
  /** Records left out because a bit of them had changed. */
  readonly dropped: number;
}

/**
 * Reads the database at `path` and judges it: single changed records are left out, but where the whole is not
 * what the last commit left (a record missing, doubled or from an older commit) it throws `DamagedState`.
 */
export async function restoreRecords(path: string): Promise<Restored> {
  return judgeRecords(probeDatabase(path));
}

export async function judgeRecords(found: AsyncIterable<RawRecord>): Promise<Restored> {
  const records: RawRecord[] = [];
  let dropped = 0;
  let expected = undefined as ReturnType<typeof openTally>;
  // A changed bit lies either in a record or in its checksum; one of the two sums still agrees.
  let stored = EMPTY_TALLY;
  let actual = EMPTY_TALLY;
  for await (const record of found) {
    if (record.name === TALLY_KEY) {
      expected = openTally(record.bytes);
      continue;
    }
    stored = retally(stored, undefined, storedChecksum(record.bytes));
    actual = retally(actual, undefined, actualChecksum(record.name, record.bytes));
    if (isIntact(record.name, record.bytes)) records.push(record);
    else dropped++;
  }
  if (!expected) throw new DamagedState('the database has lost its tally');
  if (!equalTallies(expected, stored) && !equalTallies(expected, actual)) {
    throw new DamagedState('the records in the database are not those of its last commit');
  }
  return { records, dropped };
}

import { type Change, canDecode, endOfPrefix, Records, type StoredRecord, textOfKey } from './records.ts';
import { QUEUE } from './state.ts';

/** The answer to a write was lost: whether it took effect is not known. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** Failure of a database whose contents are not what was written. */
export class DamagedState extends Error {
  override readonly name = 'DamagedState';
}

/** The first `limit` records, in the order of their names, from `from` (included) to `until` (not included). */
export interface NameRange {
  readonly from: string;
  readonly until: string;
  readonly limit: number;
}

/**
 * Storage behind `DurableState`, SQLite or PostgreSQL. Nobody else uses it while it is open. Names are ordered by their
 * bytes. Writes never overlap each other; reads may overlap a write.
 */
export interface Database {
  range(range: NameRange): Promise<readonly StoredRecord[]>;
  /** The records of these names, as far as there are any, in any order. */
  read(names: readonly string[]): Promise<readonly StoredRecord[]>;
  /** Resolves once all changes are durable. Rejects if none is, or with `OutcomeUnknown`. */
  write(changes: readonly Change[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Database with all of its records in memory, except queues. */
export interface LoadedDatabase {
  readonly database: Database;
  readonly records: Records;
  /** Number of records that cannot be decoded and were set aside now. */
  readonly damaged: number;
}

/** Prefix of names that `Records` do not hold. */
export const QUEUE_NAMES = textOfKey([QUEUE]);

/** Prefix of the names of records that were set aside. */
const DAMAGED_NAMES = textOfKey(['damaged']);

/** Number of records read at once: a few milliseconds of work, within the limits of one statement. */
const BATCH = 1_000;

/** Loads all records except those of queues. Sets records that cannot be decoded aside under another name. */
export async function load(database: Database): Promise<LoadedDatabase> {
  const records = new Records();
  const damaged: Change[] = [];
  for (const [from, until] of [
    ['', QUEUE_NAMES],
    [endOfPrefix(QUEUE_NAMES), endOfPrefix('')],
  ] as const)
    for await (const { name, bytes } of everyRecord(database, from, until)) {
      if (name.startsWith(DAMAGED_NAMES)) continue;
      if (canDecode(bytes)) records.apply([[name, bytes]]);
      else damaged.push([name, undefined], [DAMAGED_NAMES + name, bytes]);
    }
  if (damaged.length > 0) await database.write(damaged);
  return { database, records, damaged: damaged.length / 2 };
}

/** Returns a note about records set aside; undefined if there are none. */
export function damageNote({ damaged }: LoadedDatabase, location: string): string | undefined {
  if (damaged === 0) return undefined;
  return `${damaged} records of the state in ${location} cannot be decoded and were set aside: their counters start from zero`;
}

async function* everyRecord(
  database: Pick<Database, 'range'>,
  start: string,
  until: string,
): AsyncGenerator<StoredRecord, void> {
  for (let from = start; ; ) {
    const batch = await database.range({ from, until, limit: BATCH });
    yield* batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return;
    from = behind(last.name);
  }
}

/** The beginning of all names after this one: names have no blank, which sorts before all their characters. */
export function behind(name: string): string {
  return `${name} `;
}

import { type Change, canDecode, endOfPrefix, Records, type StoredRecord, textOfKey } from './records.ts';
import { QUEUE } from './state.ts';

/** Error for a write whose response was lost, so that its effect is unknown. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** Error for a database whose contents differ from what was written. */
export class DamagedState extends Error {
  override readonly name = 'DamagedState';
}

/** Range of record names in their order, from `from` (inclusive) to `until` (exclusive), with at most `limit` records. */
export interface NameRange {
  readonly from: string;
  readonly until: string;
  readonly limit: number;
}

/**
 * Storage behind `DurableState`: SQLite or PostgreSQL. While it is open, nobody else uses it. Names are ordered by their bytes.
 * Writes never overlap each other; reads may overlap a write.
 */
export interface Database {
  range(range: NameRange): Promise<readonly StoredRecord[]>;
  /** Returns the existing records with these names, in any order. */
  read(names: readonly string[]): Promise<readonly StoredRecord[]>;
  /** Resolves once all changes are durable. Rejects if none is, or with `OutcomeUnknown`. */
  write(changes: readonly Change[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Database with all of its records in memory, except queues. */
export interface LoadedDatabase {
  readonly database: Database;
  readonly records: Records;
  /** Number of records that could not be decoded and were renamed by this load. */
  readonly damaged: number;
}

/** Prefix of names that `Records` does not contain. */
export const QUEUE_NAMES = textOfKey([QUEUE]);

/** Prefix of the names of records that could not be decoded. */
const DAMAGED_NAMES = textOfKey(['damaged']);

/** Number of records read at once: a few milliseconds of work, within the limits of one statement. */
const BATCH = 1_000;

/** Loads all records except those of queues. Renames records that cannot be decoded, so that they are ignored. */
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

/** Returns a note about records that could not be decoded; undefined if there are none. */
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

/** Returns a text that sorts directly after this name. Names contain no blank, which sorts before all their characters. */
export function behind(name: string): string {
  return `${name} `;
}

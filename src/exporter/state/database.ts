import { type Change, endOfPrefix, type StoredRecord } from './records.ts';

/** The answer to a write was lost: whether it took effect is not known. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The first `limit` records, in the order of their names, from `from` (included) to `until` (not included). */
export interface NameRange {
  readonly from: string;
  readonly until: string;
  readonly limit: number;
}

/**
 * The storage behind `DurableState`: each place for state implements it. Nobody else may use the place while it is open.
 * Names are ordered by their bytes; writes never overlap, but reads may overlap a write.
 */
export interface Database {
  read(range: NameRange): Promise<readonly StoredRecord[]>;
  /** Resolves once all the changes are durable; rejects where none is, or with `OutcomeUnknown`. */
  write(changes: readonly Change[]): Promise<unknown>;
  close(): Promise<void>;
}

/** How many records are read at once: a few milliseconds' work, and no more than one statement can bring. */
const BATCH = 1_000;

/** All records, or those between two names, in the order of their names. */
export async function* everyRecord(
  database: Pick<Database, 'read'>,
  { from, until } = { from: '', until: endOfPrefix('') },
): AsyncGenerator<StoredRecord, void> {
  let batch: readonly StoredRecord[] = [];
  do {
    const last = batch.at(-1);
    batch = await database.read({ from: last ? `${last.name}\0` : from, until, limit: BATCH });
    yield* batch;
  } while (batch.length === BATCH);
}

/** What is on disk is not what the last commit left; it is not to be trusted. */
export class DamagedState extends Error {
  override readonly name = 'DamagedState';
}

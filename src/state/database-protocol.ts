/** A record as it lies in the database. */
export interface StoredRecord {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** All records in two numbers: how many there are, and the sum of their checksums modulo 2^32. */
export interface Tally {
  readonly records: number;
  readonly sum: number;
}

/** What a database says of itself. */
export interface Opened {
  /** How many commits it holds. */
  readonly held: number;
  /** How many it should hold at least; NaN where that is not known. */
  readonly promised: number;
  readonly tally: Tally;
}

/** What becomes of a record: its new bytes, or undefined where it is removed. */
export type Change = readonly [name: string, bytes: Uint8Array | undefined];

/** The first `limit` records, in the order of their names, from `from` (included) to `until` (not included). */
export interface Range {
  readonly from: string;
  readonly until: string;
  readonly limit: number;
}

export interface DatabaseFiles {
  readonly database: string;
  /** Holds the number of the last commit, outside of the database. */
  readonly lastCommit: string;
}

/** What the thread of the database is asked for: argument and result of each request. */
export interface Requests {
  readonly open: readonly [DatabaseFiles, Opened];
  readonly read: readonly [Range, readonly StoredRecord[]];
  readonly write: readonly [readonly Change[], undefined];
  readonly close: readonly [undefined, undefined];
}

export interface Question {
  readonly id: number;
  readonly request: keyof Requests;
  readonly argument: unknown;
}

export interface Answer {
  readonly id: number;
  readonly result?: unknown;
  /** `code` is SQLite's or the system's, e.g. SQLITE_FULL or ENOENT. */
  readonly failure?: { readonly message: string; readonly code: string | undefined };
}

import { openRecord, sealRecord } from './record.ts';

/**
 * How many records the database holds, and the sum of their checksums modulo 2^32. It is committed with every
 * change, so that a record that vanished, or an older version of one that came back, is noticed although each
 * one is intact.
 */
export interface Tally {
  readonly records: number;
  readonly sum: number;
}

/** The tally's own key; no state key has this form, each of which ends with a slash. */
export const TALLY_KEY = 'tally';

export const EMPTY_TALLY: Tally = { records: 0, sum: 0 };

/** The tally after a record changed from one checksum to another; undefined stands for no record. */
export function retally(
  { records, sum }: Tally,
  before: number | undefined,
  after: number | undefined,
): Tally {
  return {
    records: records - (before === undefined ? 0 : 1) + (after === undefined ? 0 : 1),
    sum: (sum - (before ?? 0) + (after ?? 0)) >>> 0,
  };
}

export function sealTally(tally: Tally): Buffer {
  return sealRecord(TALLY_KEY, [tally.records, tally.sum]);
}

/** Undefined where the bytes hold no tally. */
export function openTally(bytes: Uint8Array): Tally | undefined {
  const value = openRecord(TALLY_KEY, bytes)?.value;
  if (!Array.isArray(value)) return undefined;
  const [records, sum] = value;
  return typeof records === 'number' && typeof sum === 'number' ? { records, sum } : undefined;
}

export function equalTallies(a: Tally, b: Tally): boolean {
  return a.records === b.records && a.sum === b.sum;
}

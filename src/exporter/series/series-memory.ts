import { MINUTE_MS } from '../settling/window.ts';
import type { StateEntry, StateKey } from '../state/state.ts';
import type { Ledger } from './ledger.ts';
import { isChanged, restoreLedger, storeLedger } from './ledger-record.ts';

/** Memory of one series between polls. A poll replaces it as a whole. */
export interface SeriesMemory {
  readonly ledger: Ledger;
  /** True after the first answer since the start. */
  readonly isRead: boolean;
  /** Time (platform ms) until which catching up pauses, after a read without progress. */
  readonly restsUntil: number;
}

/** Returns the memory from its durable form; an empty one if there is none. */
export function restoreMemory(stored: unknown): SeriesMemory {
  return { ledger: restoreLedger(stored), isRead: false, restsUntil: 0 };
}

/** Returns the entries to commit when one memory replaces another; none if the durable part is unchanged. */
export function entriesOf(key: StateKey, before: SeriesMemory, after: SeriesMemory): StateEntry[] {
  return isChanged(before.ledger, after.ledger) ? [{ key, value: storeLedger(after.ledger) }] : [];
}

/** Time (ms) of answers that shows that a metric exists; a single answer may have come from another source. */
const USUALLY_READ_MS = 30 * MINUTE_MS;

/** Time (ms) without an answer after which a metric counts as removed, not as temporarily missing. */
const LONGEST_OUTAGE_MS = 6 * 60 * MINUTE_MS;

/** Returns true if the platform has answered for a while, and recently. @param now platform ms */
export function isUsuallyRead({ since, reached }: Ledger, now: number): boolean {
  if (since === undefined || reached === undefined) return false;
  return reached - since >= USUALLY_READ_MS && now - reached < LONGEST_OUTAGE_MS;
}

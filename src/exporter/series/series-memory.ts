import { MINUTE_MS } from '../settling/window.ts';
import type { StateEntry, StateKey } from '../state/state.ts';
import type { Ledger } from './ledger.ts';
import { isChanged, restoreLedger, storeLedger } from './ledger-record.ts';

/** Memory of one series between polls. A poll replaces it as a whole. */
export interface SeriesMemory {
  readonly ledger: Ledger;
  /** True after the first answer since the start. */
  readonly isRead: boolean;
  /** Until when (platform ms) catching up rests, after a read that brought nothing. */
  readonly restsUntil: number;
}

/** Returns what the state holds. */
export function restoreMemory(stored: unknown): SeriesMemory {
  return { ledger: restoreLedger(stored), isRead: false, restsUntil: 0 };
}

/** Returns the entries to commit when one memory replaces another; none if the durable part stays the same. */
export function entriesOf(key: StateKey, before: SeriesMemory, after: SeriesMemory): StateEntry[] {
  return isChanged(before.ledger, after.ledger) ? [{ key, value: storeLedger(after.ledger) }] : [];
}

/** An answer for so long (ms) shows that a metric is there; a single one may have been that of another source. */
const USUALLY_READ_MS = 30 * MINUTE_MS;

/** After so long (ms) without an answer a metric is gone rather than away. */
const LONGEST_OUTAGE_MS = 6 * 60 * MINUTE_MS;

/** True if the platform has answered for a while, and not long ago (platform ms). */
export function isUsuallyRead({ since, reached }: Ledger, now: number): boolean {
  if (since === undefined || reached === undefined) return false;
  return reached - since >= USUALLY_READ_MS && now - reached < LONGEST_OUTAGE_MS;
}

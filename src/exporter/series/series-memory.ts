import { type Refusal, refusalEntries, refusalKey, restoreRefusal } from '../poll/job.ts';
import { MINUTE_MS } from '../settling/window.ts';
import type { StateEntry, StateKey } from '../state/state.ts';
import type { Ledger } from './ledger.ts';
import { isChanged, restoreLedger, storeLedger } from './ledger-record.ts';

/** Memory of one metric of one target between polls. A poll replaces it as a whole. */
export interface SeriesMemory {
  readonly ledger: Ledger;
  /** Set while the platform refuses to read it, as missing or forbidden. */
  readonly refusal: Refusal | undefined;
  /** Until when (platform ms) catching up rests, after a read that brought nothing. */
  readonly restsUntil: number;
}

/** Returns what the state holds. @param stored returns the value of a key */
export function restoreMemory(key: StateKey, stored: (key: StateKey) => unknown): SeriesMemory {
  return {
    ledger: restoreLedger(stored(key)),
    refusal: restoreRefusal(stored(refusalKey(key))),
    restsUntil: 0,
  };
}

/** Returns what is to be committed when one memory replaces another; nothing if what is durable stays the same. */
export function entriesOf(key: StateKey, before: SeriesMemory, after: SeriesMemory): StateEntry[] {
  return [
    ...(isChanged(before.ledger, after.ledger) ? [{ key, value: storeLedger(after.ledger) }] : []),
    ...refusalEntries(refusalKey(key), before.refusal, after.refusal),
  ];
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

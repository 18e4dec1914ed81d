import { refusalKey } from '../poll/refusals.ts';
import type { State, StateKey, StateReader } from '../state/state.ts';
import { restoreLedger } from './ledger-record.ts';

/**
 * Counters that nothing reads are kept for so long after they stopped: three times as long as the platform's
 * history reaches, so that every counter that can still continue is kept.
 */
const KEPT_MS = 90 * 24 * 3_600_000;

/** Counters that are being kept: their key, and up to where they have counted (undefined: nothing yet). */
export interface KeptCounters {
  readonly key: StateKey;
  readonly watermark: number | undefined;
}

/**
 * Removes, in one commit, the counters that are not kept and have fallen far behind those that are; where none is kept,
 * none is removed. The clock does not matter. A counter that comes back begins anew, so that no bucket counts twice.
 * @throws StateWriteFailure when nothing was removed
 */
export async function pruneCounters(
  state: Pick<State, 'get' | 'keys' | 'commit' | 'kind'>,
  kept: Iterable<KeptCounters>,
): Promise<void> {
  const records = fallenBehind(state, kept).flatMap((key) => [key, refusalKey(key)]);
  await state.commit(records.map((key) => ({ key, value: undefined })));
}

/** Returns the keys to remove. */
function fallenBehind(state: StateReader, kept: Iterable<KeptCounters>): StateKey[] {
  const names = new Set<string>();
  let newest = Number.NEGATIVE_INFINITY;
  for (const { key, watermark } of kept) {
    names.add(nameOf(key));
    newest = Math.max(newest, watermark ?? newest);
  }
  const before = newest - KEPT_MS;
  const isFallen = (key: StateKey) => !names.has(nameOf(key)) && hasFallenBehind(state.get(key), before);
  return [...state.keys(['series'])].filter(isFallen);
}

/** Entries that are no counters, of another version perhaps, are left alone. */
function hasFallenBehind(stored: unknown, time: number): boolean {
  const { since, dimensions } = restoreLedger(stored);
  if (since === undefined || since >= time) return false;
  return [...dimensions.values()].every(({ counter }) => counter === undefined || counter.watermark < time);
}

function nameOf(key: StateKey): string {
  return JSON.stringify(key);
}

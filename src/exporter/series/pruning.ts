import { refusalKey } from '../poll/refusals.ts';
import type { State, StateKey, StateReader } from '../state/state.ts';
import { restoreLedger } from './ledger-record.ts';

/**
 * Time (ms) behind the newest counter after which unused counters are removed. It is three times the platform's history, so that
 * every counter that can still continue stays.
 */
const KEPT_MS = 90 * 24 * 3_600_000;

/** Counters in use: their key, and the time up to which they are complete (undefined before anything is counted). */
export interface KeptCounters {
  readonly key: StateKey;
  readonly watermark: number | undefined;
}

/**
 * Removes unused counters that are far behind those in use, in one commit; none if no counter is in use. The machine's clock is
 * irrelevant. A removed counter that is needed again starts anew, so that no bucket counts twice.
 * @throws StateWriteFailure if nothing was removed
 */
export async function pruneCounters(
  state: Pick<State, 'get' | 'keys' | 'commit' | 'kind'>,
  kept: Iterable<KeptCounters>,
): Promise<void> {
  const records = fallenBehind(state, kept).flatMap((key) => [key, refusalKey(key)]);
  await state.commit(records.map((key) => ({ key, value: undefined })));
}

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

/**
 * Returns true if all counters of an entry are older than a time. Entries that are invalid, such as those of another version,
 * stay.
 */
function hasFallenBehind(stored: unknown, time: number): boolean {
  const { since, dimensions } = restoreLedger(stored);
  if (since === undefined || since >= time) return false;
  return [...dimensions.values()].every(({ counter }) => counter === undefined || counter.watermark < time);
}

function nameOf(key: StateKey): string {
  return JSON.stringify(key);
}

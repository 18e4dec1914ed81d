import { refusalKey } from '../poll/job.ts';
import { madeInSlices } from '../slices.ts';
import type { State, StateKey, StateReader } from '../state/state.ts';
import { restoreLedger } from './ledger-record.ts';

/**
 * Counters that nothing reads are kept for so long after they stopped: three times as long as the platform's
 * history reaches, so that none is missed that could be counted on from where it stopped.
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
  const { keys, before } = await madeInSlices(fallenBehind(state, kept));
  // One may have come back while the others were looked at.
  const fallen = keys.filter((key) => hasFallenBehind(state.get(key), before));
  const records = fallen.flatMap((key) => [key, refusalKey(key)]);
  await state.commit(records.map((key) => ({ key, value: undefined })));
}

/** The keys of those that are to be removed, whose watermarks are all `before` a time: one of the kept, or of all, a step. */
function* fallenBehind(
  state: StateReader,
  kept: Iterable<KeptCounters>,
): Generator<undefined, { readonly keys: readonly StateKey[]; readonly before: number }> {
  const names = new Set<string>();
  let newest = Number.NEGATIVE_INFINITY;
  for (const { key, watermark } of kept) {
    names.add(nameOf(key));
    newest = Math.max(newest, watermark ?? newest);
    yield;
  }
  const before = newest - KEPT_MS;
  const keys: StateKey[] = [];
  for (const key of state.keys(['series'])) {
    if (!names.has(nameOf(key)) && hasFallenBehind(state.get(key), before)) keys.push(key);
    yield;
  }
  return { keys, before };
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

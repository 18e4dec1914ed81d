import type { State, StateKey } from '../state/state.ts';
import { pushedKeys, restoreCounters } from './stored-counters.ts';

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
 * Removes, in one commit, the counters that are not kept and have fallen far behind the others; without any other none are.
 * What the clock says does not matter, and what was removed may come back: it counts anew from then on, no bucket twice.
 * @throws StateWriteFailure when nothing was removed
 */
export async function pruneCounters(state: State, kept: Iterable<KeptCounters>): Promise<void> {
  const names = new Set<string>();
  let newest = Number.NEGATIVE_INFINITY;
  for (const { key, watermark } of kept) {
    names.add(nameOf(key));
    newest = Math.max(newest, watermark ?? newest);
  }
  const left = [...state.keys(['series'])].filter((key) => !names.has(nameOf(key)));
  const fallen = left.filter((key) => hasFallenBehind(state.get(key), newest - KEPT_MS));
  // What was pushed of them goes with them.
  const records = fallen.flatMap((key) => [key, ...Object.values(pushedKeys(key))]);
  await state.commit(records.map((key) => ({ key, value: undefined })));
}

/** Other entries, of another version perhaps, are left alone. */
function hasFallenBehind(stored: unknown, time: number): boolean {
  const counters = restoreCounters(stored);
  return (
    counters !== undefined &&
    counters.since < time &&
    [...counters.counters.values()].every(({ watermark }) => watermark < time)
  );
}

function nameOf(key: StateKey): string {
  return JSON.stringify(key);
}

import type { State, StateKey } from '../state/state.ts';
import { restoreBook } from './state.ts';

/**
 * Books that nothing reads are kept for so long after their counters stopped: three times as long as the platform's
 * history reaches, so that none is missed that could be counted on from where it stopped.
 */
const KEPT_MS = 90 * 24 * 3_600_000;

/** A book that is being kept: its key, and up to where it has counted (undefined: nothing yet). */
export interface KeptBook {
  readonly key: StateKey;
  readonly mark: number | undefined;
}

/**
 * Removes, in one commit, the books that are not kept and have fallen far behind the others; without any other none is.
 * What the clock says does not matter, and what was removed may come back: it counts anew from then on, no bucket twice.
 * @throws StateWriteFailure when nothing was removed
 */
export async function pruneBooks(state: State, kept: Iterable<KeptBook>): Promise<void> {
  const names = new Set<string>();
  let newest = Number.NEGATIVE_INFINITY;
  for (const { key, mark } of kept) {
    names.add(nameOf(key));
    newest = Math.max(newest, mark ?? newest);
  }
  const left = [...state.keys(['series'])].filter((key) => !names.has(nameOf(key)));
  const fallen = left.filter((key) => hasFallenBehind(state.get(key), newest - KEPT_MS));
  await state.commit(fallen.map((key) => ({ key, value: undefined })));
}

/** What is no book, of another version perhaps, is not ours to remove. */
function hasFallenBehind(stored: unknown, time: number): boolean {
  const book = restoreBook(stored);
  return (
    book !== undefined && book.since < time && [...book.ledgers.values()].every(({ mark }) => mark < time)
  );
}

function nameOf(key: StateKey): string {
  return JSON.stringify(key);
}

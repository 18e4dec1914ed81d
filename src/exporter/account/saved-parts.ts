import type { Clock } from '../clock.ts';
import type { AccountMemory, SavedPart } from '../state/account-memory.ts';
import { type State, StateWriteFailure } from '../state/state.ts';

interface SavedPartsOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly memory: Pick<AccountMemory, 'of' | 'holds'>;
  /** Returns the parts of the memory that are learned gradually. */
  readonly parts: () => Iterable<SavedPart<unknown>>;
  readonly state: Pick<State, 'commit'>;
}

/** Time (ms) within which learned values are saved. */
const SAVE_MS = 10_000;

/** Saves the values that an account learns gradually. No poll waits for it. A kill loses the last seconds of them. */
export class SavedParts {
  readonly #options: SavedPartsOptions;
  /** Values that the state contains, by part. */
  readonly #saved = new WeakMap<SavedPart<unknown>, unknown>();
  #isWaiting = false;
  #stopped = false;

  constructor(options: SavedPartsOptions) {
    this.#options = options;
  }

  /** Schedules a save that covers the polls of the next seconds. */
  saveSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#options.clock.sleep(SAVE_MS).then(() => {
      this.#isWaiting = false;
      return this.#stopped ? undefined : this.#save();
    });
  }

  /** Saves the values for the last time. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#save();
  }

  /** Saves the values that have changed since the last time. */
  async #save(): Promise<void> {
    const { memory, parts, state } = this.#options;
    const held = [...parts()].filter((part) => memory.holds(part));
    const known = held.map((part) => ({ part, known: memory.of(part) }));
    const unsaved = known.filter(({ part, known }) => this.#saved.get(part) !== known);
    const entries = unsaved
      .map(({ part, known }) => ({ key: part.key, value: part.store(known), isNew: !this.#saved.has(part) }))
      .filter(({ value, isNew }) => value !== undefined || !isNew);
    try {
      await state.commit(entries);
    } catch (error) {
      // Commits of counters report a disk that refuses. The next save retries.
      if (error instanceof StateWriteFailure) return;
      throw error;
    }
    for (const { part, known } of unsaved) this.#saved.set(part, known);
  }
}

import type { Clock } from '../clock.ts';
import type { AccountMemory, SavedPart } from '../state/account-memory.ts';
import { type State, StateWriteFailure } from '../state/state.ts';

interface SavedPartsOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly memory: Pick<AccountMemory, 'of' | 'holds'>;
  /** All that is learned gradually. */
  readonly parts: () => Iterable<SavedPart<unknown>>;
  readonly state: Pick<State, 'commit'>;
}

/** Learned values are saved within this time (ms). */
const SAVE_MS = 10_000;

/** Saves what an account learns gradually. No poll waits for it; a kill loses some seconds of it. */
export class SavedParts {
  readonly #options: SavedPartsOptions;
  /** Values that the state holds. */
  readonly #saved = new WeakMap<SavedPart<unknown>, unknown>();
  #isWaiting = false;
  #stopped = false;

  constructor(options: SavedPartsOptions) {
    this.#options = options;
  }

  /** Saves what was learned soon, with what other polls of these seconds learn. */
  saveSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#options.clock.sleep(SAVE_MS).then(() => {
      this.#isWaiting = false;
      return this.#stopped ? undefined : this.#save();
    });
  }

  /** Saves it for the last time. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#save();
  }

  /** Saves what was learned since the last time. */
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
      // A disk that refuses is reported where counters are committed; what was learned is saved with what comes next.
      if (error instanceof StateWriteFailure) return;
      throw error;
    }
    for (const { part, known } of unsaved) this.#saved.set(part, known);
  }
}

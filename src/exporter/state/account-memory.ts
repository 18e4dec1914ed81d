import type { StateKey, StateReader } from './state.ts';

/** Part of an account's memory: a value that polls read and replace as a whole. */
export interface MemoryPart<T> {
  /** Key in the state; undefined if a restart forgets it. */
  readonly key?: StateKey;
  /** Returns the value for the state's record under the key. @param stored undefined if there is no record */
  open(stored: unknown): T;
}

/** Part that changes gradually. The account saves it every few seconds, apart from the commits of polls. */
export interface SavedPart<T> extends MemoryPart<T> {
  readonly key: StateKey;
  /** Returns the state's record of a value. */
  store(value: T): unknown;
}

/** Change that a poll makes to a part of the memory. */
export interface MemoryChange {
  readonly part: MemoryPart<unknown>;
  readonly value: unknown;
  /** Value if the state refused the commit. */
  readonly refused: unknown;
}

/** The change of a part, typed. */
export function changed<T>(part: MemoryPart<T>, value: T, refused: T = value): MemoryChange {
  return { part, value, refused };
}

/**
 * Memory of an account from one poll to the next. Nothing is loaded beforehand: a part that no poll has replaced yet is
 * read from the state when needed. Polls read parts; the runner replaces them.
 */
export class AccountMemory {
  readonly #state: Pick<StateReader, 'kind' | 'get'>;
  readonly #values = new WeakMap<MemoryPart<unknown>, unknown>();
  /** Values of parts while the state cannot be read, and the records found later: there may be a hundred thousand. */
  readonly #unread = new WeakMap<MemoryPart<unknown>, unknown>();
  readonly #late = new WeakMap<MemoryPart<unknown>, unknown>();
  /** True if polls may have begun before the state could be read: its records may hold more than they found. */
  readonly #beganUnread: boolean;

  constructor(state: Pick<StateReader, 'kind' | 'get'>) {
    this.#state = state;
    this.#beganUnread = state.kind === 'unavailable';
  }

  of<T>(part: MemoryPart<T>): T {
    // A part's values are all its own: `adopt` takes them from `changed`, which is typed.
    if (this.#values.has(part)) return this.#values.get(part) as T;
    // A state that cannot be read yet holds nothing: it is asked again.
    return this.#openedOnce(part, this.#state.kind === 'unavailable' ? this.#unread : this.#values);
  }

  /**
   * Returns the record that the state turned out to hold for a part; undefined if it could be read before any poll, or
   * cannot be read yet.
   */
  late<T>(part: MemoryPart<T>): T | undefined {
    if (!this.#beganUnread || this.#state.kind === 'unavailable') return undefined;
    return this.#openedOnce(part, this.#late);
  }

  #openedOnce<T>(part: MemoryPart<T>, held: WeakMap<MemoryPart<unknown>, unknown>): T {
    if (!held.has(part)) held.set(part, part.open(part.key && this.#state.get(part.key)));
    return held.get(part) as T;
  }

  /** True if anything is remembered of a part. */
  holds(part: MemoryPart<unknown>): boolean {
    return this.#values.has(part);
  }

  /** @param committed true if the result's commit is durable */
  adopt({ part, value, refused }: MemoryChange, committed: boolean): void {
    this.#values.set(part, committed ? value : refused);
  }
}

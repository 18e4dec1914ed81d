import type { StateKey, StateReader } from './state.ts';

/** Part of an account's memory: a value that polls read and replace as a whole. */
export interface MemoryPart<T> {
  /** Key in the state; undefined if the value does not survive a restart. */
  readonly key?: StateKey;
  /** Decodes the value from its record in the state. @param stored undefined if there is no record */
  open(stored: unknown): T;
}

/** Part that changes gradually. The account saves it every few seconds, separately from the commits of polls. */
export interface SavedPart<T> extends MemoryPart<T> {
  readonly key: StateKey;
  /** Returns the record for the state. */
  store(value: T): unknown;
}

/** Change of a part of the memory by a poll. */
export interface MemoryChange {
  readonly part: MemoryPart<unknown>;
  readonly value: unknown;
  /** New value if the state refuses the commit. */
  readonly refused: unknown;
}

/** Returns a typed change of a part. */
export function changed<T>(part: MemoryPart<T>, value: T, refused: T = value): MemoryChange {
  return { part, value, refused };
}

/**
 * Memory of an account from one poll to the next. Values are loaded lazily: a part is read from the state when needed, until a poll
 * has replaced it. Polls read parts; the runner replaces them.
 */
export class AccountMemory {
  readonly #state: Pick<StateReader, 'kind' | 'get'>;
  readonly #values = new WeakMap<MemoryPart<unknown>, unknown>();
  /** Caches of values decoded without a record while the state cannot be read, and of records found later. */
  readonly #unread = new WeakMap<MemoryPart<unknown>, unknown>();
  readonly #late = new WeakMap<MemoryPart<unknown>, unknown>();
  /** True if polls may have started before the state was readable, so that its records may contain more than the polls found. */
  readonly #beganUnread: boolean;

  constructor(state: Pick<StateReader, 'kind' | 'get'>) {
    this.#state = state;
    this.#beganUnread = state.kind === 'unavailable';
  }

  of<T>(part: MemoryPart<T>): T {
    // Each value belongs to its part: `adopt` receives both from `changed`, which is typed.
    if (this.#values.has(part)) return this.#values.get(part) as T;
    // An unavailable state returns nothing, so the record is read again later.
    return this.#openedOnce(part, this.#state.kind === 'unavailable' ? this.#unread : this.#values);
  }

  /**
   * Returns the record of a part that became readable only after polls may have started. Undefined if the state was readable
   * before, or is not readable yet.
   */
  late<T>(part: MemoryPart<T>): T | undefined {
    if (!this.#beganUnread || this.#state.kind === 'unavailable') return undefined;
    return this.#openedOnce(part, this.#late);
  }

  #openedOnce<T>(part: MemoryPart<T>, held: WeakMap<MemoryPart<unknown>, unknown>): T {
    if (!held.has(part)) held.set(part, part.open(part.key && this.#state.get(part.key)));
    return held.get(part) as T;
  }

  /** Returns true if the memory has a value for a part. */
  holds(part: MemoryPart<unknown>): boolean {
    return this.#values.has(part);
  }

  /** Replaces the value of a part. @param committed true if the result's commit is durable; false to use the `refused` value */
  adopt({ part, value, refused }: MemoryChange, committed: boolean): void {
    this.#values.set(part, committed ? value : refused);
  }
}

/**
 * Names one entry from the general to the particular, e.g. `['series', account, api, product, id, metric]`.
 */
export type StateKey = readonly string[];

/** New value of an entry; `undefined` removes it. Numbers are kept exactly, as 64-bit floats. */
export interface StateEntry {
  readonly key: StateKey;
  readonly value: unknown;
}

export interface RangeOptions {
  readonly limit: number;
  /** The key behind which to begin. */
  readonly after?: StateKey;
}

/** Keys that begin with this part are read with `range` alone; their values are not held in memory. */
export const QUEUE = 'queue';

/** Time limit (ms) of a commit or a read. A disk that needs longer hangs. */
export const LONGEST_COMMIT_MS = 10_000;

/** Reads the state. A closed state keeps its last values, because pages may still show an account that another replica owns now. */
export interface StateReader {
  /** Durability of commits; `unavailable`: the directory cannot be used yet. */
  readonly kind: 'durable' | 'memory' | 'unavailable';
  /** Returns a copy of the committed value; undefined if there is none. Reads memory, so no disk can delay it. */
  get(key: StateKey): unknown;
  /** Returns the keys that begin with `prefix`, ordered by the text of their parts. */
  keys(prefix: StateKey): Iterable<StateKey>;
}

/** Empty state, for callers that need the situation before a first poll. */
export const NO_MEMORY: StateReader = { kind: 'memory', get: () => undefined, keys: () => [] };

/** Memory of the exporter from one poll to the next: counters with their watermarks. */
export interface State extends StateReader {
  /** Directory in use or intended; undefined if none is configured. */
  readonly directory: string | undefined;
  /** Note for the operator: the reason why the state is not durable, or the records set aside. */
  readonly note: string | undefined;
  /** Reason why the last commit was refused; undefined if it was not. */
  readonly refusal?: string | undefined;
  /**
   * The first entries under `prefix`, in the order of `keys`, read from disk. Rejects with `StateReadFailure` when they
   * cannot be read; one that is damaged has no value.
   */
  range(prefix: StateKey, options: RangeOptions): Promise<readonly StateEntry[]>;
  /** Returns the existing entries of these keys, in any order, read from disk like those of a range. */
  read(keys: readonly StateKey[]): Promise<readonly StateEntry[]>;
  /**
   * Commits all entries or none. Durable state resolves once they survive `kill -9` and the loss of power. It rejects
   * with `StateWriteFailure` if the disk refuses or hangs; the same commit may be tried again later.
   */
  commit(entries: readonly StateEntry[]): Promise<void>;
  /** Releases the directory, after the current commits. */
  close(): Promise<void>;
}

/** An account as its owner holds it: each change of hands gives it a higher token. */
export interface OwnedAccount {
  readonly account: string;
  readonly token: string;
}

/** A commit that the disk refused; nothing of it took effect. */
export class StateWriteFailure extends Error {
  override readonly name = 'StateWriteFailure';
}

/** Committed entries cannot be read now. */
export class StateReadFailure extends Error {
  override readonly name = 'StateReadFailure';
}

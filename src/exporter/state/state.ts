/** Key of an entry, from the general to the particular, e.g. `['series', account, api, product, id, metric]`. */
export type StateKey = readonly string[];

/** New value of an entry; `undefined` removes it. Numbers are stored exactly, as 64-bit floats. */
export interface StateEntry {
  readonly key: StateKey;
  readonly value: unknown;
}

export interface RangeOptions {
  readonly limit: number;
  /** Key after which the range begins; default: the first key. */
  readonly after?: StateKey;
}

/** First part of keys that only `range` and `read` access; their values are not in memory. */
export const QUEUE = 'queue';

/** Time limit (ms) of a commit or a read, after which the disk counts as hanging. */
export const LONGEST_COMMIT_MS = 10_000;

/** Read access to the state. A closed state keeps its last values, because pages may still show a moved account. */
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
  /** Note for the operator: why the state is not durable, or that damaged records were found. Undefined without either. */
  readonly note: string | undefined;
  /** Reason why the last commit was refused; undefined if it succeeded. */
  readonly refusal?: string | undefined;
  /**
   * Returns the first entries under `prefix` in the order of `keys`, read from disk. A damaged entry has no value. Rejects with
   * `StateReadFailure` if they cannot be read.
   */
  range(prefix: StateKey, options: RangeOptions): Promise<readonly StateEntry[]>;
  /** Returns the existing entries of these keys, in any order, read from disk as in `range`. */
  read(keys: readonly StateKey[]): Promise<readonly StateEntry[]>;
  /**
   * Commits all entries or none. Durable state resolves once they survive `kill -9` and a power failure. It rejects with
   * `StateWriteFailure` if the disk refuses or hangs; the caller may retry the same commit.
   */
  commit(entries: readonly StateEntry[]): Promise<void>;
  /** Releases the directory after the current commits. */
  close(): Promise<void>;
}

/** An account with the fencing token of its owner. Each change of owner increases the token. */
export interface OwnedAccount {
  readonly account: string;
  readonly token: string;
}

/** Error for a commit that the disk refused; it had no effect. */
export class StateWriteFailure extends Error {
  override readonly name = 'StateWriteFailure';
}

/** Error for committed entries that cannot be read now. */
export class StateReadFailure extends Error {
  override readonly name = 'StateReadFailure';
}

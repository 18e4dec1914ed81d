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

/** Time limit (ms) of a commit or a read. A disk that needs longer hangs, and nobody waits for it. */
export const LONGEST_COMMIT_MS = 10_000;

/** Reads what is remembered. A closed state keeps its last values, since pages may still be made of an account that another replica has now. */
export interface StateReader {
  /** True if what is committed outlives the process; `unavailable`: its directory cannot be used yet. */
  readonly kind: 'durable' | 'memory' | 'unavailable';
  /** The value as committed, a copy of its own; undefined when there is none. From memory: no disk can delay it. */
  get(key: StateKey): unknown;
  /** The keys that begin with `prefix`, ordered by their parts as text. */
  keys(prefix: StateKey): Iterable<StateKey>;
}

/** An empty state, for callers that only want to know what a first poll would find. */
export const NO_MEMORY: StateReader = { kind: 'memory', get: () => undefined, keys: () => [] };

/** Memory of the exporter from one poll to the next: counters with their watermarks. */
export interface State extends StateReader {
  /** Directory, or intended directory; undefined if none was asked for. */
  readonly directory: string | undefined;
  /** Note for the operator: why it is not durable, or what was set aside. */
  readonly note: string | undefined;
  /** Why the last commit was refused; undefined when it was not. */
  readonly refusal?: string | undefined;
  /**
   * The first entries under `prefix`, in the order of `keys`, read from disk. Rejects with `StateReadFailure` when they
   * cannot be read; one that is damaged has no value.
   */
  range(prefix: StateKey, options: RangeOptions): Promise<readonly StateEntry[]>;
  /** The entries of these keys that there are, in any order, read from disk like those of a range. */
  read(keys: readonly StateKey[]): Promise<readonly StateEntry[]>;
  /**
   * All entries take effect together or none does. Durable state resolves once they survive `kill -9` and the
   * loss of power, and rejects with `StateWriteFailure` when the disk refuses or hangs; the same commit may be
   * tried again later.
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

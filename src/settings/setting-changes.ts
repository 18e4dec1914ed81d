import type { StateEntry, StateKey, StateReader } from '../state/state.ts';
import { differences, type Fingerprint } from './fingerprint.ts';

/** What is remembered of a setting. */
interface Memory {
  readonly fingerprint: Fingerprint;
  /** When it was last found changed (s); undefined when it never was. */
  readonly changedAt?: number;
}

/** What a read has found, to be applied once `entries` are durable. */
export interface ChangesUpdate {
  readonly entries: readonly StateEntry[];
  readonly memories: ReadonlyMap<string, Memory | undefined>;
  readonly changed: readonly { readonly id: string; readonly fields: readonly string[] }[];
}

/** A list that changes while it is read may leave an item out once: only one that stays away is forgotten. */
const ABSENCES = 3;

/** When the settings of one kind were last found changed: durable, so that a restart neither forgets nor makes up a change. */
export class SettingChanges {
  readonly #state: StateReader;
  readonly #prefix: StateKey;
  readonly #absences = new Map<string, number>();
  #memories = new Map<string, Memory>();

  constructor(state: StateReader, account: string, kind: string) {
    this.#state = state;
    this.#prefix = ['settings', account, kind];
  }

  /** Compares what a whole read brought, by id, with what was before. The first sight of a setting is no change. */
  compare(fingerprints: ReadonlyMap<string, Fingerprint>, nowSeconds: number): ChangesUpdate {
    const memories = new Map<string, Memory | undefined>();
    const changed: { id: string; fields: string[] }[] = [];
    for (const [id, fingerprint] of fingerprints) {
      this.#absences.delete(id);
      const before = this.#known.get(id);
      const fields = before === undefined ? [] : differences(before.fingerprint, fingerprint);
      if (fields.length > 0) changed.push({ id, fields });
      const after = remembered(before, fingerprint, fields.length > 0 ? nowSeconds : before?.changedAt);
      if (before === undefined || fields.length > 0 || !covers(before.fingerprint, fingerprint))
        memories.set(id, after);
    }
    for (const id of this.#gone(fingerprints)) memories.set(id, undefined);
    const entries = [...memories].map(([id, value]) => ({ key: [...this.#prefix, id], value }));
    return { entries, memories, changed };
  }

  /** Applies changes that have become durable. */
  apply({ memories }: ChangesUpdate): void {
    for (const [id, memory] of memories) {
      if (memory === undefined) this.#known.delete(id);
      else this.#known.set(id, memory);
    }
  }

  /** When a setting was last found changed (s). */
  changedAt(id: string): number | undefined {
    return this.#known.get(id)?.changedAt;
  }

  get #known(): Map<string, Memory> {
    // Nothing remembered may mean that the state is not available yet.
    if (this.#memories.size === 0) this.#memories = restore(this.#state, this.#prefix);
    return this.#memories;
  }

  #gone(present: ReadonlyMap<string, unknown>): string[] {
    const absent = [...this.#known.keys()].filter((id) => !present.has(id));
    for (const id of absent) this.#absences.set(id, (this.#absences.get(id) ?? 0) + 1);
    return absent.filter((id) => (this.#absences.get(id) ?? 0) >= ABSENCES);
  }
}

function remembered(
  before: Memory | undefined,
  fingerprint: Fingerprint,
  changedAt: number | undefined,
): Memory {
  return {
    fingerprint: { ...before?.fingerprint, ...fingerprint },
    ...(changedAt !== undefined && { changedAt }),
  };
}

function covers(before: Fingerprint, after: Fingerprint): boolean {
  return Object.keys(after).every((field) => before[field] !== undefined);
}

/** Validated, since another version may have written it. */
function restore(state: StateReader, prefix: StateKey): Map<string, Memory> {
  const memories = new Map<string, Memory>();
  for (const key of state.keys(prefix)) {
    const value = state.get(key);
    const id = key.at(-1);
    if (id !== undefined && isMemory(value)) memories.set(id, value);
  }
  return memories;
}

function isMemory(value: unknown): value is Memory {
  return (
    typeof value === 'object' &&
    value !== null &&
    'fingerprint' in value &&
    typeof value.fingerprint === 'object' &&
    value.fingerprint !== null
  );
}

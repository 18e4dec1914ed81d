import type { StateEntry, StateKey, StateReader } from '../state/state.ts';
import { digest } from './collector.ts';

/** Digests of a setting's fields, which show a change without revealing the value. */
export type Fingerprint = Readonly<Record<string, string>>;

/** Memory of a setting. */
interface RememberedSetting {
  readonly fingerprint: Fingerprint;
  /** Time (s since the epoch) at which the last change was found; undefined if there was none. */
  readonly changedAt?: number;
}

/** Memory of the settings of one kind, by id. */
export interface SettingsMemory {
  readonly known: ReadonlyMap<string, RememberedSetting>;
  /** Number of consecutive reads without a known setting in the list, by id. */
  readonly absences: ReadonlyMap<string, number>;
}

/** Result of a comparison. */
export interface ChangesFound {
  readonly memory: SettingsMemory;
  /** Memory if the state refuses `entries`; the next read then finds the change again. */
  readonly refused: SettingsMemory;
  readonly entries: readonly StateEntry[];
  readonly changed: readonly { readonly id: string; readonly fields: readonly string[] }[];
}

/** Consecutive absences after which a setting is forgotten. A list that changes while it is read may omit an item once. */
const ABSENCES = 3;

/** Compares a complete read with the previous one, by id. A new setting is not a change. @param now seconds since the epoch */
export function compareSettings(
  before: SettingsMemory,
  fingerprints: ReadonlyMap<string, Fingerprint>,
  { prefix, now }: { readonly prefix: StateKey; readonly now: number },
): ChangesFound {
  const known = new Map(before.known);
  const entries: StateEntry[] = [];
  const changed: { id: string; fields: string[] }[] = [];
  for (const [id, fingerprint] of fingerprints) {
    const last = known.get(id);
    const fields = last === undefined ? [] : differences(last.fingerprint, fingerprint);
    if (fields.length > 0) changed.push({ id, fields });
    if (last !== undefined && fields.length === 0 && covers(last.fingerprint, fingerprint)) continue;
    const value = remembered(last, fingerprint, fields.length > 0 ? now : last?.changedAt);
    known.set(id, value);
    entries.push({ key: [...prefix, id], value });
  }
  const absences = new Map<string, number>();
  for (const id of before.known.keys()) {
    if (fingerprints.has(id)) continue;
    const times = (before.absences.get(id) ?? 0) + 1;
    absences.set(id, times);
    if (times < ABSENCES) continue;
    known.delete(id);
    entries.push({ key: [...prefix, id], value: undefined });
  }
  return { memory: { known, absences }, refused: { known: before.known, absences }, entries, changed };
}

function remembered(
  before: RememberedSetting | undefined,
  fingerprint: Fingerprint,
  changedAt: number | undefined,
): RememberedSetting {
  return {
    fingerprint: { ...before?.fingerprint, ...fingerprint },
    ...(changedAt !== undefined && { changedAt }),
  };
}

function covers(before: Fingerprint, after: Fingerprint): boolean {
  return Object.keys(after).every((field) => before[field] !== undefined);
}

/** Returns the settings of one kind from the state. Entries are validated, since another version may have written them. */
export function restoreSettings(state: StateReader, prefix: StateKey): SettingsMemory {
  const known = new Map<string, RememberedSetting>();
  for (const key of state.keys(prefix)) {
    const value = state.get(key);
    const id = key.at(-1);
    if (id !== undefined && isRemembered(value)) known.set(id, value);
  }
  return { known, absences: new Map() };
}

function isRemembered(value: unknown): value is RememberedSetting {
  return (
    typeof value === 'object' &&
    value !== null &&
    'fingerprint' in value &&
    typeof value.fingerprint === 'object' &&
    value.fingerprint !== null
  );
}

/**
 * Returns the fingerprint of a setting's fields, without undefined ones. Digests include their position, so that equal contents of
 * two fields differ.
 */
export function fingerprintOf(fields: Readonly<Record<string, unknown>>, place: string): Fingerprint {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, digest([place, field, value])]));
}

/** Returns the fields that are present in both and differ. A new field of the platform or the exporter is no change. */
export function differences(before: Fingerprint, after: Fingerprint): string[] {
  return Object.keys(after).filter((field) => before[field] !== undefined && before[field] !== after[field]);
}

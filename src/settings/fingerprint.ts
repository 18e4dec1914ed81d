import { createHash } from 'node:crypto';

/** What a setting holds, field by field, as digests: enough to see that it changed, too little to see what it is. */
export type Fingerprint = Readonly<Record<string, string>>;

/** 96 bits: no collisions within an account. */
const DIGEST_LENGTH = 16;

/** The digest of a JSON value: the same whatever the order in which objects name their fields. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, DIGEST_LENGTH);
}

/**
 * The fingerprint of one setting's fields, those left out that are undefined: the platform did not give them. Digests are
 * bound to their place, so that the same content looks different elsewhere.
 */
export function fingerprintOf(fields: Readonly<Record<string, unknown>>, place: string): Fingerprint {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field, value]) => [field, digest([place, field, value])]));
}

/** Fields that both know and that differ: a field that the platform or this program is new to is no change. */
export function differences(before: Fingerprint, after: Fingerprint): string[] {
  return Object.keys(after).filter((field) => before[field] !== undefined && before[field] !== after[field]);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}

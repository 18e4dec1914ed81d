import { z } from 'zod';

/** Returns a document with its top-level names in snake case, as in JSON and YAML: `settle_ms` for `settleMs`. */
export function snakeKeys(document: object): Record<string, unknown> {
  return renamed(document, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** Returns a document with its snake-case names in camel case. Others stay, so that the schema refuses them. */
export function camelKeys(document: object): Record<string, unknown> {
  return renamed(document, (name) =>
    /[A-Z]/.test(name) ? `"${name}"` : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

function renamed(document: object, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [rename(name), value]));
}

/** Returns a time (ms since the epoch) in the form of version 3: `2016-11-18T14:10:58.024903Z`. */
export function isoTimestamp(time: number): string {
  return new Date(time).toISOString().replace('Z', '903Z');
}

/** Returns a time (ms since the epoch) with a space and an offset: `2016-11-18 14:10:58.024903+00:00`. */
export function spacedTimestamp(time: number): string {
  return isoTimestamp(time).replace('T', ' ').replace('Z', '+00:00');
}

/** Schema of a time in options and control requests: ms since the epoch, or an ISO 8601 timestamp. */
export const timestampOption = z.union([
  z.coerce.number(),
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
]);

/** Returns true if a value of a document is a mapping. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

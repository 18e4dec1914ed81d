import { createHash } from 'node:crypto';
import { z } from 'zod';
import { beginningOf } from '../text/beginning.ts';

/*
 * Fields of settings as the platform gives them. All but the id may be missing or null, since answers were seen without
 * and later ones bring more; one of another kind than documented makes its row a bad one.
 */

/** An id: an integer, now and then the same as text. */
export const identifier = z.union([z.int(), z.string().min(1).max(200)]).transform(String);

export const text = z.string().transform(beginningOf).nullish();

export const flag = z.boolean().nullish();

export const amount = z.number().nonnegative().nullish();

/** The id of something else, by which series are joined. */
export const reference = identifier.nullish();

/** Something that is never shown, only found to have changed. What it is goes no further than here. */
export const content = z.unknown().optional().transform(digested);

/** The same, where to be absent means to be empty. */
export const optionalContent = z
  .unknown()
  .optional()
  .transform((value) => digest(value ?? null));

/** A list of whatever items. */
export const items = z.array(z.unknown()).nullish();

/** Items that are never shown, only counted and found to have changed. Their order means nothing. */
export const members = items.transform(membersOf);

/** The texts of a list, each once; what is no text has no name to be shown by. */
export function texts(items: readonly unknown[] | null | undefined): readonly string[] {
  return [...new Set((items ?? []).filter((item) => typeof item === 'string').map(beginningOf))];
}

/** How many there were, and the digest of all. */
export interface Members {
  readonly count: number;
  readonly content: string;
}

/** Counts and digests items, in whatever order they come. */
export function gather(items: readonly unknown[]): Members {
  return { count: items.length, content: digest(items.map(digest).sort()) };
}

/** The same of items that are shown as well. */
export function membersOf(items: readonly unknown[] | null | undefined): Members | undefined {
  return items === null || items === undefined ? undefined : gather(items);
}

function digested(value: unknown): string | undefined {
  return value === undefined ? undefined : digest(value);
}

/** 96 bits: no collisions within an account. */
const DIGEST_LENGTH = 16;

/** The digest of a JSON value: the same whatever the order in which objects name their fields. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, DIGEST_LENGTH);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}

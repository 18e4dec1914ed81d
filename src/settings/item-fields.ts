import { z } from 'zod';
import { digest } from './fingerprint.ts';

/*
 * Fields of settings as the platform gives them. All but the id may be missing or null, since answers were seen without
 * and later ones bring more; one of another kind than documented makes its row a bad one.
 */

/** An id: an integer, now and then the same as text. */
export const identifier = z.union([z.int(), z.string().min(1)]).transform(String);

export const text = z.string().nullish();

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

/** Items that are never shown, only counted and found to have changed. Their order means nothing. */
export const members = z.array(z.unknown()).nullish().transform(gathered);

/** How many there were, and the digest of all. */
export interface Members {
  readonly count: number;
  readonly content: string;
}

/** Counts and digests items, in whatever order they come. */
export function gather(items: readonly unknown[]): Members {
  return { count: items.length, content: digest(items.map(digest).sort()) };
}

function gathered(items: readonly unknown[] | null | undefined): Members | undefined {
  return items === null || items === undefined ? undefined : gather(items);
}

function digested(value: unknown): string | undefined {
  return value === undefined ? undefined : digest(value);
}

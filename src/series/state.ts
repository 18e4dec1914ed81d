import { z } from 'zod';
import type { StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import type { BookRecord } from './book.ts';

/** A stored book: `[total, mark]` by dimension. */
const storedBook = z.strictObject({
  since: z.number(),
  width: z.number().positive(),
  ledgers: z.record(z.string(), z.tuple([z.number().nonnegative(), z.number()])),
});

/** Where the book of one metric of one target is kept. The name is no part of it: a renamed configuration counts on. */
export function bookKey({ account, product, by, id }: Target, metric: string): StateKey {
  return ['series', account, product.api, product.slug, by, id, metric];
}

/** The stored form of a book. */
export function storeBook({ since, width, ledgers }: BookRecord): z.input<typeof storedBook> {
  const entries = [...ledgers].map(([dimension, { total, mark }]) => [dimension, [total, mark]] as const);
  return { since, width, ledgers: Object.fromEntries(entries) as Record<string, [number, number]> };
}

/** The book that was stored, or undefined when there is none or it is not one. */
export function restoreBook(stored: unknown): BookRecord | undefined {
  const parsed = storedBook.safeParse(stored);
  if (!parsed.success) return undefined;
  const { since, width, ledgers } = parsed.data;
  return {
    since,
    width,
    ledgers: new Map(Object.entries(ledgers).map(([name, [total, mark]]) => [name, { total, mark }])),
  };
}

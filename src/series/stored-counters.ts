import { z } from 'zod';
import type { StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import type { CountersRecord } from './counters.ts';

/** Stored counters: `[total, watermark]` by dimension. */
const storedCounters = z.strictObject({
  since: z.number(),
  width: z.number().positive(),
  ledgers: z.record(z.string(), z.tuple([z.number().nonnegative(), z.number()])),
});

/** Where the counters of one metric of one target is kept. The name is no part of it: a renamed configuration counts on. */
export function countersKey({ account, product, by, id }: Target, metric: string): StateKey {
  return ['series', account, product.api, product.slug, by, id, metric];
}

/** The stored form of counters. */
export function storeCounters({ since, width, counters }: CountersRecord): z.input<typeof storedCounters> {
  const entries = [...counters].map(
    ([dimension, { total, watermark }]) => [dimension, [total, watermark]] as const,
  );
  return { since, width, ledgers: Object.fromEntries(entries) as Record<string, [number, number]> };
}

/** The counters that were stored, or undefined when there are none or it is something else. */
export function restoreCounters(stored: unknown): CountersRecord | undefined {
  const parsed = storedCounters.safeParse(stored);
  if (!parsed.success) return undefined;
  const { since, width, ledgers } = parsed.data;
  return {
    since,
    width,
    counters: new Map(
      Object.entries(ledgers).map(([name, [total, watermark]]) => [name, { total, watermark }]),
    ),
  };
}

import { z } from 'zod';
import type { StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import type { Counter, MissingSpan } from './counter.ts';

/** What the counters keep across restarts. */
export interface CountersRecord {
  /** From where on the counters count (ms since the epoch). */
  readonly since: number;
  /** The width of the buckets seen last (ms). */
  readonly width: number;
  readonly counters: ReadonlyMap<string, Counter>;
}

/** `[from, to, since, until, asked, whole]`. */
const storedSpan = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.int().nonnegative(),
  z.int().nonnegative(),
]);

/** `[total, watermark, missing]` by dimension. */
const storedCounters = z.strictObject({
  version: z.literal(2),
  since: z.number(),
  width: z.number().positive(),
  counters: z.record(z.string(), z.tuple([z.number().nonnegative(), z.number(), z.array(storedSpan)])),
});

/** What versions up to 0.1.0 stored: `[total, watermark]` by dimension, when counters waited at the first missing bucket. */
const firstVersion = z.strictObject({
  since: z.number(),
  width: z.number().positive(),
  ledgers: z.record(z.string(), z.tuple([z.number().nonnegative(), z.number()])),
});

/** Where the counters of one metric of one target are kept. The name is no part of it: a renamed configuration counts on. */
export function countersKey({ account, product, by, id }: Target, metric: string): StateKey {
  return ['series', account, product.api, product.slug, by, id, metric];
}

/** Where it is kept what was pushed beside the counters under a key. */
export function pushedKeys(counters: StateKey): Readonly<Record<'counters' | 'gauges', StateKey>> {
  const [, ...rest] = counters;
  return { counters: ['pushed', ...rest, 'counters'], gauges: ['pushed', ...rest, 'gauges'] };
}

/** The record as it was, where nothing has changed: it need not be written again. */
export function sameOrChanged(before: CountersRecord | undefined, record: CountersRecord): CountersRecord {
  if (before === undefined || before.width !== record.width) return record;
  if (before.counters.size !== record.counters.size) return record;
  for (const [name, counter] of record.counters) if (before.counters.get(name) !== counter) return record;
  return before;
}

/** The stored form of counters. */
export function storeCounters({ since, width, counters }: CountersRecord): z.input<typeof storedCounters> {
  const entries = [...counters].map(([dimension, { total, watermark, missing }]) => {
    const spans = missing.map(
      ({ from, to, since, until, asked, whole }) => [from, to, since, until, asked, whole] as const,
    );
    return [dimension, [total, watermark, spans]];
  });
  return { version: 2, since, width, counters: Object.fromEntries(entries) };
}

/** The counters that were stored, or undefined when there are none or it is something else. */
export function restoreCounters(stored: unknown): CountersRecord | undefined {
  if (stored === undefined) return undefined;
  const { data } = z.union([storedCounters, firstVersion]).safeParse(stored);
  if (data === undefined) return undefined;
  const counters = new Map<string, Counter>();
  if ('ledgers' in data) {
    for (const [dimension, [total, watermark]] of Object.entries(data.ledgers)) {
      counters.set(dimension, { total, watermark, missing: [] });
    }
  } else {
    for (const [dimension, [total, watermark, spans]] of Object.entries(data.counters)) {
      counters.set(dimension, { total, watermark, missing: spans.map(restoreSpan) });
    }
  }
  return { since: data.since, width: data.width, counters };
}

function restoreSpan([from, to, since, until, asked, whole]: z.output<typeof storedSpan>): MissingSpan {
  return { from, to, since, until, asked, whole };
}

import { z } from 'zod';
import type { SavedPart } from '../state/account-memory.ts';
import { OLDEST_MINUTE } from './completeness.ts';
import { type MetricMemory, NOTHING_LEARNED } from './learned.ts';

const sums = z
  .array(z.number())
  .length(OLDEST_MINUTE + 1)
  .readonly();

const storedTimes = z.array(z.object({ slot: z.number(), ms: z.number() })).readonly();

const storedMetric = z.object({
  version: z.literal(1),
  completeness: z.object({ shown: sums, later: sums, laterMinutes: sums, buckets: sums }),
  publishDelay: z.number().nonnegative(),
  hours: z.array(z.object({ hour: z.number(), up: z.number(), down: z.number() })).readonly(),
  late: storedTimes.default([]),
  lags: storedTimes,
  singlyUntil: z.number(),
  triedAt: z.number().optional(),
});

export function storeMetric(known: MetricMemory): z.input<typeof storedMetric> {
  return { version: 1, ...known };
}

/** Returns the memory from its durable form; an empty one if there is none, or if it is invalid. */
export function restoreMetric(stored: unknown): MetricMemory {
  const { data } = storedMetric.safeParse(stored);
  if (data === undefined) return NOTHING_LEARNED;
  const { version: _, triedAt, ...known } = data;
  return { ...known, triedAt };
}

/** Metric of a product whose delays an account learns. */
export interface LearnedMetric {
  readonly product: string;
  readonly metric: string;
  /** Part of the account's memory, shared by all targets. */
  readonly part: SavedPart<MetricMemory>;
}

/** Metrics whose delays an account learns. */
export class LearnedMetrics {
  readonly #account: string;
  readonly #known = new Map<string, LearnedMetric>();

  constructor(account: string) {
    this.#account = account;
  }

  of(api: string, product: string, metric: string): LearnedMetric {
    const name = `${api} ${product} ${metric}`;
    const key = ['learned', this.#account, api, product, metric];
    const known = this.#known.get(name) ?? {
      product,
      metric,
      part: { key, open: restoreMetric, store: storeMetric },
    };
    this.#known.set(name, known);
    return known;
  }

  [Symbol.iterator](): Iterator<LearnedMetric> {
    return this.#known.values();
  }
}

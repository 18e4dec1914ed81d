import { z } from 'zod';
import type { State, StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import type { Counter, MissingSpan } from './counter.ts';
import type { CountersByDimension } from './packed-series.ts';

/** What the counters keep across restarts. */
export interface CountersRecord {
  /** From where on the counters count (ms since the epoch). */
  readonly since: number;
  /** The width of the buckets seen last (ms). */
  readonly width: number;
  readonly counters: CountersByDimension;
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

/** Where the records are kept of what was pushed of the counters under a key, and of their gauges. */
export function pushedKeys(counters: StateKey): Readonly<Record<'counters' | 'gauges', StateKey>> {
  const [, ...rest] = counters;
  return { counters: ['pushed', ...rest, 'counters'], gauges: ['pushed', ...rest, 'gauges'] };
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

/** How far the counters of a record have come, all together. Times are in ms since the epoch; undefined where there are none. */
export interface Progress {
  readonly of: CountersRecord | undefined;
  /** The oldest watermark. */
  readonly watermark: number | undefined;
  /** Up to where every bucket is counted or skipped. */
  readonly countedUntil: number | undefined;
  /** Where what they lack begins, each time once: thousands of jobs keep it, and most counters have come equally far. */
  readonly lacking: readonly number[];
}

/** @param counters those of the record that count */
export function progressOf(of: CountersRecord | undefined, counters: Iterable<Counter>): Progress {
  let watermark: number | undefined;
  let countedUntil: number | undefined;
  const lacking = new Set<number>();
  for (const counter of counters) {
    watermark = Math.min(watermark ?? counter.watermark, counter.watermark);
    const until = counter.missing[0]?.from ?? counter.watermark;
    countedUntil = Math.min(countedUntil ?? until, until);
    lacking.add(counter.watermark);
    for (const { from } of counter.missing) lacking.add(from);
  }
  return { of, watermark, countedUntil, lacking: [...lacking] };
}

/** A counter that joins others, with their watermark: it lacks what they have never read. */
export function newCounter([first]: Iterable<Counter>, watermark: number): Counter {
  const missing = (first?.missing ?? []).filter(({ asked, to }) => asked === 0 && to <= watermark);
  return { total: 0, watermark, missing };
}

/**
 * Counters that nothing reads are kept for so long after they stopped: three times as long as the platform's
 * history reaches, so that none is missed that could be counted on from where it stopped.
 */
const KEPT_MS = 90 * 24 * 3_600_000;

/** Counters that are being kept: their key, and up to where they have counted (undefined: nothing yet). */
export interface KeptCounters {
  readonly key: StateKey;
  readonly watermark: number | undefined;
}

/**
 * Removes, in one commit, the counters that are not kept and have fallen far behind those that are; where none is kept,
 * none is removed. The clock does not matter. A counter that comes back begins anew, so that no bucket counts twice.
 * @throws StateWriteFailure when nothing was removed
 */
export async function pruneCounters(state: State, kept: Iterable<KeptCounters>): Promise<void> {
  const names = new Set<string>();
  let newest = Number.NEGATIVE_INFINITY;
  for (const { key, watermark } of kept) {
    names.add(nameOf(key));
    newest = Math.max(newest, watermark ?? newest);
  }
  const left = [...state.keys(['series'])].filter((key) => !names.has(nameOf(key)));
  const fallen = left.filter((key) => hasFallenBehind(state.get(key), newest - KEPT_MS));
  // What was pushed of them goes with them.
  const records = fallen.flatMap((key) => [key, ...Object.values(pushedKeys(key))]);
  await state.commit(records.map((key) => ({ key, value: undefined })));
}

/** Entries that are no counters, of another version perhaps, are left alone. */
function hasFallenBehind(stored: unknown, time: number): boolean {
  const counters = restoreCounters(stored);
  return (
    counters !== undefined &&
    counters.since < time &&
    [...counters.counters].every(([, { watermark }]) => watermark < time)
  );
}

function nameOf(key: StateKey): string {
  return JSON.stringify(key);
}

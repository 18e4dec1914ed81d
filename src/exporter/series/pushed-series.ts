import { z } from 'zod';
import type { TimedSample } from '../catalogue/family.ts';
import { FINEST_WINDOW_MS } from '../settling/window.ts';
import type { StateEntry, StateKey } from '../state/state.ts';
import { addedUp, type Counter } from './counter.ts';
import type { CounterUpdate } from './counters.ts';
import type { CountersByDimension } from './packed-series.ts';
import type { SeriesSamples } from './samples.ts';
import { byStoredName, type CountersRecord, storedByName } from './series-memory.ts';
import type { WindowedAnswer } from './series-source.ts';

/** Samples to push, and the record of that, to be committed with them. */
export interface ToPush {
  readonly samples: readonly TimedSample[];
  readonly commit: readonly StateEntry[];
}

export const NOTHING_TO_PUSH: ToPush = { samples: [], commit: [] };

/** What of an update is pushed. */
type CountedUpdate = Pick<CounterUpdate, 'settled'> & {
  readonly record: Pick<CountersRecord, 'since' | 'counters'>;
};

/** Where it is kept what was pushed of a series, and what the state holds there. */
export interface Pushed {
  readonly key: StateKey;
  readonly stored: unknown;
  readonly samples: SeriesSamples;
}

/** What was pushed of a counter, by dimension. */
const records = z.record(
  z.string(),
  z.object({
    /** The counter's total when this was written: where it differs, buckets were counted that nobody pushed. */
    counted: z.number(),
    /** The sum up to `until`, as pushed. */
    total: z.number(),
    /** The end of the last bucket pushed. */
    until: z.number(),
    /** Buckets counted before others that come earlier: `[start, end, value]`, ascending. */
    held: z.array(z.tuple([z.number(), z.number(), z.number()])),
  }),
);

type PushedCounter = z.infer<typeof records>[string];

/**
 * What is pushed of the counters of one metric of one target. Counters take buckets in as they come; after an outage the
 * newest come first. A sample says what had happened up to its time, so a bucket waits here until nothing before it is due.
 * @param before the counters before the update
 */
export function countersToPush(
  before: CountersByDimension | undefined,
  update: CountedUpdate,
  { key, stored, samples }: Pushed,
): ToPush {
  const known = byStoredName(records.safeParse(stored).data ?? {});
  const moments: { dimension: string; at: number; total: number }[] = [];
  let isChanged = false;
  const settled = groupedBySeries(update);
  for (const [dimension, counter] of update.record.counters) {
    const buckets = settled.get(dimension) ?? [];
    const old = before?.get(dimension);
    const last = known.get(dimension);
    const isBeginning = old === undefined;
    if (!isBeginning && buckets.length === 0 && (last === undefined || last.held.length === 0)) continue;
    const start: PushedCounter =
      last !== undefined && last.counted === old?.total ? last : startOf(old, counter, buckets);
    // Not at the start itself: an earlier counter of the same name, lost with its state, may have a sample there.
    if (isBeginning) moments.push({ dimension, at: start.until + 1, total: 0 });
    const after = released(start, counter, buckets, (at, total) => moments.push({ dimension, at, total }));
    known.set(dimension, after);
    isChanged = true;
  }
  if (!isChanged) return NOTHING_TO_PUSH;
  const { since, counters } = update.record;
  // The metric is no longer broken down by this value. If it comes back, its counter begins anew.
  const names = new Set(counters.keys());
  for (const dimension of known.keys()) if (!names.has(dimension)) known.delete(dimension);
  return { samples: samples.totals(moments, since), commit: [{ key, value: storedByName(known) }] };
}

type Bucket = PushedCounter['held'][number];

function groupedBySeries({ settled }: CountedUpdate): ReadonlyMap<string, Bucket[]> {
  const groups = new Map<string, Bucket[]>();
  for (const { dimension, start, width, value } of settled) {
    const group = groups.get(dimension) ?? [];
    groups.set(dimension, group);
    group.push([start, start + width, value]);
  }
  return groups;
}

/** The beginning for a counter that was never pushed, or not completely: its total until now counts as pushed. */
function startOf(old: Counter | undefined, counter: Counter, buckets: readonly Bucket[]): PushedCounter {
  const begins = [counter.watermark, counter.missing[0]?.from, buckets[0]?.[0]];
  const begin = Math.min(...begins.filter((time) => time !== undefined));
  const total = old?.total ?? 0;
  return { counted: total, total, until: begin, held: [] };
}

function released(
  before: PushedCounter,
  { total: counted, missing }: Counter,
  buckets: readonly Bucket[],
  push: (at: number, total: number) => void,
): PushedCounter {
  const due = missing[0]?.from ?? Number.POSITIVE_INFINITY;
  const waiting = [...before.held, ...buckets].sort(([a], [b]) => a - b);
  let { total, until } = before;
  const held: Bucket[] = [];
  for (const bucket of waiting) {
    const [start, end, value] = bucket;
    if (start >= due) {
      held.push(bucket);
      continue;
    }
    total = addedUp(total, value);
    // A bucket that ends before the last pushed sample is part of the next one, since samples must not go back in time.
    if (end <= until) continue;
    until = end;
    push(end, total);
  }
  return { counted, total, until, held };
}

/** How long (ms) the watermark of a dimension is kept that answers no longer contain: no answer reaches back further. */
const KEPT_MS = 2 * FINEST_WINDOW_MS;

/** Start of the last bucket that was pushed, by dimension. */
const watermarks = z.record(z.string(), z.number());

/**
 * The gauges of the buckets that ended by `until` and were not pushed yet. Each is pushed once, with the value that it had
 * when it was published first, since receivers do not take another one for the same time. The record is as durable as the
 * outbox.
 */
export function gaugesToPush(
  { decoded }: WindowedAnswer,
  width: number,
  until: number,
  { key, stored, samples }: Pushed,
): ToPush {
  const last = byStoredName(watermarks.safeParse(stored).data ?? {});
  const found: TimedSample[] = [];
  samples.meet(decoded.series.keys());
  for (const [dimension, points] of decoded.series) {
    const from = last.get(dimension) ?? Number.NEGATIVE_INFINITY;
    const gauges = samples.gaugesOf(dimension, points, { from, until, width });
    const newest = gauges.at(-1);
    if (newest === undefined) continue;
    found.push(...gauges);
    last.set(dimension, newest.at - width);
  }
  for (const [dimension, start] of last)
    if (start < until - KEPT_MS && !decoded.series.has(dimension)) last.delete(dimension);
  return { samples: found, commit: found.length === 0 ? [] : [{ key, value: storedByName(last) }] };
}

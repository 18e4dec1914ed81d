import type { TimedSample } from '../catalogue/family.ts';
import { NO_POINTS, type Points } from '../decode/points.ts';
import type { Counter } from './counting.ts';
import { addedUp } from './decimals.ts';
import type { DimensionLedger, Ledger, PushedBucket, PushedCounter, SettledBucket } from './ledger.ts';
import type { SeriesSamples } from './samples.ts';

/** Ledger with its push state, and the samples to push. */
export interface Push {
  readonly ledger: Ledger;
  readonly samples: readonly TimedSample[];
}

/** Input for the samples that are pushed with an answer. */
export interface PushRules {
  readonly samples: SeriesSamples;
  /** Time (platform ms) up to which buckets are pushed as gauges; undefined to push none. */
  readonly gaugesUntil: number | undefined;
  readonly usable: ReadonlyMap<string, Points>;
}

/**
 * Returns the samples to push from a ledger. A counter's sample covers all time before it, so a bucket waits until there is no
 * earlier hole. A gauge is pushed once, since receivers accept no second value for the same time.
 */
export function pushOf(
  before: Ledger,
  after: Ledger,
  settled: readonly SettledBucket[],
  rules: PushRules,
): Push {
  const { samples, gaugesUntil, usable } = rules;
  const buckets = new Map<string, PushedBucket[]>();
  for (const { dimension, start, width, value } of settled) {
    const mine = buckets.get(dimension) ?? [];
    buckets.set(dimension, mine);
    mine.push([start, start + width, value]);
  }
  const totals: { dimension: string; at: number; total: number }[] = [];
  const gauges: TimedSample[] = [];
  const dimensions = new Map(after.dimensions);
  for (const [name, known] of after.dimensions) {
    let { pushed } = known;
    if (known.counter !== undefined) {
      const counter = pushedCounter(
        before.dimensions.get(name),
        known,
        buckets.get(name) ?? [],
        (at, total) => totals.push({ dimension: name, at, total }),
      );
      if (counter !== pushed?.counter) pushed = { ...pushed, counter };
    }
    if (gaugesUntil !== undefined && known.width !== undefined) {
      const given = {
        from: pushed?.gauge ?? Number.NEGATIVE_INFINITY,
        until: gaugesUntil,
        width: known.width,
      };
      const found = samples.gaugesOf(name, usable.get(name) ?? NO_POINTS, given);
      const newest = found.at(-1);
      if (newest !== undefined) pushed = { ...pushed, gauge: newest.at - known.width };
      gauges.push(...found);
    }
    if (pushed !== known.pushed) dimensions.set(name, { ...known, pushed });
  }
  const since = after.since ?? 0;
  return { ledger: { ...after, dimensions }, samples: [...samples.totals(totals, since), ...gauges] };
}

function pushedCounter(
  before: DimensionLedger | undefined,
  { counter, pushed }: DimensionLedger,
  buckets: readonly PushedBucket[],
  push: (at: number, total: number) => void,
): PushedCounter | undefined {
  const last = pushed?.counter;
  if (counter === undefined) return last;
  const isBeginning = before?.counter === undefined;
  if (!isBeginning && buckets.length === 0 && (last === undefined || last.held.length === 0)) return last;
  const isContinued = last !== undefined && last.counted === before?.counter?.total;
  const start = isContinued ? last : beginningOf(before?.counter, counter, buckets);
  // The sample is not at the start itself, where an earlier counter of the same name, lost with its state, may have one.
  if (isBeginning) push(start.until + 1, 0);
  return released(start, counter, buckets, push);
}

/** Returns the initial push state of a counter. Its total before the first push counts as pushed. */
function beginningOf(
  old: Counter | undefined,
  counter: Counter,
  buckets: readonly PushedBucket[],
): PushedCounter {
  const begins = [counter.watermark, counter.holes[0]?.from, buckets[0]?.[0]];
  const begin = Math.min(...begins.filter((time) => time !== undefined));
  const total = old?.total ?? 0;
  return { counted: total, total, until: begin, held: [] };
}

function released(
  before: PushedCounter,
  { total: counted, holes }: Counter,
  buckets: readonly PushedBucket[],
  push: (at: number, total: number) => void,
): PushedCounter {
  const due = holes[0]?.from ?? Number.POSITIVE_INFINITY;
  const waiting = [...before.held, ...buckets].sort(([one], [other]) => one - other);
  let { total, until } = before;
  const held: PushedBucket[] = [];
  for (const bucket of waiting) {
    const [start, end, value] = bucket;
    if (start >= due) {
      held.push(bucket);
      continue;
    }
    total = addedUp(total, value);
    // A bucket that ends before the last pushed sample is part of the next one, since samples must be in order.
    if (end <= until) continue;
    until = end;
    push(end, total);
  }
  return { counted, total, until, held };
}

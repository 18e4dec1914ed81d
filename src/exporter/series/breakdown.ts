import type { Decoded } from '../decode/decode.ts';
import { NO_CHECKPOINTS } from './checkpoints.ts';
import { bucketsIn, type Counter, type Hole } from './counting.ts';
import type { DimensionLedger, HasCounter, Ledger } from './ledger.ts';
import type { Row } from './rows.ts';
import { without } from './spans.ts';

// An open breakdown divides a metric by values that no list contains, such as hosts. Each answer divides it completely: the
// largest values, and the rest as one. The set of values changes.

/** Returns true if the breakdown has changed since the answer was requested, so that buckets would be counted twice. */
export function isOutdated(ledger: Ledger, { insteadOf }: Decoded): boolean {
  if (insteadOf === undefined) return false;
  const names = counterNames(ledger);
  return insteadOf.length !== names.size || !insteadOf.every((name) => names.has(name));
}

/** Returns the names of the dimensions with a counter. */
export function counterNames({ dimensions }: Ledger): Set<string> {
  return new Set([...dimensions].flatMap(([name, { counter }]) => (counter === undefined ? [] : [name])));
}

/**
 * Returns the ledger with exactly the counters of a complete breakdown. All counters have the same watermark, so that each bucket
 * is counted by one of them. Buckets that only some had counted are left out.
 */
export function withBreakdownOf(
  ledger: Ledger,
  { series, insteadOf }: Decoded,
  counts: HasCounter,
): { readonly ledger: Ledger; readonly leftOut: number } {
  if (insteadOf === undefined || insteadOf.length === 0) return { ledger, leftOut: 0 };
  const names = [...series.keys()].filter(counts);
  if (insteadOf.length === names.length && insteadOf.every((name) => series.has(name)))
    return { ledger, leftOut: 0 };
  const known = [...ledger.dimensions.values()].filter(({ counter }) => counter !== undefined);
  const { leftOut, ...stand } = standOfAll(known);
  const dimensions = new Map(
    names.map((name): [string, DimensionLedger] => {
      const before = ledger.dimensions.get(name);
      const counter = { ...stand, total: before?.counter?.total ?? 0 };
      const { width, pushed } = before ?? { width: known[0]?.width, pushed: undefined };
      return [name, { width, recent: NOTHING_RECENT, counter, ...(pushed !== undefined && { pushed }) }];
    }),
  );
  return { ledger: { ...ledger, dimensions, checkpoints: NO_CHECKPOINTS }, leftOut };
}

const NOTHING_RECENT = { timestamps: new Float64Array(), values: new Float64Array() };

/** Returns the common position of all counters. Time that any of them has counted is not counted again. */
function standOfAll(
  dimensions: readonly DimensionLedger[],
): Pick<Counter, 'watermark' | 'holes'> & { readonly leftOut: number } {
  const counters = dimensions.flatMap(({ counter }) => counter ?? []);
  const width = dimensions[0]?.width ?? 60_000;
  const watermark = Math.max(...counters.map((counter) => counter.watermark));
  const lacking = counters.map(({ watermark: from, holes }): readonly Hole[] =>
    from === watermark ? holes : [...holes, { from, to: watermark, since: 0, asked: 0 }],
  );
  const [first = [], ...others] = lacking;
  const holes = others.reduce((lacked, other) => without(lacked, without(lacked, other)), first);
  const spans = lacking.flatMap((lacked) => without(lacked, holes));
  return { watermark, holes, leftOut: spans.reduce((sum, span) => sum + bucketsIn(span, width), 0) };
}

/**
 * Returns the rows that are present in all dimensions. In a complete breakdown, a bucket that one dimension lacks is missing in
 * all. A bucket that may be wider in one may be wider in all.
 */
export function wholeBuckets(
  { insteadOf }: Decoded,
  dimensions: ReadonlyMap<string, { readonly rows: readonly Row[] }>,
  counts: HasCounter,
): ReadonlyMap<string, readonly Row[]> {
  const rows = [...dimensions].map(([name, read]) => [name, read.rows] as const);
  if (insteadOf === undefined) return new Map(rows);
  const counted = rows.filter(([name]) => counts(name));
  const common = new Map<number, { times: number; isClear: boolean; end: number }>();
  for (const { start, isClear, end } of counted.flatMap(([, mine]) => mine)) {
    const known = common.get(start);
    if (known === undefined) common.set(start, { times: 1, isClear, end });
    else {
      known.times += 1;
      known.isClear &&= isClear;
      known.end = Math.max(known.end, end);
    }
  }
  return new Map(
    counted.map(([name, mine]) => [
      name,
      mine.flatMap((row) => {
        const { times, isClear = false, end = row.end } = common.get(row.start) ?? {};
        return times === counted.length ? [{ ...row, isClear, end }] : [];
      }),
    ]),
  );
}

import { z } from 'zod';
import { NO_POINTS } from '../decode/points.ts';
import type { StateKey } from '../state/state.ts';
import type { Target } from '../targets/target.ts';
import { type DimensionLedger, EMPTY_LEDGER, type Ledger } from './ledger.ts';

const number = z.number();

/** Durable form of a dimension. Times are ms since the epoch. */
const storedDimension = z.strictObject({
  /** Bucket width (ms); undefined while it is in doubt. */
  width: number.positive().optional(),
  total: number.nonnegative(),
  watermark: number,
  /** Holes, each as `[from, to, since, asked]`. */
  holes: z.array(z.tuple([number, number, number, z.int().nonnegative()])),
  pushed: z
    .strictObject({
      counter: z
        .strictObject({
          counted: number,
          total: number,
          until: number,
          held: z.array(z.tuple([number, number, number])),
        })
        .optional(),
      gauge: number.optional(),
    })
    .optional(),
});

/** Durable form of a ledger: one record for each metric of a target. */
const storedLedger = z.strictObject({
  version: z.literal(3),
  since: number,
  reached: number.optional(),
  dimensions: z.record(z.string(), storedDimension),
});

type StoredLedger = z.input<typeof storedLedger>;

/** Returns the key of a ledger. It omits the configuration's name, so that counters continue after a rename. */
export function ledgerKey({ account, product, by, id }: Target, metric: string): StateKey {
  return ['series', account, product.api, product.slug, by, id, metric];
}

/** Prefix of a stored name that would otherwise clash with a property of every object, or with `toJSON`. */
const ESCAPE = '\0';

function storedName(name: string): string {
  return name in {} || name === 'toJSON' || name.startsWith(ESCAPE) ? `${ESCAPE}${name}` : name;
}

function nameOfStored(stored: string): string {
  return stored.startsWith(ESCAPE) ? stored.slice(ESCAPE.length) : stored;
}

/** Returns the durable form of a ledger; undefined before anything is counted. */
export function storeLedger({ since, reached, dimensions }: Ledger): StoredLedger | undefined {
  if (since === undefined) return undefined;
  const stored: StoredLedger['dimensions'] = {};
  for (const [name, { width, counter, pushed }] of dimensions) {
    if (counter === undefined) continue;
    const { total, watermark, holes } = counter;
    stored[storedName(name)] = {
      ...(width !== undefined && { width }),
      total,
      watermark,
      holes: holes.map((hole) => [hole.from, hole.to, hole.since, hole.asked]),
      ...(pushed !== undefined && { pushed }),
    };
  }
  return { version: 3, since, ...(reached !== undefined && { reached }), dimensions: stored };
}

/** Returns the ledger in the state; an empty ledger if there is none, or if it is invalid. */
export function restoreLedger(stored: unknown): Ledger {
  const data = stored === undefined ? undefined : storedLedger.safeParse(stored).data;
  if (data === undefined) return EMPTY_LEDGER;
  const dimensions = new Map(
    Object.entries(data.dimensions).map(([name, { width, total, watermark, holes, pushed }]) => {
      const counter = {
        total,
        watermark,
        holes: holes.map(([from, to, since, asked]) => ({ from, to, since, asked })),
      };
      const dimension: DimensionLedger = {
        width,
        recent: NO_POINTS,
        counter,
        ...(pushed !== undefined && { pushed }),
      };
      return [nameOfStored(name), dimension] as const;
    }),
  );
  return { ...EMPTY_LEDGER, since: data.since, reached: data.reached, dimensions };
}

/** Returns true if the durable parts of two ledgers differ. */
export function isChanged(before: Ledger, after: Ledger): boolean {
  if (before.since !== after.since) return true;
  let counters = 0;
  for (const [name, { width, counter, pushed }] of after.dimensions) {
    if (counter === undefined) continue;
    counters += 1;
    const known = before.dimensions.get(name);
    if (known?.width !== width || known?.pushed !== pushed || !isSame(known?.counter, counter)) return true;
  }
  for (const { counter } of before.dimensions.values()) if (counter !== undefined) counters -= 1;
  return counters !== 0;
}

function isSame(one: DimensionLedger['counter'], other: NonNullable<DimensionLedger['counter']>): boolean {
  if (one === other) return true;
  if (
    one?.total !== other.total ||
    one.watermark !== other.watermark ||
    one.holes.length !== other.holes.length
  )
    return false;
  return one.holes.every((hole, index) => {
    const with_ = other.holes[index];
    return (
      hole.from === with_?.from &&
      hole.to === with_.to &&
      hole.since === with_.since &&
      hole.asked === with_.asked
    );
  });
}

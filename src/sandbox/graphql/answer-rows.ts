import type { Account } from '../account/platform-account.ts';
import { bucketSums } from '../traffic/bucket-sums.ts';
import type { Buckets, Settling } from '../traffic/buckets.ts';
import { GROUPS, type Group } from '../traffic/groups.ts';
import type { Span, Traffic } from '../traffic/traffic.ts';
import type { Calculated, Dataset, Facts, Value } from './dataset.ts';
import { type Condition, TS } from './filter.ts';
import { type BucketCells, divide, type Unit } from './population.ts';

/** Values of a row by field; `ts` is in ms since the epoch. */
export type Row = Readonly<Record<string, Value>>;

/** A question to a dataset. */
export interface RowsQuery {
  readonly dataset: Dataset;
  /** Names of dimensions, which may include `ts`. */
  readonly groupBy: readonly string[];
  /** Conditions, all of which must be met. */
  readonly conditions: readonly Condition[];
  /** Calculated fields by name. */
  readonly fields: ReadonlyMap<string, Calculated>;
  readonly orderBy: readonly Order[];
  readonly offset: number;
  readonly limit: number;
}

export interface Order {
  readonly field: string;
  readonly descending: boolean;
}

/** Source of the rows. */
export interface RowsSource {
  readonly traffic: Traffic;
  readonly account: Account;
  /** Consecutive ranges of buckets, ordered by time. */
  readonly buckets: readonly Buckets[];
  readonly settling: Settling;
  /** Returns true if the bucket with this start exists. */
  has(start: number, width: number): boolean;
}

/** A row whose counts are being summed. */
interface Sums {
  readonly keys: readonly Value[];
  readonly sums: number[];
  readonly width: number;
}

/** Maximum number of buckets that are counted at once, because the rest of a truncated response need not be counted. */
const PIECE = 16;

/** Returns the rows of a dataset: one per combination of dimension values with any count. */
export function rowsOf(source: RowsSource, query: RowsQuery): readonly Row[] {
  const { offset, limit, groupBy, orderBy } = query;
  const order = orderBy.length === 0 ? [{ field: TS, descending: false }] : orderBy;
  const isInTime = groupBy.includes(TS) && order[0]?.field === TS && !order[0].descending;
  const seconds = source.buckets.reduce((sum, { count, width }) => sum + (count * width) / 1000, 0);
  const rows = new Map<string, Sums>();
  const count = counterOf(source, query, rows);
  for (const buckets of pieces(source.buckets, isInTime ? PIECE : Number.POSITIVE_INFINITY)) {
    if (isInTime && rows.size >= offset + limit) break;
    count(buckets);
  }
  return [...rows.values()]
    .map((row) => rowOf(row, query, isInTime ? row.width / 1000 : seconds))
    .sort(by(order))
    .slice(offset, offset + limit);
}

function* pieces(all: readonly Buckets[], size: number): Generator<Buckets> {
  for (const { start, width, count } of all)
    for (let done = 0; done < count; done += size)
      yield { start: start + done * width, width, count: Math.min(size, count - done) };
}

function rowOf({ keys, sums }: Sums, { groupBy, fields }: RowsQuery, seconds: number): Row {
  const row: Record<string, Value> = {};
  for (const [index, name] of groupBy.entries()) row[name] = keys[index] ?? null;
  let at = 0;
  for (const [name, { quantities, value }] of fields) {
    row[name] = value(sums.slice(at, at + quantities.length), seconds);
    at += quantities.length;
  }
  return row;
}

function by(order: readonly Order[]): (one: Row, other: Row) => number {
  return (one, other) => {
    for (const { field, descending } of order) {
      const [a = null, b = null] = [one[field], other[field]];
      if (a === b) continue;
      const isLess = a === null || (b !== null && a < b);
      return isLess === descending ? 1 : -1;
    }
    return 0;
  };
}

/** Returns the cells of the bucket `at` of one source. Each group is counted when it is first needed. */
function cellsOf(span: Span, buckets: Buckets, settling: Settling): BucketCells & { at: number } {
  const groups = new Map<Group, Float64Array>();
  return {
    at: 0,
    cell(group, index) {
      const sums = groups.get(group) ?? bucketSums([span], group, buckets, settling);
      groups.set(group, sums);
      return sums[this.at * GROUPS[group].length + index] ?? 0;
    },
  };
}

/** Unit of a value without one. */
const NO_UNIT: Unit = () => 0;

/** Returns the function that adds consecutive buckets to the rows. */
function counterOf(
  source: RowsSource,
  query: RowsQuery,
  rows: Map<string, Sums>,
): (buckets: Buckets) => void {
  const { dataset, groupBy, conditions } = query;
  const aspectsOf = (name: string) => dataset.dimensions[name]?.aspects ?? [];
  const isOfUnits = ({ dimensions: names }: Condition) => names.some((name) => aspectsOf(name).length > 0);
  const ofUnits = conditions.filter(isOfUnits);
  const ofBuckets = conditions.filter((condition) => !isOfUnits(condition));
  const ofSources = ofBuckets.filter((condition) => !condition.dimensions.includes(TS));
  const reading = (facts: Facts, ts: number, unit: Unit) => (name: string) =>
    name === TS ? ts : (dataset.dimensions[name]?.value(facts, unit) ?? null);
  const spans = [...source.traffic.spans(dataset.product)]
    .map((span) => ({ span, known: dataset.facts(source.account, span) }))
    .filter(({ known }) => ofSources.every(({ holds }) => holds(reading(known, 0, NO_UNIT))));
  const quantities = [...query.fields.values()].flatMap((field) => field.quantities);
  const named = [...groupBy, ...ofUnits.flatMap((condition) => condition.dimensions)].flatMap(aspectsOf);
  const populations = dataset.populations.map((population) => {
    const own = quantities.flatMap((quantity, index) =>
      quantity.of === population.name ? [{ quantity, index }] : [],
    );
    const names = new Set([...named, ...own.flatMap(({ quantity }) => quantity.aspects)]);
    return { population, own, aspects: population.aspects.filter(({ name }) => names.has(name)) };
  });
  const rowFor = (keys: readonly Value[], width: number) => {
    const key = keys.join('\u0000');
    const row = rows.get(key) ?? { keys, sums: quantities.map(() => 0), width };
    rows.set(key, row);
    return row;
  };
  const addSpan = ({ span, known }: (typeof spans)[number], { start, width, count }: Buckets) => {
    if (span.to <= start || span.from >= start + count * width) return;
    const cells = cellsOf(span, { start, width, count }, source.settling);
    for (; cells.at < count; cells.at++) {
      const ts = start + cells.at * width;
      const facts = { ...known, slowed: source.traffic.slowed(span.source.id, ts, ts + width) };
      const isCounted = ofBuckets.every(({ holds }) => holds(reading(facts, ts, NO_UNIT)));
      if (!isCounted || !source.has(ts, width)) continue;
      for (const { population, own, aspects } of populations) {
        divide(population, aspects, cells, (units, unit) => {
          const read = reading(facts, ts, unit);
          if (!ofUnits.every(({ holds }) => holds(read))) return;
          const { sums } = rowFor(groupBy.map(read), width);
          for (const { quantity, index } of own)
            sums[index] = (sums[index] ?? 0) + units * quantity.each(unit, facts);
        });
      }
    }
  };
  return (buckets) => {
    for (const span of spans) addSpan(span, buckets);
  };
}

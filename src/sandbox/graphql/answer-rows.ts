import type { Account } from '../account/platform-account.ts';
import { bucketSums } from '../traffic/bucket-sums.ts';
import type { Buckets, Settling } from '../traffic/buckets.ts';
import { GROUPS, type Group } from '../traffic/groups.ts';
import type { Span, Traffic } from '../traffic/traffic.ts';
import { type Condition, TS } from './condition.ts';
import type { Calculated, Dataset, Dimension, Facts, Quantity, Value } from './dataset.ts';
import { type BucketCells, divide, type Unit } from './population.ts';

/** A row by its fields; `ts` in ms since the epoch. */
export type Row = Readonly<Record<string, Value>>;

/** What is asked of a dataset. */
export interface RowsQuery {
  readonly dataset: Dataset;
  /** Names of dimensions; `ts` among them. */
  readonly groupBy: readonly string[];
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
  /** What is calculated, by the name of the field. */
  readonly fields: ReadonlyMap<string, Calculated>;
  readonly orderBy: readonly Order[];
  readonly offset: number;
  readonly limit: number;
}

export interface Order {
  readonly field: string;
  readonly descending: boolean;
}

/** Where the rows come from. */
export interface RowsSource {
  readonly traffic: Traffic;
  readonly account: Account;
  /** Neighbouring buckets in the order of time. */
  readonly buckets: readonly Buckets[];
  readonly settling: Settling;
  /** Whether the bucket that starts then is there. */
  has(start: number, width: number): boolean;
}

/** A row that is being added up. */
interface Sums {
  readonly keys: readonly Value[];
  readonly sums: number[];
  readonly ts: number;
  readonly width: number;
}

/** The rows of a dataset: one for each combination of what they are grouped by of which there was anything. */
export function rowsOf(source: RowsSource, query: RowsQuery): readonly Row[] {
  const { orderBy, offset, limit, groupBy } = query;
  const [first] = orderBy;
  const inTime = groupBy.includes(TS) && (first === undefined || (first.field === TS && !first.descending));
  const rows: Row[] = [];
  const seconds = source.buckets.reduce((sum, { count, width }) => sum + (count * width) / 1000, 0);
  const counter = new Counter(source, query);
  const size = Math.ceil((offset + limit) / Math.max(1, counter.spans.length));
  for (const buckets of inTime ? pieces(source.buckets, size) : [source.buckets]) {
    for (const row of counter.count(buckets))
      rows.push(rowOf(row, query, inTime ? row.width / 1000 : seconds));
    if (inTime && rows.length >= offset + limit) break;
  }
  const order: readonly Order[] = first === undefined ? [{ field: TS, descending: false }] : orderBy;
  return rows.sort(by(order)).slice(offset, offset + limit);
}

/** Few buckets at a time, then more: of an answer that is cut, the rest need not be counted. */
function* pieces(all: readonly Buckets[], first: number): Generator<readonly Buckets[]> {
  let size = Math.max(1, first);
  for (const { start, width, count } of all) {
    for (let done = 0; done < count; size *= 2) {
      const part = Math.min(size, count - done);
      yield [{ start: start + done * width, width, count: part }];
      done += part;
    }
  }
}

function rowOf({ keys, sums }: Sums, { groupBy, fields }: RowsQuery, seconds: number): Row {
  const row: Record<string, Value> = {};
  groupBy.forEach((name, index) => {
    row[name] = keys[index] ?? null;
  });
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

/** The cells of one source in neighbouring buckets, each group counted when it is first needed. */
class SpanCells implements BucketCells {
  readonly #span: Span;
  readonly #buckets: Buckets;
  readonly #settling: Settling;
  readonly #groups = new Map<Group, Float64Array>();
  /** The bucket whose cells are meant. */
  at = 0;

  constructor(span: Span, buckets: Buckets, settling: Settling) {
    this.#span = span;
    this.#buckets = buckets;
    this.#settling = settling;
  }

  cell(group: Group, index: number): number {
    let sums = this.#groups.get(group);
    if (sums === undefined) {
      sums = bucketSums([this.#span], group, this.#buckets, this.#settling);
      this.#groups.set(group, sums);
    }
    return sums[this.at * GROUPS[group].length + index] ?? 0;
  }
}

class Counter {
  readonly #source: RowsSource;
  readonly #query: RowsQuery;
  readonly #quantities: readonly Quantity[];
  readonly #dimensions: ReadonlyMap<string, Dimension>;
  /** The dimensions of a unit that rows are grouped by, or that conditions are about. */
  readonly #ofUnits: readonly string[];
  readonly #bucketConditions: readonly Condition[];
  readonly #unitConditions: readonly Condition[];
  readonly #facts = new Map<Span, Facts>();
  /** The sources that there may be rows of. */
  readonly spans: readonly Span[];

  constructor(source: RowsSource, query: RowsQuery) {
    this.#source = source;
    this.#query = query;
    const { dataset, groupBy, conditions, fields } = query;
    this.#quantities = [...fields.values()].flatMap(({ quantities }) => quantities);
    this.#dimensions = new Map(dataset.dimensions.map((dimension) => [dimension.name, dimension]));
    const isOfUnits = (name: string) => (this.#dimensions.get(name)?.aspects.length ?? 0) > 0;
    const isOfSource = (name: string) => name !== TS && !isOfUnits(name);
    const about = (holds: (name: string) => boolean) => (condition: Condition) =>
      condition.dimensions.every(holds);
    const sourceConditions = conditions.filter(about(isOfSource));
    this.#bucketConditions = conditions.filter(
      (condition) => !about(isOfSource)(condition) && !condition.dimensions.some(isOfUnits),
    );
    this.#unitConditions = conditions.filter(({ dimensions }) => dimensions.some(isOfUnits));
    this.#ofUnits = [...groupBy, ...this.#unitConditions.flatMap(({ dimensions }) => dimensions)].filter(
      isOfUnits,
    );
    this.spans = [...source.traffic.spans(dataset.product)].filter((span) => {
      const facts = dataset.facts(source.account, span);
      this.#facts.set(span, facts);
      const read = (name: string) => this.#dimensions.get(name)?.value(facts, NO_UNIT) ?? null;
      return sourceConditions.every((condition) => condition.holds(read));
    });
  }

  count(buckets: readonly Buckets[]): Iterable<Sums> {
    const rows = new Map<string, Sums>();
    for (const part of buckets) for (const span of this.spans) this.#addSpan(span, part, rows);
    return rows.values();
  }

  #addSpan(span: Span, buckets: Buckets, rows: Map<string, Sums>): void {
    const { start, width, count } = buckets;
    if (span.to <= start || span.from >= start + count * width) return;
    const known = this.#facts.get(span) ?? {};
    const cells = new SpanCells(span, buckets, this.#source.settling);
    for (let at = 0; at < count; at++) {
      const ts = start + at * width;
      if (!this.#source.has(ts, width)) continue;
      const slowed = this.#source.traffic.slowed(span.source.id, ts, ts + width);
      const facts = slowed === 0 ? known : { ...known, slowed };
      const read = (name: string, units: Unit = NO_UNIT) =>
        name === TS ? ts : (this.#dimensions.get(name)?.value(facts, units) ?? null);
      if (!this.#bucketConditions.every((condition) => condition.holds(read))) continue;
      cells.at = at;
      const row = (units: Unit) => {
        const keys = this.#query.groupBy.map((name) => read(name, units));
        const key = keys.join('\u0000');
        const known = rows.get(key) ?? { keys, sums: this.#quantities.map(() => 0), ts, width };
        rows.set(key, known);
        return known;
      };
      if (this.#ofUnits.length === 0) this.#addWhole(cells, facts, row);
      else this.#addDivided(cells, facts, row, read);
    }
  }

  /** Nothing shows units: each quantity is added up by its own aspects. */
  #addWhole(cells: SpanCells, facts: Facts, row: (units: Unit) => Sums): void {
    const there = this.#query.dataset.populations.filter((population) => population.whole(cells) > 0);
    if (there.length === 0) return;
    const { sums } = row(NO_UNIT);
    this.#quantities.forEach(({ of, aspects, each }, index) => {
      const population = there.find(({ name }) => name === of);
      if (population === undefined) return;
      const own = population.aspects.filter(({ name }) => aspects.includes(name));
      divide(population, own, cells, (units, unit) => {
        sums[index] = (sums[index] ?? 0) + units * each(unit, facts);
      });
    });
  }

  #addDivided(
    cells: SpanCells,
    facts: Facts,
    row: (units: Unit) => Sums,
    read: (name: string, units: Unit) => Value,
  ): void {
    for (const population of this.#query.dataset.populations) {
      const own = this.#quantities.flatMap((quantity, index) =>
        quantity.of === population.name ? [{ quantity, index }] : [],
      );
      const names = new Set([
        ...this.#ofUnits.flatMap((name) => this.#dimensions.get(name)?.aspects ?? []),
        ...own.flatMap(({ quantity }) => quantity.aspects),
      ]);
      const aspects = population.aspects.filter(({ name }) => names.has(name));
      divide(population, aspects, cells, (count, units) => {
        const isWanted = this.#unitConditions.every((condition) =>
          condition.holds((name) => read(name, units)),
        );
        if (!isWanted) return;
        const { sums } = row(units);
        for (const { quantity, index } of own) {
          sums[index] = (sums[index] ?? 0) + count * quantity.each(units, facts);
        }
      });
    }
  }
}

/** Where no unit is meant. */
const NO_UNIT: Unit = () => 0;

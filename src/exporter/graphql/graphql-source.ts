import type { Product } from '../catalogue/products.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import { type Decoded, mergeDecoded } from '../decode/decode.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import type { CountersAsked, SeriesAsked, SourceReader, WindowedAnswer } from '../series/series-source.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { AccountMemory } from '../state/account-memory.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import { ownId } from '../targets/target.ts';
import { type Column, columnOf, type DatasetRows, decodeColumns, keyOf, rowsOf } from './dataset-rows.ts';
import { fieldsOf, type MetricFields } from './fields.ts';
import { KnownFields } from './known-fields.ts';
import { datasetQuestion, MOST_ROWS, resourceOf } from './question.ts';
import { RowsMemory } from './rows-learned.ts';
import { type SharedAnswer, SharedReads } from './shared-reads.ts';
import { TopValues } from './top-values.ts';

export interface GraphqlSourceOptions {
  /** The account, and the address of its API. */
  readonly account: { readonly name: string; readonly address: string };
  readonly memory: Pick<AccountMemory, 'of' | 'adopt'>;
  readonly platformClock: PlatformClock;
  /** The units in which the account's counters are kept. */
  readonly units: UnitOverrides;
  /** The largest answer that is accepted, in bytes. */
  readonly mostBytes: number;
}

/** The platform's GraphQL analytics of one account: few operations, each of which serves the readers of a whole dataset. */
export class GraphqlSource {
  readonly #options: GraphqlSourceOptions;
  readonly #schema: KnownFields;
  readonly #rows: RowsMemory;
  /** By what is asked of a target. */
  readonly #parts = new Map<string, readonly MetricPart[]>();
  /** By dataset, key and measure. */
  readonly #datasets = new Map<string, SharedReads>();

  constructor(options: GraphqlSourceOptions) {
    const { account, memory, platformClock } = options;
    this.#options = options;
    this.#schema = new KnownFields(account, memory, () => platformClock.localNow());
    this.#rows = new RowsMemory(account, memory);
  }

  /** What is to be saved of it. */
  get parts(): readonly [KnownFields['part'], RowsMemory['part']] {
    return [this.#schema.part, this.#rows.part];
  }

  /** Whether there is a field for any dimension of a metric. */
  static has(product: Product, metric: string): boolean {
    return fieldsOf(product, metric).length > 0;
  }

  /** Whether it has any metric of a product. */
  static serves(product: Product): boolean {
    return product.metrics.some((metric) => GraphqlSource.has(product, metric));
  }

  /** Fields that are asked for and that the endpoint does not have, as `dataset.field`. */
  missing(): readonly string[] {
    const missing = new Set<string>();
    for (const { fields, columns } of [...this.#parts.values()].flat()) {
      const { dataset, summed, split } = fields;
      const rows = [split?.by, ...(summed === undefined ? columns.flatMap((column) => column.fields) : [])];
      for (const field of rows)
        if (field !== undefined && this.#schema.isAbsent(dataset, field)) missing.add(`${dataset}.${field}`);
      // What can be summed need not be a field of the rows.
      if (summed !== undefined && this.#schema.isRefused(dataset, summed))
        missing.add(`${dataset}.${summed}`);
    }
    return [...missing].sort();
  }

  reader(asked: SeriesAsked): SourceReader | undefined {
    const { target } = asked;
    const parts = this.#partsOf(asked);
    if (parts.length === 0) return undefined;
    const key = target.by === 'product' ? '' : ownId(target);
    for (const { reads, selects } of parts) reads.join({ key, fields: selects });
    return new DatasetReader({
      key,
      parts,
      schema: this.#schema,
      values: new TopValues(asked.wants, asked.most),
    });
  }

  /** The same for all targets of which the same is asked: there are thousands. */
  #partsOf({ target, metric, wants }: SeriesAsked): readonly MetricPart[] {
    const { product, by } = target;
    const found = fieldsOf(product, metric).map((fields) => ({
      fields,
      dimensions: [...fields.dimensions].filter(
        ([dimension]) => fields.split?.isOpen === true || wants(dimension),
      ),
    }));
    const names = found.flatMap(({ dimensions }) => dimensions.map(([dimension]) => dimension));
    const key = JSON.stringify([product.api, product.slug, by, metric, names]);
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const parts = found.map(({ fields, dimensions }) => {
      const columns = dimensions.map(([dimension, given]) =>
        columnOf(target, metric, dimension, given, this.#options.units),
      );
      // What is summed comes as one field, by whatever it is broken down.
      const isOne = fields.summed !== undefined && columns.length > 0;
      const selects = isOne ? ['sum'] : [...new Set(columns.flatMap((column) => column.fields))];
      const reads = this.#datasetOf(fields, by === 'product');
      return metricPart({ fields, columns, selects, reads }, this.#schema);
    });
    this.#parts.set(key, parts);
    return parts;
  }

  /** Lists a product's configurations. @throws PlatformFailure */
  configurations(product: Product, read: Read, signal: AbortSignal): Promise<readonly Configuration[]> {
    return configurationsWithTraffic(product, this.#options.platformClock, read, signal);
  }

  #datasetOf({ dataset, key, summed, split }: MetricFields, isWhole: boolean) {
    const name = [dataset, isWhole ? '' : key, summed, split?.by].join();
    const { platformClock, mostBytes } = this.#options;
    const known =
      this.#datasets.get(name) ??
      new SharedReads({
        dataset,
        key: isWhole ? undefined : key,
        summed,
        split,
        schema: this.#schema,
        learned: { of: () => this.#rows.of(name), learn: (after) => this.#rows.learn(name, after) },
        platformClock,
        mostBytes,
      });
    this.#datasets.set(name, known);
    return known;
  }
}

type MetricPart = ReturnType<typeof metricPart>;

/** What one question about a dataset brings of a metric: the same for thousands of targets. @param selects what the question selects for the columns */
function metricPart(
  given: {
    readonly fields: MetricFields;
    readonly columns: readonly Column[];
    readonly selects: readonly string[];
    readonly reads: SharedReads;
  },
  schema: KnownFields,
) {
  let served: { readonly by: KnownFields['known']; readonly columns: readonly Column[] } | undefined;
  return {
    ...given,
    /** Whether its values are whatever the platform names. */
    isOpen: given.fields.split?.isOpen === true,
    /** The columns of which all fields are there. They are looked up once more when more is known of the fields. */
    get served(): readonly Column[] {
      const by = schema.known;
      if (served?.by !== by) served = { by, columns: columnsServed(given, schema) };
      return served.columns;
    },
  };
}

function columnsServed(
  { fields: { dataset, summed, split }, columns }: Pick<MetricPart, 'fields' | 'columns'>,
  schema: KnownFields,
): readonly Column[] {
  if (schema.lacksDataset(dataset) || schema.refuses(dataset, summed)) return [];
  if (split !== undefined) return schema.lacks(dataset, split.by) ? [] : columns;
  return columns.filter(({ fields }) => fields.every((field) => !schema.lacks(dataset, field)));
}

interface DatasetReaderOptions {
  /** The value of the dataset's key. */
  readonly key: string;
  readonly parts: readonly MetricPart[];
  readonly schema: KnownFields;
  /** Which values of a field that may have any have series of their own. */
  readonly values: TopValues;
}

/** Reads one metric of one target, by operations that it shares with the other readers of its dataset. */
class DatasetReader implements SourceReader {
  readonly name = 'graphql';
  readonly group = QUESTIONS.group;
  readonly costsByWindow = true;
  readonly #options: DatasetReaderOptions;

  constructor(options: DatasetReaderOptions) {
    this.#options = options;
  }

  get dimensions(): ReadonlySet<string> | undefined {
    const served = this.#servedParts();
    if (served.some(({ isOpen }) => isOpen)) return undefined;
    return new Set(served.flatMap((part) => part.served.map(({ dimension }) => dimension)));
  }

  cost(): number {
    return this.#options.parts.reduce(
      (sum, { reads, columns }) => sum + (columns.length > 0 ? reads.cost() : 0),
      0,
    );
  }

  async read(
    read: Read,
    window: (now: number) => Window,
    signal: AbortSignal,
    counters?: CountersAsked,
  ): Promise<WindowedAnswer> {
    // Where nothing is served, no operation leaves that would ask whether this is still so.
    if (this.#servedParts().length === 0) await this.#options.schema.ask(read, signal);
    const asking = this.#servedParts();
    if (asking.length === 0) throw this.#nothingServed();
    let first: Window | undefined;
    const asked = (now: number) => {
      first ??= window(now);
      return first;
    };
    const outcomes = await Promise.allSettled(
      asking.map((part) => {
        const { reads, selects: fields } = part;
        const take = ({ rows, window, now, notice }: SharedAnswer): WindowedAnswer => {
          // An operation that serves others as well may reach further: of several, what was asked for is taken.
          const within = asking.length === 1 ? window : (first ?? window);
          // A field may have been refused meanwhile.
          const decoded = this.#decoded(part, rows, { window: within, now }, counters);
          return { decoded, window: within, now, ...(notice !== undefined && { notice }) };
        };
        const isPast = counters?.mayChange === false;
        return reads.read({ key: this.#options.key, fields, window: asked, take, isPast }, read, signal);
      }),
    );
    const answers: WindowedAnswer[] = [];
    const refusals: unknown[] = [];
    for (const [index, part] of asking.entries()) {
      const outcome = outcomes[index];
      if (outcome?.status === 'fulfilled') answers.push(outcome.value);
      else {
        // Only a part that was refused is left out: what failed otherwise is asked for again with the others.
        if (part.served.length > 0) throw outcome?.reason;
        refusals.push(outcome?.reason);
      }
    }
    const [only] = answers;
    const [refusal] = refusals;
    if (only === undefined) throw refusal;
    const notice =
      answers.find((answer) => answer.notice !== undefined)?.notice ??
      (refusal instanceof PlatformFailure ? refusal.message : undefined);
    return {
      decoded: answers.length === 1 ? only.decoded : mergeDecoded(answers.map(({ decoded }) => decoded)),
      window: only.window,
      now: Math.min(...answers.map(({ now }) => now)),
      ...(notice !== undefined && { notice }),
    };
  }

  #decoded(
    part: MetricPart,
    rows: DatasetRows,
    asOf: { readonly window: Window; readonly now: number },
    counters: CountersAsked | undefined,
  ): Decoded {
    const columns = part.served;
    const [open] = columns;
    if (open === undefined || !part.isOpen)
      return decodeColumns(rows, this.#options.key, columns, asOf.window);
    const insteadOf = [...(counters?.dimensions() ?? [])];
    const told = this.#options.values.columns(open, rows.byKey.get(this.#options.key), asOf, counters);
    return { ...decodeColumns(rows, this.#options.key, told, asOf.window), insteadOf };
  }

  #nothingServed(): PlatformFailure {
    const fields = new Set(this.#options.parts.flatMap(({ selects }) => selects));
    const { dataset } = this.#options.parts[0]?.fields ?? {};
    return new PlatformFailure('not_found', `the account's ${dataset} has none of ${[...fields].join(', ')}`);
  }

  #servedParts(): readonly MetricPart[] {
    return this.#options.parts.filter(({ served }) => served.length > 0);
  }
}

/** A configuration without traffic for so long (ms) is not found. */
const LOOK_BACK_MS = 7 * 24 * 60 * MINUTE_MS;

/** An answer that was cut is asked for again in halves of its time, down to this (ms). */
const SHORTEST_MS = 60 * MINUTE_MS;

/** There are more configurations than an answer may have: which of them it has is chance. */
export class ConfigurationsCut extends PlatformFailure {
  constructor(dataset: string) {
    super(
      'undecodable',
      `${MOST_ROWS} configurations or more have rows in an hour of ${dataset}: the platform cuts their list`,
    );
  }
}

/**
 * The configurations of a product that had traffic in the last week: where the lists of REST are closed, the only ones that
 * the platform shows. It knows no names: each has its id instead.
 * @throws PlatformFailure not_found where no dataset is that of the product; ConfigurationsCut where there are too many
 */
export async function configurationsWithTraffic(
  product: Product,
  platformClock: PlatformClock,
  read: Read,
  signal: AbortSignal,
): Promise<readonly Configuration[]> {
  const [found] = product.metrics.flatMap((metric) => fieldsOf(product, metric));
  if (found === undefined) throw new PlatformFailure('not_found', `no dataset is that of ${product.slug}`);
  const { dataset, key, summed = 'requests' } = found;
  const idsIn = async (window: Window): Promise<readonly string[]> => {
    const asked = { dataset, key, fields: [], summed, window, ids: undefined, limit: MOST_ROWS };
    const { body } = await read(() => resourceOf(datasetQuestion(asked, false)), signal, QUESTIONS.group);
    const rows = rowsOf(body, dataset);
    if (rows.length < MOST_ROWS) return rows.flatMap((row) => keyOf(row, key) ?? []);
    const { from, to } = window;
    if (to - from <= SHORTEST_MS) throw new ConfigurationsCut(dataset);
    const middle = Math.floor((from + to) / 2 / MINUTE_MS) * MINUTE_MS;
    // The later half first: where that cannot be listed, the other is not asked for.
    const later = await idsIn({ from: middle, to });
    return [...(await idsIn({ from, to: middle })), ...later];
  };
  const to = Math.floor(platformClock.now() / MINUTE_MS) * MINUTE_MS;
  const ids = await idsIn({ from: to - LOOK_BACK_MS, to });
  return [...new Set(ids)].sort().map((id) => ({ id, name: id, active: true, domains: [] }));
}

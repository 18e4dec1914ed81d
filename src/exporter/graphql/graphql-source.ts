import type { Product } from '../catalogue/products.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { SeriesAsked, SeriesSource, SourceReader, WindowedAnswer } from '../series/series-source.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import { ownId } from '../targets/target.ts';
import { type Column, columnOf, decodeColumns } from './columns.ts';
import { idIn, rowsOf } from './dataset-rows.ts';
import { fieldsOf, type MetricFields } from './fields.ts';
import { KnownFields } from './known-fields.ts';
import { keysQuestion, MOST_ROWS, QUESTIONS, resourceOf } from './question.ts';
import { SharedReads } from './shared-reads.ts';

export interface GraphqlSourceOptions {
  readonly platformClock: PlatformClock;
  /** The units in which the account's counters are kept. */
  readonly units: UnitOverrides;
  /** The largest answer that is accepted, in bytes. */
  readonly mostBytes: number;
}

/** The platform's GraphQL analytics of one account: few operations, each of which serves the readers of a whole dataset. */
export class GraphqlSource implements SeriesSource {
  readonly #options: GraphqlSourceOptions;
  readonly #schema = new KnownFields();
  /** By dataset, key and measure. */
  readonly #datasets = new Map<string, SharedReads>();

  constructor(options: GraphqlSourceOptions) {
    this.#options = options;
  }

  /** Whether there is a field for any dimension of a metric. */
  static has(product: Product, metric: string): boolean {
    return fieldsOf(product, metric) !== undefined;
  }

  reader({ target, metric, wants }: SeriesAsked): SourceReader | undefined {
    const found = fieldsOf(target.product, metric);
    if (found === undefined) return undefined;
    const columns = [...found.dimensions]
      .filter(([dimension]) => wants(dimension))
      .map(([dimension, fields]) => columnOf(target, metric, dimension, fields, this.#options.units));
    const dataset = this.#datasetOf(found, target.by === 'product');
    dataset.join(columns.flatMap(({ fields }) => fields));
    return new DatasetReader({
      key: target.by === 'product' ? '' : ownId(target),
      dataset: found.dataset,
      columns,
      reads: dataset,
      schema: this.#schema,
    });
  }

  /** Lists a product's configurations. @throws PlatformFailure */
  configurations(product: Product, read: Read, signal: AbortSignal): Promise<readonly Configuration[]> {
    return configurationsWithTraffic(product, this.#options.platformClock, read, signal);
  }

  #datasetOf({ dataset, key, summed }: MetricFields, isWhole: boolean) {
    const name = [dataset, isWhole ? '' : key, summed].join();
    const { platformClock, mostBytes } = this.#options;
    const known =
      this.#datasets.get(name) ??
      new SharedReads({
        dataset,
        key: isWhole ? undefined : key,
        summed,
        schema: this.#schema,
        platformClock,
        mostBytes,
      });
    this.#datasets.set(name, known);
    return known;
  }
}

interface DatasetReaderOptions {
  /** The value of the dataset's key. */
  readonly key: string;
  readonly dataset: string;
  readonly columns: readonly Column[];
  readonly reads: SharedReads;
  readonly schema: KnownFields;
}

/** Reads one metric of one target, by operations that it shares with the other readers of its dataset. */
class DatasetReader implements SourceReader {
  readonly name = 'graphql';
  readonly group = QUESTIONS.group;
  readonly #options: DatasetReaderOptions;

  constructor(options: DatasetReaderOptions) {
    this.#options = options;
  }

  get dimensions(): ReadonlySet<string> {
    return new Set(this.#served.map(({ dimension }) => dimension));
  }

  cost(): number {
    return this.#options.reads.cost();
  }

  async read(read: Read, window: (now: number) => Window, signal: AbortSignal): Promise<WindowedAnswer> {
    const { key, reads, dataset, columns } = this.#options;
    const fields = [...new Set(columns.flatMap((column) => column.fields))];
    if (this.#served.length === 0)
      throw new PlatformFailure('not_found', `the account's ${dataset} has none of ${fields.join(', ')}`);
    const { rows, window: asked, now, notice } = await reads.read({ key, fields }, window, read, signal);
    return {
      decoded: decodeColumns(rows, key, this.#served, asked),
      window: asked,
      now,
      ...(notice !== undefined && { notice }),
    };
  }

  /** The columns of which all fields are there. */
  get #served(): readonly Column[] {
    const { columns, schema, dataset } = this.#options;
    if (schema.lacksDataset(dataset)) return [];
    return columns.filter(({ fields }) => fields.every((field) => !schema.lacks(dataset, field)));
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
 * the platform shows. Their names are not known: each has its id instead.
 * @throws PlatformFailure not_found where no dataset is that of the product; ConfigurationsCut where there are too many
 */
export async function configurationsWithTraffic(
  product: Product,
  platformClock: PlatformClock,
  read: Read,
  signal: AbortSignal,
): Promise<readonly Configuration[]> {
  const [found] = product.metrics.flatMap((metric) => fieldsOf(product, metric) ?? []);
  if (found === undefined) throw new PlatformFailure('not_found', `no dataset is that of ${product.slug}`);
  const { dataset, key, summed = 'requests' } = found;
  const idsIn = async (window: Window): Promise<readonly string[]> => {
    const asked = { dataset, key, fields: [], summed, window, ids: undefined, limit: MOST_ROWS };
    const { body } = await read(() => resourceOf(keysQuestion(asked)), signal, QUESTIONS.group);
    const rows = rowsOf(body, dataset);
    if (rows.length < MOST_ROWS) return rows.flatMap((row) => idIn(row, key) ?? []);
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

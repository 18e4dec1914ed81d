import type { Product } from '../catalogue/products.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { ReadableSeries, SeriesAsked } from '../series/series-source.ts';
import type { AccountMemory } from '../state/account-memory.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import { ownId } from '../targets/target.ts';
import { configurationsWithTraffic } from './configurations-with-traffic.ts';
import { DensityMemory } from './density.ts';
import { fieldsOf } from './fields.ts';
import { KnownFields } from './known-fields.ts';
import { type MetricPart, partsOf } from './metric-parts.ts';
import { rowLimit } from './question.ts';
import { type Group, groupsOf, type Need } from './question-groups.ts';
import { type Member, QuestionSource } from './question-source.ts';
import { TopValues } from './top-values.ts';

export interface GraphqlSourceOptions {
  /** The account, and the address of its API. */
  readonly account: { readonly name: string; readonly address: string };
  readonly memory: Pick<AccountMemory, 'of' | 'adopt'>;
  readonly platformClock: PlatformClock;
  /** Units in which the account's counters are kept. */
  readonly units: UnitOverrides;
  /** Largest answer that is accepted, in bytes. */
  readonly mostBytes: number;
}

/** A series that GraphQL is to answer. */
export interface GraphqlSeries extends ReadableSeries, SeriesAsked {
  readonly schedule: string;
  /** Number of values of an open breakdown that have series of their own; undefined for the default. */
  readonly top?: number | undefined;
}

/** The GraphQL analytics of one account: few operations, each of which answers many series. */
export class GraphqlSource {
  readonly #options: GraphqlSourceOptions;
  readonly #schema: KnownFields;
  readonly #density: DensityMemory;
  /** Parts of each metric, by what is asked of a target. */
  readonly #parts = new Map<string, readonly MetricPart[]>();
  /** Values that each series with an open breakdown shows. */
  readonly #values = new WeakMap<ReadableSeries, TopValues>();

  constructor(options: GraphqlSourceOptions) {
    const { account, memory, platformClock } = options;
    this.#options = options;
    this.#schema = new KnownFields(account, memory, () => platformClock.localNow());
    this.#density = new DensityMemory(account, memory);
  }

  /** Parts of the account's memory that are saved from time to time. */
  get parts(): readonly [KnownFields['part'], DensityMemory['part']] {
    return [this.#schema.part, this.#density.part];
  }

  /** Returns true if there is a field for any dimension of a metric. */
  static has(product: Product, metric: string): boolean {
    return fieldsOf(product, metric).length > 0;
  }

  /** Returns true if it has any metric of a product. */
  static serves(product: Product): boolean {
    return product.metrics.some((metric) => GraphqlSource.has(product, metric));
  }

  /** Returns fields that are asked for and that the endpoint does not have, as `dataset.field`. */
  missing(): readonly string[] {
    const parts = [...this.#parts.values()].flat();
    return [...new Set(parts.flatMap((part) => part.missing()))].sort();
  }

  /** Returns the groups in which series are read. */
  groups<S extends GraphqlSeries>(series: readonly S[]): Group<S>[] {
    return groupsOf(
      series,
      (one) => this.#needOf(one),
      (fields) => rowLimit(fields, this.#options.mostBytes),
    );
  }

  #needOf(series: GraphqlSeries): Need {
    const { target, metric, schedule } = series;
    const { api, slug } = target.product;
    const parts = this.#partsOf(series);
    const signatures = parts.map(({ signature }) => signature);
    // Questions of several parts, or about a sum, are not shared with other metrics.
    const isShared = parts.length === 1 && parts[0]?.asked.summed === undefined;
    return {
      kind: [api, slug, target.by, schedule, ...signatures, ...(isShared ? [] : [metric])].join(' '),
      metric,
      fields: parts.flatMap(({ selects }) => selects),
      key: keyOf(series),
      perKey: parts.reduce(
        (most, part) => Math.max(most, this.#density.expected(part.signature, part.assumedPerKey)),
        0,
      ),
    };
  }

  /** Returns a source of which nothing is known yet. */
  source(): QuestionSource {
    const { platformClock, mostBytes } = this.#options;
    return new QuestionSource({ schema: this.#schema, density: this.#density, platformClock, mostBytes });
  }

  /** Returns what a source needs to know of its series, by id. */
  members(series: readonly GraphqlSeries[]): ReadonlyMap<string, Member> {
    return new Map(
      series.map((one) => {
        const values = this.#values.get(one) ?? new TopValues(one.wants, one.top);
        this.#values.set(one, values);
        return [one.id, { key: keyOf(one), parts: this.#partsOf(one), values }];
      }),
    );
  }

  /** The same for all targets of which the same is asked: there are thousands. */
  #partsOf(asked: SeriesAsked): readonly MetricPart[] {
    const { target, metric, wants } = asked;
    const { product, by } = target;
    const names = fieldsOf(product, metric).flatMap((fields) =>
      [...fields.dimensions.keys()].filter((dimension) => fields.split?.isOpen === true || wants(dimension)),
    );
    const key = JSON.stringify([product.api, product.slug, by, metric, names]);
    const known = this.#parts.get(key) ?? partsOf(asked, this.#options.units, this.#schema);
    this.#parts.set(key, known);
    return known;
  }

  /** Lists a product's configurations. @throws PlatformFailure */
  configurations(product: Product, read: Read, signal: AbortSignal): Promise<readonly Configuration[]> {
    return configurationsWithTraffic(product, this.#options.platformClock, read, signal);
  }
}

function keyOf({ target }: SeriesAsked): string {
  return target.by === 'product' ? '' : ownId(target);
}

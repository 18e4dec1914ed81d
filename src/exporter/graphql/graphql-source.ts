import type { Product } from '../catalogue/products.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Read } from '../platform/read.ts';
import type { ReadableSeries, SeriesAsked } from '../series/series-source.ts';
import { MINUTE_MS } from '../settling/window.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import { ownId } from '../targets/target.ts';
import { configurationsWithTraffic } from './configurations-with-traffic.ts';
import { fieldsOf } from './fields.ts';
import { KnownFields } from './known-fields.ts';
import { type MetricPart, partsOf } from './metric-parts.ts';
import { rowLimit } from './question.ts';
import { type Group, groupsOf, type Need } from './question-groups.ts';
import { type Member, QuestionSource } from './question-source.ts';
import { TopValues } from './top-values.ts';

export interface GraphqlSourceOptions {
  readonly platformClock: PlatformClock;
  /** Units of the account's existing counters. */
  readonly units: UnitOverrides;
  /** Maximum size of a response, in bytes. */
  readonly mostBytes: number;
}

/** A series to read by GraphQL. */
export interface GraphqlSeries extends ReadableSeries {
  readonly schedule: string;
}

/** Reads series of one account from the GraphQL analytics. Each operation covers many series. */
export class GraphqlSource {
  readonly #options: GraphqlSourceOptions;
  readonly #schema: KnownFields;
  /** Parts of each metric, by product and selected dimensions. */
  readonly #parts = new Map<string, readonly MetricPart[]>();
  readonly #members = new WeakMap<ReadableSeries, Member>();
  /** Rows in a bucket for each key, by signature of a part. */
  readonly #density = new Map<string, number>();

  constructor(options: GraphqlSourceOptions) {
    this.#options = options;
    this.#schema = new KnownFields(() => options.platformClock.localNow());
  }

  /** Returns true if GraphQL has a field for any dimension of a metric. */
  static has(product: Product, metric: string): boolean {
    return fieldsOf(product, metric).length > 0;
  }

  /** Returns true if GraphQL has any metric of a product. */
  static serves(product: Product): boolean {
    return product.metrics.some((metric) => GraphqlSource.has(product, metric));
  }

  /** Returns the fields that are needed but that the endpoint lacks, as `dataset.field`. */
  missing(): readonly string[] {
    const parts = [...this.#parts.values()].flat();
    const named = parts.flatMap((part) => part.missing().map((field) => `${part.asked.dataset}.${field}`));
    return [...new Set(named)].sort();
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
    // Metrics that need several parts, or a sum, share no question with other metrics.
    const isShared = parts.length === 1 && parts[0]?.asked.summed === undefined;
    return {
      kind: [api, slug, target.by, schedule, ...signatures, ...(isShared ? [] : [metric])].join(' '),
      metric,
      fields: parts.flatMap(({ selects }) => selects),
      key: keyOf(series),
      perKey: parts.reduce((most, part) => Math.max(most, part.assumedPerKey), 0),
    };
  }

  /**
   * Returns a source of a group of series. All groups share the observed density of rows.
   * @param restMs time for which a key with too many rows is not read: finding it takes some twenty operations
   */
  source(restMs = 10 * MINUTE_MS): QuestionSource {
    const { platformClock, mostBytes } = this.#options;
    const memberOf = (series: ReadableSeries) => this.#memberOf(series);
    return new QuestionSource({
      schema: this.#schema,
      memberOf,
      platformClock,
      mostBytes,
      density: this.#density,
      restMs,
    });
  }

  #memberOf(series: ReadableSeries): Member {
    const known = this.#members.get(series);
    if (known !== undefined) return known;
    const values = new TopValues(series.wants, series.top);
    const member = { key: keyOf(series), parts: this.#partsOf(series), values };
    this.#members.set(series, member);
    return member;
  }

  /** Returns the parts of a metric. Thousands of targets with the same product and selected dimensions share one array. */
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

  /** Lists the configurations of a product. @throws PlatformFailure if a read fails, or if there are too many configurations */
  configurations(product: Product, read: Read, signal: AbortSignal): Promise<readonly Configuration[]> {
    return configurationsWithTraffic(product, this.#options.platformClock, read, signal);
  }
}

function keyOf({ target }: SeriesAsked): string {
  return target.by === 'product' ? '' : ownId(target);
}

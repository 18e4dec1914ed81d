import { OF_WHOLES, type Product, type SeriesApi } from '../catalogue/products.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { GraphqlSource } from '../graphql/graphql-source.ts';
import { QUESTIONS } from '../platform/read.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import type { SeriesJob } from '../series/series-job.ts';
import { SeriesReader, type SeriesReaderOptions } from '../series/series-reader.ts';
import type { SourceReader } from '../series/series-source.ts';
import { type AllSeries, ChosenReader, SourceChoice } from '../series/source-choice.ts';
import {
  type ChosenSource,
  isKnown,
  mayListElsewhere,
  sourceListed,
  sourceListedByRest,
} from '../series/source-memory.ts';
import type { AccountMemory, SavedPart } from '../state/account-memory.ts';
import { type Addressing, type Target, targetName } from '../targets/target.ts';
import type { ListElsewhere } from './discovery-job.ts';

interface AccountSourcesOptions {
  readonly account: AccountConfig;
  readonly scopes: LimitScopes;
  readonly memory: AccountMemory;
  /** The APIs of which series are read. */
  readonly apis: () => ReadonlySet<SeriesApi>;
  /** The jobs that read series. */
  readonly series: () => readonly SeriesJob[];
  /** What of a target REST knows by another id; undefined where it knows it by its own. */
  readonly knownToRest: (target: Target) => Target | undefined;
}

/** Which of the platform's APIs the series of an account are read by, REST or GraphQL, and what each of the two has. */
export class AccountSources {
  readonly #options: AccountSourcesOptions;
  readonly choice: SourceChoice;
  #graphql: GraphqlSource | undefined;

  constructor(options: AccountSourcesOptions) {
    this.#options = options;
    const { account, memory, scopes } = options;
    this.choice = new SourceChoice({
      account,
      memory,
      configured: {
        metrics: account.collectors.metrics?.source ?? account.source,
        analytics: account.collectors.analytics?.source ?? account.source,
      },
      now: () => scopes.platformClock.localNow(),
    });
  }

  /** Which source the series of each API are read by, and why. */
  chosen(): ChosenSource[] {
    return [...this.#options.apis()].map((collector) => {
      const { source, why } = this.choice.of(collector);
      const missing = source === 'graphql' ? (this.#graphql?.missing() ?? []) : [];
      return { collector, source, why, missing };
    });
  }

  /** The same without those that are not known to answer yet: they are tried first. */
  known(): ChosenSource[] {
    return this.chosen().filter(({ collector }) => isKnown(this.choice.of(collector)));
  }

  isRest(api: SeriesApi): boolean {
    return this.choice.of(api).source === 'rest';
  }

  /** The group of operations that the chosen source performs. */
  groupOf(api: SeriesApi): string {
    return this.isRest(api) ? api : QUESTIONS.group;
  }

  /** Whether the source that is read by has any metric of a product. */
  serves(product: Product): boolean {
    return this.isRest(product.api) || GraphqlSource.serves(product);
  }

  /** Whether a source has a metric of a product's targets. */
  has(product: Product, metric: string, by: Target['by']): boolean {
    const { source, isFixed } = this.choice.of(product.api);
    if (OF_WHOLES.has(metric) && by !== 'product') return false;
    if (product.onlyElsewhere?.includes(metric)) return source !== 'rest' || !isFixed;
    return source === 'rest' || GraphqlSource.has(product, metric);
  }

  /** Which ids the source takes for configurations: GraphQL has no series of single domains. */
  addressed(api: SeriesApi, addressing: Addressing): Addressing {
    return addressing === 'domain' && !this.isRest(api) ? 'only_domain' : addressing;
  }

  /** Records where the configurations of a product were listed. Returns whether another source is chosen by that. */
  listed(api: SeriesApi, isFromElsewhere: boolean): boolean {
    return this.choice.learn(api, isFromElsewhere ? sourceListed : sourceListedByRest);
  }

  /** How the configurations of a product are listed where the product's API does not list them. */
  listElsewhere(product: Product): ListElsewhere | undefined {
    const { source, isFixed } = this.choice.of(product.api);
    if (source === 'rest' && isFixed) return undefined;
    return {
      isInUse: () => !this.isRest(product.api),
      list: async (read, signal) =>
        mayListElsewhere(this.choice.of(product.api))
          ? this.#graphqlSource.configurations(product, read, signal)
          : [],
    };
  }

  /** Reads one metric of one target by whichever source is chosen at the time. */
  readerOf(options: SeriesReaderOptions): SourceReader {
    const { product } = options.target;
    const { api } = product;
    const rest = new SeriesReader(options);
    // REST does not have it, whichever source is chosen.
    if (product.onlyElsewhere?.includes(options.metric)) return this.#graphqlSource.reader(options) ?? rest;
    const { source, isFixed } = this.choice.of(api);
    if (isFixed && source === 'rest') return rest;
    return new ChosenReader({
      sources: this.choice,
      api,
      target: `${product.slug}/${targetName(options.target)}`,
      metric: options.metric,
      all: () => this.#allSeries(api),
      platformClock: options.platformClock,
      rest,
      restInPart: () => {
        const target = this.#options.knownToRest(options.target);
        return target && new SeriesReader({ ...options, target });
      },
      graphql: () => this.#graphqlSource.reader(options),
    });
  }

  /** What is to be saved of them. */
  *parts(): Generator<SavedPart<unknown>, void> {
    yield* this.choice.parts();
    if (this.#graphql !== undefined) yield* this.#graphql.parts;
  }

  get #graphqlSource(): GraphqlSource {
    const { account, scopes, memory } = this.#options;
    if (this.#graphql === undefined) scopes.apart(QUESTIONS.group, QUESTIONS.assumedLimit);
    this.#graphql ??= new GraphqlSource({
      account: { name: account.name, address: account.graphql_url ?? account.api_url },
      memory,
      platformClock: scopes.platformClock,
      units: account.units,
      mostBytes: account.request.max_response_bytes,
    });
    return this.#graphql;
  }

  #allSeries(api: SeriesApi): AllSeries {
    const mine = this.#options
      .series()
      .filter(
        ({ target: { product }, metric }) => product.api === api && !product.onlyElsewhere?.includes(metric),
      );
    const targets = new Set(mine.map(({ target }) => `${target.product.slug}/${targetName(target)}`)).size;
    return { series: mine.length, targets };
  }
}

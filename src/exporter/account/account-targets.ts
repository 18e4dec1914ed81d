import { PRODUCTS, type Product, type SeriesApi } from '../catalogue/products.ts';
import { hasWhole, ownIds } from '../cluster/shard.ts';
import type { ProductSettings } from '../configuration/collector-settings.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Outcome } from '../platform/read.ts';
import { wantedBy } from '../series/series-source.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import {
  type Addressing,
  addressedIn,
  matchesNothing,
  selector,
  type Target,
  targetsOf,
} from '../targets/target.ts';

/** A product whose series are read, with its settings. */
export interface ProductRead {
  readonly product: Product;
  readonly settings: ProductSettings;
  readonly schedule: string;
  /** Returns true if a dimension is to be read. */
  readonly wants: (dimension: string) => boolean;
}

/** Result of listing a product's configurations. */
export interface Listing {
  readonly product: Product;
  /** True if the last attempt succeeded. */
  readonly listed: boolean;
  /** Configured names that match no listed configuration: mistyped, or deleted on the platform. */
  readonly unmatched: readonly string[];
  /** Number of selected configurations that are not read, since the API takes ids of domains and they have no domains. */
  readonly withoutDomains: number;
}

/** Failures that mean that the token has no access to a list, or that none exists; others may be temporary. */
const UNAVAILABLE: readonly Outcome[] = ['not_found', 'forbidden', 'not_acceptable', 'undecodable'];

interface KnownList {
  readonly configurations: readonly Configuration[];
  readonly addressing: Addressing;
  readonly unmatched: Listing['unmatched'];
  readonly withoutDomains: Listing['withoutDomains'];
}

/** Targets of an account: its products, with the configurations that were discovered and selected. */
export class AccountTargets {
  /** Configured products, each with its settings, schedule and dimensions. */
  readonly products: readonly ProductRead[];
  readonly #account: AccountConfig;
  readonly #known = new Map<Product, KnownList>();
  /** Success of the last attempt to list a product's configurations; products without an attempt are absent. */
  readonly #listed: Map<Product, boolean> = new Map();
  /** Products whose configurations the platform refuses to list, and has never listed. */
  readonly #unlistable: Set<Product> = new Set();
  readonly metrics: ServedMetrics;
  readonly addressed: (api: SeriesApi, addressing: Addressing) => Addressing;
  /** Returns true if this process reads the series of an id; false if another shard does. */
  readonly isOwn: (id: string) => boolean;

  /**
   * @param former targets of the account before a reload: their lists apply until they are read again
   * @param addressed returns the kind of id that the source of an API takes for configurations
   */
  constructor(
    account: AccountConfig,
    former?: AccountTargets,
    addressed: AccountTargets['addressed'] = (_, addressing) => addressing,
  ) {
    this.#account = account;
    this.isOwn = ownIds(account);
    this.products = PRODUCTS.flatMap((product) => {
      const collector = account.collectors[product.api];
      const settings = collector?.products[product.slug];
      if (collector === undefined || settings === undefined) return [];
      const wants = wantedBy(settings.dimensions);
      return [{ product, settings, schedule: settings.schedule ?? collector.schedule, wants }];
    });
    this.addressed = addressed;
    this.metrics = former?.metrics ?? new ServedMetrics();
    if (former === undefined) return;
    this.#listed = new Map(former.#listed);
    this.#unlistable = new Set(former.#unlistable);
    for (const [product, { configurations, addressing }] of former.#known) {
      const { address_by: by = 'auto' } = account.collectors[product.api]?.products[product.slug] ?? {};
      this.#know(product, configurations, by === 'auto' ? addressing : by);
    }
  }

  /** Records the list of a product's configurations. Returns true if it has changed. */
  discovered(product: Product, listed: readonly Configuration[], addressing: Addressing): boolean {
    const before = this.#known.get(product);
    const configurations = withKnown(listed, before?.configurations ?? []);
    this.#know(product, configurations, addressing);
    this.#unlistable.delete(product);
    this.#listed.set(product, true);
    return before?.addressing !== addressing || !isSameList(before.configurations, configurations);
  }

  #know(product: Product, configurations: readonly Configuration[], addressing: Addressing): void {
    this.#known.set(product, {
      configurations,
      addressing,
      unmatched: this.#unmatchedBy(product, configurations),
      withoutDomains: this.#withoutDomains(product, configurations, addressing),
    });
  }

  /** Records a failed list of a product's configurations. Returns true if that changes the targets to read. */
  listingFailed(product: Product, outcome: Outcome): boolean {
    const wasPending = this.isPending(product);
    this.#listed.set(product, false);
    if (this.#known.has(product) || this.#unlistable.has(product) || !UNAVAILABLE.includes(outcome))
      return wasPending;
    this.#unlistable.add(product);
    return true;
  }

  /** Returns true if the product's list of configurations has not been tried yet. */
  isPending(product: Product): boolean {
    return !this.#listed.has(product);
  }

  /** Returns true if the platform refuses the list and has never served it. */
  isUnlistable(product: Product): boolean {
    return this.#unlistable.has(product);
  }

  /** Returns the last list of a product's configurations; undefined if it was never read. */
  configurations(product: Product): readonly Configuration[] | undefined {
    return this.#known.get(product)?.configurations;
  }

  /** Returns the targets of a product. @param isOnlyElsewhere true for a source without series of single domains */
  of({ product, settings }: ProductRead, isOnlyElsewhere = false): Target[] {
    const { configurations = [], addressing = 'domain' } = this.#known.get(product) ?? {};
    // The specification shows only the path of the whole product for the analytics API (section 4.12).
    const by =
      product.api === 'analytics' && this.#unlistable.has(product) ? (['product'] as const) : settings.by;
    const isWhole = isOnlyElsewhere && addressing === 'domain';
    const taken = isWhole ? 'only_domain' : this.addressed(product.api, addressing);
    const isRead = ({ by, id }: Target) => (by === 'product' ? hasWhole(this.#account) : this.isOwn(id));
    return targetsOf(this.#account.name, product, { ...settings, by }, configurations, taken).filter(isRead);
  }

  /** Returns the targets of a product, each with a metric to read. `*` stands for all metrics of the product. */
  reads(read: ProductRead): { readonly target: Target; readonly metric: string }[] {
    const { product, settings } = read;
    const targets = this.of(read);
    const { served, tried } = this.metrics.of(product);
    const all = settings.metrics.includes('*');
    const named = new Set(settings.metrics.flatMap((name) => (name === '*' ? served : [name])));
    const onlyElsewhere = (product.onlyElsewhere ?? []).filter((metric) => named.has(metric));
    const metrics = [...named].filter((metric) => !onlyElsewhere.includes(metric));
    const trials = all ? tried.filter((metric) => !named.has(metric)) : [];
    const wholes = onlyElsewhere.length === 0 ? [] : this.of(read, true);
    return [
      ...targets.flatMap((target) => metrics.map((metric) => ({ target, metric }))),
      ...wholes.flatMap((target) => onlyElsewhere.map((metric) => ({ target, metric }))),
      ...targets.slice(0, 1).flatMap((target) => trials.map((metric) => ({ target, metric }))),
    ];
  }

  /** Returns a domain of a configuration, if REST takes only ids of domains; undefined if it takes the id of the configuration. */
  knownToRest(target: Target): Target | undefined {
    const { configurations = [], addressing } = this.#known.get(target.product) ?? {};
    if (target.by === 'product' || target.owner !== undefined || addressing !== 'domain') return undefined;
    const domain = configurations.find(({ id }) => id === target.id)?.domains[0];
    return domain === undefined || domain === target.id
      ? undefined
      : { ...target, id: domain, owner: target.id };
  }

  /** Returns the results of the lists that were tried. */
  listings(): Listing[] {
    return this.products.flatMap(({ product }) => {
      const listed = this.#listed.get(product);
      if (listed === undefined) return [];
      const { unmatched = [], withoutDomains = 0 } = this.#known.get(product) ?? {};
      return [{ product, listed, unmatched, withoutDomains }];
    });
  }

  /** Matches the names once for each list, since a list may have thousands of configurations. */
  #unmatchedBy({ api, slug }: Product, configurations: readonly Configuration[]): readonly string[] {
    const settings = this.#account.collectors[api]?.products[slug];
    if (!settings?.by.includes('configuration')) return [];
    return settings.configurations.include.filter((name) => matchesNothing(name, configurations));
  }

  #withoutDomains(
    { api, slug }: Product,
    configurations: readonly Configuration[],
    addressing: Addressing,
  ): number {
    const settings = this.#account.collectors[api]?.products[slug];
    if (!settings?.by.includes('configuration')) return 0;
    const selects = selector(settings.configurations);
    const isAddressed = addressedIn(configurations, addressing);
    return configurations.filter((one) => selects(one) && !isAddressed(one)).length;
  }
}

/** Returns the list with the former objects of unchanged configurations, since jobs refer to the texts of their list. */
function withKnown(listed: readonly Configuration[], before: readonly Configuration[]): Configuration[] {
  const knownById = new Map(before.map((one) => [one.id, one]));
  return listed.map((one) => {
    const known = knownById.get(one.id);
    return known !== undefined && isSameConfiguration(known, one) ? known : one;
  });
}

function isSameList(before: readonly Configuration[], after: readonly Configuration[]): boolean {
  return before.length === after.length && before.every((one, index) => one === after[index]);
}

/** Compares field by field, ten times as fast as a deep comparison: lists have thousands of configurations. */
function isSameConfiguration(before: Configuration, after: Configuration): boolean {
  return (
    before.id === after.id &&
    before.name === after.name &&
    before.active === after.active &&
    before.domains.length === after.domains.length &&
    before.domains.every((domain, index) => domain === after.domains[index])
  );
}

/** Metrics to read of a product. */
interface ProductMetrics {
  /** Metrics that are read for every target. */
  readonly served: readonly string[];
  /** Metrics that are read for one target only, to find out if the product has them. */
  readonly tried: readonly string[];
}

/**
 * Metrics of each product of the analytics API. The API lists metrics without their products (section 4.12). So each product is
 * tried once after every list, for the metrics that the catalogue lacks.
 */
class ServedMetrics {
  #listed: ReadonlySet<string> | undefined;
  /** Result of trying a metric of a product: true if there was data. */
  readonly #answers = new Map<string, boolean>();

  /** Records the API's list of metrics, and forgets negative results, since products may have gained metrics. */
  list(metrics: Iterable<string>): void {
    this.#listed = new Set(metrics);
    for (const [key, served] of this.#answers) if (!served) this.#answers.delete(key);
  }

  /** Records if a product has a metric. Returns true if that is new. */
  answered(product: Product, metric: string, served: boolean): boolean {
    if (this.#listed === undefined || product.api !== 'analytics' || product.metrics.includes(metric))
      return false;
    const key = keyOf(product, metric);
    if (this.#answers.get(key) === served || (this.#answers.has(key) && !served)) return false;
    this.#answers.set(key, served);
    return true;
  }

  /** Returns the metrics to read of a product. */
  of(product: Product): ProductMetrics {
    const listed = this.#listed;
    if (product.api !== 'analytics' || listed === undefined) return { served: product.metrics, tried: [] };
    const own = product.metrics.filter((metric) => listed.has(metric));
    const others = [...listed].filter((metric) => !product.metrics.includes(metric));
    const answer = (metric: string) => this.#answers.get(keyOf(product, metric));
    return {
      served: [...own, ...others.filter((metric) => answer(metric) === true)],
      tried: others.filter((metric) => answer(metric) === undefined),
    };
  }
}

function keyOf({ slug }: Product, metric: string): string {
  return `${slug} ${metric}`;
}

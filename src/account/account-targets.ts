import { PRODUCTS, type Product } from '../catalogue/products.ts';
import type { ProductSettings } from '../configuration/collectors.ts';
import type { Account } from '../configuration/schema.ts';
import type { Configuration } from '../targets/configurations.ts';
import type { Target } from '../targets/target.ts';
import { type Addressing, matchesNothing, targetsOf } from '../targets/targets.ts';

/** A product that the account reads series of, and how. */
export interface ProductRead {
  readonly product: Product;
  readonly settings: ProductSettings;
  readonly schedule: string;
}

/** Names of a product's configurations that are to be read although the account has none that they match. */
export interface UnmatchedNames {
  readonly product: Product;
  readonly names: readonly string[];
}

interface Known {
  readonly configurations: readonly Configuration[];
  readonly addressing: Addressing;
}

/** What an account reads series of: its products, and of them the configurations that were discovered and selected. */
export class AccountTargets {
  readonly #account: Account;
  readonly #known = new Map<Product, Known>();

  constructor(account: Account) {
    this.#account = account;
  }

  /** Products of the configuration, with how each is read. */
  products(): ProductRead[] {
    const { collectors } = this.#account;
    return PRODUCTS.flatMap((product) => {
      const collector = collectors[product.api];
      const settings = collector?.products[product.slug];
      if (collector === undefined || settings === undefined) return [];
      return [{ product, settings, schedule: settings.schedule ?? collector.schedule }];
    });
  }

  /** Takes in the list of a product's configurations. */
  discovered(product: Product, configurations: readonly Configuration[], addressing: Addressing): void {
    this.#known.set(product, { configurations, addressing });
  }

  /** The configurations of a product as they were listed last. */
  configurations(product: Product): readonly Configuration[] {
    return this.#known.get(product)?.configurations ?? [];
  }

  /** What is read of a product. */
  of({ product, settings }: ProductRead): Target[] {
    const { configurations = [], addressing = 'domain' } = this.#known.get(product) ?? {};
    return targetsOf(this.#account.name, product, settings, configurations, addressing);
  }

  /** Names that select nothing of the lists that were read: mistyped, or of what is gone. */
  unmatched(): UnmatchedNames[] {
    return this.products().flatMap(({ product, settings: { by, configurations } }) => {
      const known = this.#known.get(product);
      if (known === undefined || !by.includes('configuration')) return [];
      const names = configurations.include.filter((name) => matchesNothing(name, known.configurations));
      return names.length === 0 ? [] : [{ product, names }];
    });
  }
}

/** The metrics of a product that are wanted: names as written, `*` for all that the product has. */
export function metricsOf({ product, settings: { metrics } }: ProductRead): readonly string[] {
  return [...new Set(metrics.flatMap((name) => (name === '*' ? product.metrics : [name])))];
}

import type { Product } from '../catalogue/products.ts';

/** Metrics of a product that are read. */
export interface ProductMetrics {
  /** Read of every target. */
  readonly served: readonly string[];
  /** Read of one target only, to find out whether the product has them. */
  readonly tried: readonly string[];
}

/**
 * Which metrics each product of the analytics API has. The API lists its metrics without naming their products (section
 * 4.12): so each product is asked for those that the catalogue does not give it, once after every listing.
 */
export class ServedMetrics {
  #listed: ReadonlySet<string> | undefined;
  /** By product and metric: whether there was data. */
  readonly #answers = new Map<string, boolean>();

  /** Records the API's own list of its metrics. Products may have gained metrics since. */
  list(metrics: Iterable<string>): void {
    this.#listed = new Set(metrics);
    for (const [key, served] of this.#answers) if (!served) this.#answers.delete(key);
  }

  /** Records whether a product has a metric. Returns whether that is new. */
  answered(product: Product, metric: string, served: boolean): boolean {
    if (this.#listed === undefined || product.api !== 'analytics' || product.metrics.includes(metric))
      return false;
    const key = keyOf(product, metric);
    if (this.#answers.get(key) === served || (this.#answers.has(key) && !served)) return false;
    this.#answers.set(key, served);
    return true;
  }

  /** All metrics of a product, as far as is known. */
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

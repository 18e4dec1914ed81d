import { DIMENSIONS, facesOf } from '../../src/exporter/catalogue/catalogue.ts';
import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';

/** Dimensions of an API metric that share their families, as a row of the metric contract. */
export interface CatalogueRow {
  readonly metric: string;
  readonly dimensions: readonly string[];
  /** Slugs of the products that have the metric. */
  readonly products: readonly string[];
  readonly gauge: string;
  readonly counter?: string;
  /** Names of the labels in addition to the common ones. */
  readonly labels: readonly string[];
}

/**
 * Returns the metric contract as a table, in the order of the products. The table contains the families of
 * single configurations; names of whole products' families begin with `edge_product_`.
 */
export function describeCatalogue(): readonly CatalogueRow[] {
  const metrics = new Set(PRODUCTS.flatMap(metricsOf));
  return [...metrics].flatMap(rowsOf);
}

function metricsOf({ metrics, onlyElsewhere = [] }: (typeof PRODUCTS)[number]): readonly string[] {
  return [...metrics, ...onlyElsewhere];
}

function rowsOf(metric: string): readonly CatalogueRow[] {
  const products = PRODUCTS.filter((product) => metricsOf(product).includes(metric)).map(({ slug }) => slug);
  const rows = new Map<string, CatalogueRow>();
  for (const dimension of DIMENSIONS[metric] ?? []) {
    const { gauge, counter, labels } = facesOf(metric, dimension, { scope: 'configuration' });
    const dimensions = [...(rows.get(gauge.family.name)?.dimensions ?? []), dimension];
    rows.set(gauge.family.name, {
      metric,
      dimensions,
      products,
      gauge: gauge.family.name,
      ...(counter && { counter: counter.family.name }),
      labels: Object.keys(labels),
    });
  }
  return [...rows.values()];
}

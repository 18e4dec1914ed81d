import { facesOf } from '../catalogue/catalogue.ts';
import { DIMENSIONS, PRODUCTS, type SeriesApi } from '../catalogue/products.ts';
import type { Account } from '../configuration/schema.ts';
import { wantedDimensions } from '../targets/target.ts';

/** Names of the families that an account shows of the series of these APIs, as far as the catalogue knows. */
export function seriesFamilies({ collectors }: Account, apis: readonly SeriesApi[]): readonly string[] {
  const names = new Set<string>();
  for (const product of PRODUCTS) {
    const settings = apis.includes(product.api) ? collectors[product.api]?.products[product.slug] : undefined;
    if (settings === undefined) continue;
    const metrics = settings.metrics.flatMap((name) => (name === '*' ? product.metrics : [name]));
    const wants = wantedDimensions(settings.dimensions);
    for (const metric of metrics) {
      for (const dimension of (DIMENSIONS[metric] ?? ['total']).filter((name) => wants(name))) {
        for (const scope of settings.by) {
          const { gauge, counter } = facesOf(metric, dimension, { scope });
          names.add(gauge.family.name);
          if (counter !== undefined) names.add(counter.family.name);
        }
      }
    }
  }
  return [...names];
}

import picomatch from 'picomatch';
import { facesOf } from '../catalogue/catalogue.ts';
import { DIMENSIONS, productOf, type SeriesApi } from '../catalogue/products.ts';
import type { ProductSettings } from '../configuration/collector-settings.ts';
import type { Account } from '../configuration/schema.ts';

/**
 * An account that collects no more than rules need: reading a history costs an operation for each hour of each metric.
 * @param names of the series that rules are made of
 */
export function onlyNeeded(account: Account, names: ReadonlySet<string>): Account {
  const { metrics, analytics } = account.collectors;
  return {
    ...account,
    collectors: {
      ...(metrics && { metrics: { ...metrics, products: neededOf('metrics', metrics.products, names) } }),
      ...(analytics && {
        analytics: { ...analytics, products: neededOf('analytics', analytics.products, names) },
      }),
    },
  };
}

type Products = NonNullable<Account['collectors'][SeriesApi]>['products'];

function neededOf(api: SeriesApi, products: Products, names: ReadonlySet<string>): Products {
  const kept = Object.entries(products).flatMap(([slug, settings]): [string, ProductSettings][] => {
    const wanted = picomatch([...settings.metrics]);
    const metrics = productOf(api, slug).metrics.filter(
      (metric) => wanted(metric) && isNeeded(metric, names),
    );
    const whole = settings.by.includes('configuration') && metrics.length > 0;
    return whole ? [[slug, { ...settings, by: ['configuration'], metrics }]] : [];
  });
  return Object.fromEntries(kept);
}

function isNeeded(metric: string, names: ReadonlySet<string>): boolean {
  const dimensions = DIMENSIONS[metric] ?? [];
  return dimensions.some((dimension) =>
    names.has(facesOf(metric, dimension, { scope: 'configuration' }).gauge.family.name),
  );
}

import { type Api, PRODUCTS, type Product } from '../account/served-products.ts';
import type { Settings } from '../account/settings.ts';
import { ANALYTICS_MEASURES, added, METRICS_MEASURES, type Measure, type Units } from './api-measures.ts';
import type { Selection } from './traffic.ts';

export function productOf(api: Api, id: number): Product | undefined {
  return PRODUCTS.find((product) => product.id === id && product[api].length > 0);
}

/** The metrics that the analytics API's metadata lists: the documented ones, as the settings change them. */
export function analyticsMeasures(settings: Settings): ReadonlyMap<string, Measure> {
  const { analyticsMetricsAdded: more, analyticsMetricsMissing: missing } = settings;
  const measures = new Map(ANALYTICS_MEASURES);
  for (const metric of missing) measures.delete(metric);
  for (const [metric, dimensions] of Object.entries(more)) measures.set(metric, added(dimensions));
  return measures;
}

/** The measure behind a metric's name; `undefined` where the API has none. */
export function measureOf(
  api: Api,
  product: Product,
  metric: string,
  settings: Settings,
): Measure | undefined {
  if (api === 'analytics') return analyticsMeasures(settings).get(metric);
  return product.metrics.includes(metric) ? METRICS_MEASURES.get(metric) : undefined;
}

/** The analytics API answers every metric for every product: zeros where the product has no such traffic. */
export function selectionOf(
  { api, product, metric }: { api: Api; product: Product; metric: string },
  wanted: Selection,
  settings: Settings,
): Selection {
  const counted = product[api].includes(metric) || Object.hasOwn(settings.analyticsMetricsAdded, metric);
  return counted ? wanted : 'nobody';
}

export function unitsOf(settings: Settings): Units {
  return { volume: settings.volumeUnit, bandwidth: settings.bandwidthUnit };
}

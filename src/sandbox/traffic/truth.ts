import { type Api, PRODUCTS, type Product } from '../account/products.ts';
import { bucketsOf, FINEST } from './buckets.ts';
import { ANALYTICS_MEASURES, METRICS_MEASURES, type Measure, type Units } from './measures.ts';
import { readSeries, type SeriesByDimension } from './series.ts';
import type { Selection, Traffic } from './traffic.ts';

/** Asks for the final values of a series, whatever an answer showed of it. */
export interface TruthQuery {
  readonly api: Api;
  /** The id as in the path. */
  readonly product: number;
  /** The id as in the path: a configuration's or a domain's; or the whole product. */
  readonly configuration: number | 'product';
  readonly metric: string;
  /** Milliseconds since the epoch; buckets start at or after the one that holds `from`, and before `to`. */
  readonly from: number;
  readonly to: number;
  /** Width of a bucket in ms; one minute unless told. */
  readonly width?: number | undefined;
}

/** @throws RangeError when the API has no such product or metric */
export function truthOf(
  traffic: Traffic,
  query: TruthQuery,
  { units, utcOffset }: { units: Units; utcOffset: number },
): SeriesByDimension {
  const product = productOf(query.api, query.product);
  const measure = product && measureOf(query.api, product, query.metric);
  if (product === undefined || measure === undefined) {
    throw new RangeError(`no metric ${query.metric} of product ${query.product} in the ${query.api} API`);
  }
  const buckets = bucketsOf(query.from, query.to, query.width ?? FINEST, utcOffset);
  const selection = selectionOf(query.api, product, query.metric, query.configuration);
  return readSeries(traffic, { product, measure, buckets, units, selection });
}

/** The analytics API answers every metric for every product: zeros where the product has no such traffic. */
export function selectionOf(api: Api, product: Product, metric: string, wanted: Selection): Selection {
  return product[api].includes(metric) ? wanted : 'nobody';
}

export function productOf(api: Api, id: number): Product | undefined {
  return PRODUCTS.find((product) => product.id === id && product[api].length > 0);
}

/** The measure behind a metric's name; `undefined` where the API has none. */
export function measureOf(api: Api, product: Product, metric: string): Measure | undefined {
  if (api === 'analytics') return ANALYTICS_MEASURES.get(metric);
  return product.metrics.includes(metric) ? METRICS_MEASURES.get(metric) : undefined;
}

import type { Api } from '../account/products.ts';
import type { Settings } from '../account/settings.ts';
import { bucketsOf, FINEST } from './buckets.ts';
import { measureOf, productOf, selectionOf, unitsOf } from './metric-lookup.ts';
import { readSeries, type SeriesByDimension } from './series.ts';
import type { Traffic } from './traffic.ts';

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
export function truthOf(traffic: Traffic, query: TruthQuery, settings: Settings): SeriesByDimension {
  const { api, metric } = query;
  const product = productOf(api, query.product);
  const measure = product && measureOf(api, product, metric, settings);
  if (product === undefined || measure === undefined) {
    throw new RangeError(`no metric ${metric} of product ${query.product} in the ${api} API`);
  }
  const utcOffset = settings.utcOffsetMinutes * 60_000;
  const buckets = bucketsOf(query.from, query.to, query.width ?? FINEST, utcOffset);
  const selection = selectionOf({ api, product, metric }, query.configuration, settings);
  return readSeries(traffic, { product, measure, buckets, units: unitsOf(settings), selection });
}

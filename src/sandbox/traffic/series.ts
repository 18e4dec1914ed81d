import type { Api, Product } from '../account/served-products.ts';
import type { Settings } from '../account/settings.ts';
import type { Dimension, Measure } from './api-measures.ts';
import { measureOf, productOf, selectionOf } from './api-measures.ts';
import type { Settling } from './buckets.ts';
import { type Buckets, bucketsOf, FINEST } from './buckets.ts';
import type { Selection, Traffic } from './traffic.ts';

/** `[timestamp, value]`: the start of a bucket in ms since the epoch, and what it holds. */
export type Point = [timestamp: number, value: number];

export type Series = Point[];

/** Series by dimension, in the order of the metric's metadata. */
export type SeriesByDimension = Record<string, Series>;

export interface SeriesQuery {
  readonly product: Product;
  readonly selection: Selection;
  readonly measure: Measure;
  /** Only this dimension. */
  readonly dimension?: string | undefined;
  readonly buckets: Buckets;
  /** How young buckets are; without it every bucket is complete. */
  readonly settling?: Settling;
}

/** The series of a metric, as the platform counts them. */
export function readSeries(traffic: Traffic, query: SeriesQuery): SeriesByDimension {
  const { product, selection, measure, buckets, settling } = query;
  const sums = traffic.sums(product, selection, measure.group, buckets, settling);
  const wanted = measure.dimensions.filter(({ name }) => (query.dimension ?? name) === name);
  return Object.fromEntries(wanted.map((dimension) => [dimension.name, pointsOf(dimension, sums, buckets)]));
}

function pointsOf(dimension: Dimension, sums: Float64Array, buckets: Buckets): Series {
  const cells = buckets.count === 0 ? 0 : sums.length / buckets.count;
  const seconds = buckets.width / 1000;
  return Array.from({ length: buckets.count }, (_, index) => [
    buckets.start + index * buckets.width,
    dimension.value(sums, index * cells, seconds),
  ]);
}

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
  /** Width of a bucket in ms; one minute by default. */
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
  return readSeries(traffic, { product, measure, buckets, selection });
}

import type { Product } from '../account/products.ts';
import type { Buckets } from './buckets.ts';
import type { Settling } from './completeness.ts';
import type { Dimension, Measure, Units } from './measures.ts';
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
  readonly units: Units;
}

/** The series of a metric, as the platform counts them. */
export function readSeries(traffic: Traffic, query: SeriesQuery): SeriesByDimension {
  const { product, selection, measure, buckets, settling, units } = query;
  const sums = traffic.sums(product, selection, measure.group, buckets, settling);
  const wanted = measure.dimensions.filter(({ name }) => (query.dimension ?? name) === name);
  return Object.fromEntries(
    wanted.map((dimension) => [dimension.name, pointsOf(dimension, sums, buckets, units)]),
  );
}

function pointsOf(dimension: Dimension, sums: Float64Array, buckets: Buckets, units: Units): Series {
  const cells = buckets.count === 0 ? 0 : sums.length / buckets.count;
  const seconds = buckets.width / 1000;
  return Array.from({ length: buckets.count }, (_, index) => [
    buckets.start + index * buckets.width,
    dimension.value(sums, index * cells, seconds, units),
  ]);
}

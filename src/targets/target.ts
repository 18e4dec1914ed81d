import type { Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Resource } from '../platform/read.ts';
import { type Window, windowQuery } from '../settling/window.ts';

/** Something whose series are read as one: a configuration of a product, or a product as a whole. */
export interface Target {
  readonly account: string;
  readonly product: Product;
  readonly by: 'configuration' | 'product';
  /** The id as it stands in the path and in the answer: the configuration's, one of its domains', or the product's. */
  readonly id: string;
  /** The configuration's name; empty for a product. */
  readonly name: string;
}

/** The labels that every series of a target carries. */
export function targetLabels({ account, product, by, id, name }: Target): Labels {
  const common = { account, product: product.slug };
  return by === 'product' ? common : { ...common, configuration_id: id, configuration: name };
}

/** Which series: one metric of a target, and one of its dimensions or all of them. */
export interface SeriesQuestion {
  readonly target: Target;
  readonly metric: string;
  readonly dimension?: string;
  readonly window: Window;
}

/**
 * The read that answers a question (sections 4.12 and 4.13): without a dimension, the one that brings all dimensions
 * of the metric in one operation.
 */
export function seriesResource({ target, metric, dimension, window }: SeriesQuestion): Resource {
  const { api, id } = target.product;
  const subject = target.by === 'product' ? 'aggregate' : `configurations/${encodeURIComponent(target.id)}`;
  const tail = dimension === undefined ? '' : `/dimensions/${encodeURIComponent(dimension)}`;
  return {
    path: `/${api}/products/${id}/${subject}/metrics/${encodeURIComponent(metric)}${tail}`,
    version: api === 'analytics' ? 1 : 2,
    query: windowQuery(window),
  };
}

import type { Resource } from '../platform/read.ts';
import { type Window, windowQuery } from '../settling/window.ts';
import type { Target } from './target.ts';

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

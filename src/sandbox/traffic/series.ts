import { type Api, PRODUCTS, type Product } from '../account/served-products.ts';
import type { Settings } from '../account/settings.ts';
import { type Buckets, bucketsOf, FINEST, type Settling } from './buckets.ts';
import { GROUPS, type Group } from './groups.ts';
import type { Selection, Traffic } from './traffic.ts';

/** Mapping from the cells of a group to the dimensions of a metric. */
interface Measure {
  readonly group: Group;
  readonly dimensions: readonly Dimension[];
}

interface Dimension {
  readonly name: string;
  /** Index of the cell in its group. */
  readonly cell: number;
  readonly convert: Convert;
}

/** Function that converts a cell to a value. @param seconds width of the bucket @param whole first cell of the group */
type Convert = (cell: number, seconds: number, whole: number) => number;

const count: Convert = (cell) => cell;
const perSecond: Convert = (cell, seconds) => cell / seconds;
/** Returns a level that follows the traffic, such as connected users. */
const level =
  (factor: number): Convert =>
  (cell, seconds) =>
    Math.round((cell * factor * 60) / seconds);
// The specification states no units: these are megabytes, and bits per second.
const volume: Convert = (kilobytes) => kilobytes / 1000;
const bandwidth: Convert = (kilobytes, seconds) => (kilobytes * 8000) / seconds;
/** Returns the share served from the cache, in percent; 0 without traffic. */
const percent: Convert = (saved, _seconds, whole) => (whole === 0 ? 0 : (100 * saved) / whole);

function measure(
  group: Group,
  ...dimensions: readonly [name: string, cell: string, convert: Convert][]
): Measure {
  const place = (cell: string) => (GROUPS[group] as readonly string[]).indexOf(cell);
  return {
    group,
    dimensions: dimensions.map(([name, cell, convert]) => ({ name, cell: place(cell), convert })),
  };
}

/** Returns a measure whose dimensions are cells of a group, with their own names. */
function cellsOf(group: Group, convert: Convert, cells: readonly string[] = GROUPS[group]): Measure {
  return measure(group, ...cells.map((cell): [string, string, Convert] => [cell, cell, convert]));
}

const BY_CACHE = ['total', 'saved', 'missed'];
const requests = cellsOf('requests', count);
const transferred = cellsOf('volume', volume);
const counted = measure('plain', ['total', 'count', count]);
const moved = measure('plain', ['total', 'kilobytes', volume]);
const movedWithBandwidth = measure(
  'plain',
  ['total', 'kilobytes', volume],
  ['bandwidth', 'kilobytes', bandwidth],
);
const offload = (group: 'requests' | 'volume') => measure(group, ['offload', 'saved', percent]);

/** Metrics in the analytics API's metadata, in its order. */
const ANALYTICS_MEASURES: Readonly<Record<string, Measure>> = {
  data_ingested: movedWithBandwidth,
  used_space: measure('levels', ['total', 'kilobytes', volume]),
  requests_per_second_offloaded: offload('requests'),
  connected_users: measure('plain', ['average', 'count', level(0.3)], ['max', 'count', level(0.42)]),
  data_packaged: movedWithBandwidth,
  requests_per_second: cellsOf('requests', perSecond, BY_CACHE),
  data_offloaded: offload('volume'),
  bandwidth: cellsOf('volume', bandwidth, BY_CACHE),
  http_method: cellsOf('methods', count),
  requests_offloaded: offload('requests'),
  waf: cellsOf('waf', count),
  status_code: cellsOf('codes', count),
  bandwidth_offloaded: offload('volume'),
  requests,
  images_processed: measure('plain', ['requests', 'count', count], ['throughput', 'count', perSecond]),
  data_transferred: transferred,
};

/** Metrics that only the metrics API has. Their dimensions are not documented; these follow the analytics API. */
const METRICS_MEASURES = new Map<string, Measure>([
  ...Object.entries(ANALYTICS_MEASURES),
  ['data_transferred_total', transferred],
  ['cdn_requests', requests],
  ['data_streaming_data_streamed', moved],
  ['data_streaming_requests', counted],
  ['live_streaming_data_transferred', moved],
  ['invocations', counted],
  ['idns_queries', counted],
  ['hosted_zones', measure('levels', ['total', 'sources', count])],
  ['l2_data_transferred', moved],
  ['load_balancer_data_transferred', moved],
]);

export function productOf(api: Api, id: number): Product | undefined {
  return PRODUCTS.find((product) => product.id === id && product[api].length > 0);
}

/** Returns the metrics in the analytics API's metadata: the documented ones, with the changes of the settings. */
export function analyticsMeasures(settings: Settings): ReadonlyMap<string, Measure> {
  const { analyticsMetricsAdded: more, analyticsMetricsMissing: missing } = settings;
  const measures = new Map(Object.entries(ANALYTICS_MEASURES));
  for (const metric of missing) measures.delete(metric);
  // Each dimension of a metric outside the specification counts everything.
  for (const [metric, names] of Object.entries(more))
    measures.set(
      metric,
      measure('plain', ...names.map((name): [string, string, Convert] => [name, 'count', count])),
    );
  return measures;
}

/** Returns the measure of a metric's name; undefined if the API has none. */
export function measureOf(
  api: Api,
  product: Product,
  metric: string,
  settings: Settings,
): Measure | undefined {
  if (api === 'analytics') return analyticsMeasures(settings).get(metric);
  return product.metrics.includes(metric) ? METRICS_MEASURES.get(metric) : undefined;
}

/** Returns the selection. The analytics API has every metric for every product, with zeros if the product has no such traffic. */
export function selectionOf(
  { api, product, metric }: { api: Api; product: Product; metric: string },
  wanted: Selection,
  settings: Settings,
): Selection {
  const counted = product[api].includes(metric) || Object.hasOwn(settings.analyticsMetricsAdded, metric);
  return counted ? wanted : 'nobody';
}

/** `[timestamp, value]`: start of a bucket in ms since the epoch, and its value. */
export type Point = [timestamp: number, value: number];

export type Series = Point[];

/** Series by dimension, in the order of the metric's metadata. */
export type SeriesByDimension = Record<string, Series>;

interface SeriesQuery {
  readonly product: Product;
  readonly selection: Selection;
  readonly measure: Measure;
  /** Dimension to which the result is restricted; undefined for all. */
  readonly dimension?: string | undefined;
  readonly buckets: Buckets;
  /** Completeness of young buckets; if undefined, every bucket is complete. */
  readonly settling?: Settling;
}

/** Returns the series of a metric, as the platform counts them. */
export function readSeries(traffic: Traffic, query: SeriesQuery): SeriesByDimension {
  const { product, selection, measure, buckets, settling } = query;
  const sums = traffic.sums(product, selection, measure.group, buckets, settling);
  const wanted = measure.dimensions.filter(({ name }) => (query.dimension ?? name) === name);
  return Object.fromEntries(wanted.map((dimension) => [dimension.name, pointsOf(dimension, sums, buckets)]));
}

function pointsOf({ cell, convert }: Dimension, sums: Float64Array, buckets: Buckets): Series {
  const cells = buckets.count === 0 ? 0 : sums.length / buckets.count;
  const seconds = buckets.width / 1000;
  const points: Series = [];
  // `Array.from` takes twice as long, and the truth for tests has a hundred thousand points.
  for (let index = 0; index < buckets.count; index++) {
    const value = convert(sums[index * cells + cell] ?? 0, seconds, sums[index * cells] ?? 0);
    points.push([buckets.start + index * buckets.width, value]);
  }
  return points;
}

/** Query for the final values of a series, independent of any answer. */
export interface TruthQuery {
  readonly api: Api;
  /** Id as in the path. */
  readonly product: number;
  /** Id of a configuration or a domain as in the path, or `product` for the whole product. */
  readonly configuration: number | 'product';
  readonly metric: string;
  /** Range (ms since the epoch): the first bucket is the one that contains `from`, and all start before `to`. */
  readonly from: number;
  readonly to: number;
  /** Width of a bucket (ms); default: one minute. */
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

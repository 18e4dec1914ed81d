import { type Api, PRODUCTS, type Product } from '../account/served-products.ts';
import type { Settings } from '../account/settings.ts';
import { type Buckets, bucketsOf, FINEST, type Settling } from './buckets.ts';
import { GROUPS, type Group, METHODS, STATUS_CODES } from './groups.ts';
import type { Selection, Traffic } from './traffic.ts';

/** How the cells of a group become the dimensions of a metric. */
interface Measure {
  readonly group: Group;
  readonly dimensions: readonly Dimension[];
}

interface Dimension {
  readonly name: string;
  /** @param cells the cells of one bucket, from `at` on; @param seconds the bucket's width */
  value(cells: Float64Array, at: number, seconds: number): number;
}

type Value = Dimension['value'];
type CellValue = (group: Group, cell: string) => Value;

const place = (group: Group, cell: string) => (GROUPS[group] as readonly string[]).indexOf(cell);

function reading(convert: (cell: number, seconds: number) => number): CellValue {
  return (group, cell) => {
    const index = place(group, cell);
    return (cells, at, seconds) => convert(cells[at + index] ?? 0, seconds);
  };
}

const count = reading((cell) => cell);
const perSecond = reading((cell, seconds) => cell / seconds);
/** A level that follows the traffic, such as connected users. */
const level = (factor: number) => reading((cell, seconds) => Math.round((cell * factor * 60) / seconds));
// The specification names no units: these are megabytes, and bits per second.
const volume = reading((kilobytes) => kilobytes / 1000);
const bandwidth = reading((kilobytes, seconds) => (kilobytes * 8000) / seconds);

/** The share served from the cache, in percent; 0 while there is no traffic. */
const offload = (group: 'requests' | 'volume'): Value => {
  const total = place(group, 'total');
  const saved = place(group, 'saved');
  return (cells, at) => (cells[at + total] ? (100 * (cells[at + saved] ?? 0)) / (cells[at + total] ?? 1) : 0);
};

function measure(group: Group, value: CellValue, cells: readonly string[]): Measure {
  return { group, dimensions: cells.map((cell) => ({ name: cell, value: value(group, cell) })) };
}

function single(group: Group, name: string, value: Value): Measure {
  return { group, dimensions: [{ name, value }] };
}

const ALL = ['total', 'http', 'https', 'saved', 'missed'];
const BY_CACHE = ['total', 'saved', 'missed'];
const requests = measure('requests', count, ALL);
const transferred = measure('volume', volume, ALL);
const counted = single('plain', 'total', count('plain', 'count'));
const moved = single('plain', 'total', volume('plain', 'kilobytes'));
const movedWithBandwidth: Measure = {
  group: 'plain',
  dimensions: [...moved.dimensions, { name: 'bandwidth', value: bandwidth('plain', 'kilobytes') }],
};

/** A metric that the specification does not know: each of its dimensions counts everything. */
function added(dimensions: readonly string[]): Measure {
  const value = count('plain', 'count');
  return { group: 'plain', dimensions: dimensions.map((name) => ({ name, value })) };
}

/** Metrics that the analytics API's metadata lists, in its order. */
const ANALYTICS_MEASURES: ReadonlyMap<string, Measure> = new Map([
  ['data_ingested', movedWithBandwidth],
  ['used_space', single('levels', 'total', volume('levels', 'kilobytes'))],
  ['requests_per_second_offloaded', single('requests', 'offload', offload('requests'))],
  [
    'connected_users',
    {
      group: 'plain',
      dimensions: [
        { name: 'average', value: level(0.3)('plain', 'count') },
        { name: 'max', value: level(0.42)('plain', 'count') },
      ],
    },
  ],
  ['data_packaged', movedWithBandwidth],
  ['requests_per_second', measure('requests', perSecond, BY_CACHE)],
  ['data_offloaded', single('volume', 'offload', offload('volume'))],
  ['bandwidth', measure('volume', bandwidth, BY_CACHE)],
  ['http_method', measure('methods', count, METHODS)],
  ['requests_offloaded', single('requests', 'offload', offload('requests'))],
  ['waf', measure('waf', count, GROUPS.waf)],
  ['status_code', measure('codes', count, STATUS_CODES)],
  ['bandwidth_offloaded', single('volume', 'offload', offload('volume'))],
  ['requests', requests],
  [
    'images_processed',
    {
      group: 'plain',
      dimensions: [
        { name: 'requests', value: count('plain', 'count') },
        { name: 'throughput', value: perSecond('plain', 'count') },
      ],
    },
  ],
  ['data_transferred', transferred],
]);

/** Metrics that only the metrics API names. Their dimensions are not documented; these follow the analytics API. */
const METRICS_MEASURES: ReadonlyMap<string, Measure> = new Map([
  ...ANALYTICS_MEASURES,
  ['data_transferred_total', transferred],
  ['cdn_requests', requests],
  ['data_streaming_data_streamed', moved],
  ['data_streaming_requests', counted],
  ['live_streaming_data_transferred', moved],
  ['invocations', counted],
  ['idns_queries', counted],
  ['hosted_zones', single('levels', 'total', count('levels', 'sources'))],
  ['l2_data_transferred', moved],
  ['load_balancer_data_transferred', moved],
]);

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

/** `[timestamp, value]`: the start of a bucket in ms since the epoch, and what it holds. */
export type Point = [timestamp: number, value: number];

export type Series = Point[];

/** Series by dimension, in the order of the metric's metadata. */
export type SeriesByDimension = Record<string, Series>;

interface SeriesQuery {
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
  const points: Series = [];
  // Not `Array.from`, which takes twice as long: a truth that tests compare with has a hundred thousand points.
  for (let index = 0; index < buckets.count; index++)
    points.push([buckets.start + index * buckets.width, dimension.value(sums, index * cells, seconds)]);
  return points;
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

/** Data API that serves a product: `analytics` is version 1, `metrics` version 2. */
export type SeriesApi = 'analytics' | 'metrics';

/** A product with series on the platform (section 2.12). */
export interface Product {
  readonly api: SeriesApi;
  /** Value of the `product` label, and the product's key in the configuration. */
  readonly slug: string;
  /** Path parameter `:prod_id`. */
  readonly id: number;
  /** Valid values of the path parameter `:metric_name` for this product. */
  readonly metrics: readonly string[];
  /** Metrics that only GraphQL has. They are read only if the configuration lists them; `*` does not include them. */
  readonly onlyElsewhere?: readonly string[];
}

const TRAFFIC = ['status_code', 'waf', 'http_method', 'requests_per_second', 'bandwidth'];

/**
 * Breakdowns of requests by a field that may have any value, with the label of the values. The largest values have their own
 * series; the rest is `other`.
 */
export const BY_VALUE: Readonly<Record<string, string>> = {
  requests_by_country: 'country',
  requests_by_host: 'host',
  requests_by_location: 'location',
  requests_by_cache_status: 'cache_status',
  waf_requests_by_attack_family: 'attack_family',
  bot_requests_by_action: 'action',
  bot_requests_by_category: 'category',
};

/** Default number of values with their own series. */
export const TOP_VALUES = 10;

/** Label value of the rest of a breakdown. */
export const OTHER = 'other';

/** Metrics that exist only for whole products. */
export const OF_WHOLES: ReadonlySet<string> = new Set(['bot_requests_by_action', 'bot_requests_by_category']);

const ONLY_ELSEWHERE = [
  ...['request_duration', 'upstream_responses'],
  ...Object.keys(BY_VALUE).filter((metric) => !OF_WHOLES.has(metric)),
];

/**
 * Products of section 2.12. The specification lists the analytics metrics without their products, so they are assigned by meaning.
 * The most watched metrics come first.
 */
export const PRODUCTS: readonly Product[] = [
  {
    api: 'analytics',
    slug: 'content_delivery',
    id: 1441740010,
    metrics: [
      ...TRAFFIC,
      'requests',
      'requests_offloaded',
      'requests_per_second_offloaded',
      'data_transferred',
      'data_offloaded',
      'bandwidth_offloaded',
    ],
    onlyElsewhere: [...ONLY_ELSEWHERE, ...OF_WHOLES],
  },
  { api: 'analytics', slug: 'cloud_storage', id: 1441740013, metrics: ['used_space'] },
  {
    api: 'analytics',
    slug: 'image_optimization',
    id: 1441110021,
    metrics: ['images_processed'],
    onlyElsewhere: ['image_delivery'],
  },
  { api: 'analytics', slug: 'live_ingest', id: 1467740028, metrics: ['data_ingested'] },
  {
    api: 'analytics',
    slug: 'media_packager',
    id: 1441740014,
    metrics: ['data_packaged', 'connected_users'],
  },
  {
    api: 'metrics',
    slug: 'edge_applications',
    id: 1441740010,
    metrics: [...TRAFFIC, 'cdn_requests', 'requests_offloaded', 'data_transferred_total', 'data_offloaded'],
    onlyElsewhere: ONLY_ELSEWHERE,
  },
  {
    api: 'metrics',
    slug: 'data_streaming',
    id: 1498670028,
    metrics: ['data_streaming_data_streamed', 'data_streaming_requests'],
    onlyElsewhere: ['data_streaming_lines'],
  },
  {
    api: 'metrics',
    slug: 'edge_functions',
    id: 1531930033,
    metrics: ['invocations'],
    onlyElsewhere: ['function_compute'],
  },
  {
    api: 'metrics',
    slug: 'image_processor',
    id: 1441110021,
    metrics: ['images_processed'],
    onlyElsewhere: ['image_delivery'],
  },
  {
    api: 'metrics',
    slug: 'intelligent_dns',
    id: 1563390045,
    metrics: ['idns_queries', 'hosted_zones'],
    onlyElsewhere: ['idns_queries_by_type'],
  },
  { api: 'metrics', slug: 'l2_caching', id: 1564082375, metrics: ['l2_data_transferred'] },
  { api: 'metrics', slug: 'live_streaming', id: 1441740004, metrics: ['live_streaming_data_transferred'] },
  { api: 'metrics', slug: 'load_balancer', id: 1441740012, metrics: ['load_balancer_data_transferred'] },
];

/** Returns the product of an API with this slug. @throws Error for an unknown one, which is a bug */
export function productOf(api: SeriesApi, slug: string): Product {
  const found = PRODUCTS.find((product) => product.api === api && product.slug === slug);
  if (found === undefined) throw new Error(`no product ${slug} in the ${api} API`);
  return found;
}

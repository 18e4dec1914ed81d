/** A product of the platform, in both APIs (specification 2.12), and what its traffic is like. */
export interface Product {
  readonly id: number;
  readonly slug: string;
  /** What a configuration of this product is. */
  readonly source: ConfigurationSource;
  /** Its counts per minute compared with the content delivery of the same domain. */
  readonly factor: number;
  /** Kilobytes (10^3 bytes) of one count. */
  readonly kilobytes: number;
  /** Metrics of the analytics API (version 1) that see traffic; the others answer zeros. */
  readonly analytics: readonly string[];
  /** Metrics of the metrics API (version 2); no others exist there. */
  readonly metrics: readonly string[];
}

export type ConfigurationSource =
  | 'applications'
  | 'image_applications'
  | 'cached_applications'
  | 'balanced_applications'
  | 'functions'
  | 'zones'
  | 'streams'
  | 'channels'
  | 'buckets';

const DELIVERY_ANALYTICS = [
  'requests',
  'data_transferred',
  'data_offloaded',
  'bandwidth',
  'bandwidth_offloaded',
  'http_method',
  'requests_offloaded',
  'requests_per_second',
  'requests_per_second_offloaded',
  'status_code',
  'waf',
];

const DELIVERY_METRICS = [
  'data_transferred_total',
  'data_offloaded',
  'cdn_requests',
  'requests_per_second',
  'requests_offloaded',
  'status_code',
  'http_method',
  'waf',
  'bandwidth',
];

const NONE: readonly string[] = [];

export const PRODUCTS: readonly Product[] = [
  product(1441740010, 'edge_applications', 'applications', 1, 18, DELIVERY_ANALYTICS, DELIVERY_METRICS),
  product(
    1441740013,
    'cloud_storage',
    'buckets',
    0.02,
    850,
    ['used_space', 'requests', 'data_transferred', 'bandwidth'],
    NONE,
  ),
  product(
    1441110021,
    'image_processor',
    'image_applications',
    0.1,
    45,
    ['images_processed'],
    ['images_processed'],
  ),
  product(1467740028, 'live_ingest', 'channels', 0.03, 600, ['data_ingested', 'connected_users'], NONE),
  product(
    1441740014,
    'media_packager',
    'channels',
    0.05,
    700,
    ['data_packaged', 'connected_users', 'data_transferred'],
    NONE,
  ),
  product(1498670028, 'data_streaming', 'streams', 0.5, 2, NONE, [
    'data_streaming_data_streamed',
    'data_streaming_requests',
  ]),
  product(1531930033, 'edge_functions', 'functions', 0.3, 1, NONE, ['invocations']),
  product(1563390045, 'intelligent_dns', 'zones', 0.2, 1, NONE, ['idns_queries', 'hosted_zones']),
  product(1564082375, 'l2_caching', 'cached_applications', 0.2, 18, NONE, ['l2_data_transferred']),
  product(1441740004, 'live_streaming', 'channels', 0.4, 400, NONE, ['live_streaming_data_transferred']),
  product(1441740012, 'load_balancer', 'balanced_applications', 0.25, 15, NONE, [
    'load_balancer_data_transferred',
  ]),
];

function product(
  id: number,
  slug: string,
  source: ConfigurationSource,
  factor: number,
  kilobytes: number,
  analytics: readonly string[],
  metrics: readonly string[],
): Product {
  return { id, slug, source, factor, kilobytes, analytics, metrics };
}

export type Api = 'analytics' | 'metrics';

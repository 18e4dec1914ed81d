/** Product of the platform in both APIs (specification 2.12), with the properties of its simulated traffic. */
export interface Product {
  readonly id: number;
  readonly slug: string;
  /** Kind of the product's configurations. */
  readonly source: ConfigurationSource;
  /** Ratio of the product's count to the content delivery requests of the same domain in the same minute. */
  readonly factor: number;
  /** Kilobytes (10^3 bytes) of traffic per count. */
  readonly kilobytes: number;
  /** Metrics of the analytics API (version 1) that have traffic. Its other metrics exist with the value zero. */
  readonly analytics: readonly string[];
  /** Metrics of the metrics API (version 2), which has no others. */
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

const DELIVERY =
  'data_offloaded bandwidth http_method requests_offloaded requests_per_second status_code waf';

export const PRODUCTS: readonly Product[] = [
  product(1441740010, 'edge_applications', 'applications', [1, 18], {
    analytics: `${DELIVERY} requests data_transferred bandwidth_offloaded requests_per_second_offloaded`,
    metrics: `${DELIVERY} data_transferred_total cdn_requests`,
  }),
  product(1441740013, 'cloud_storage', 'buckets', [0.02, 850], {
    analytics: 'used_space requests data_transferred bandwidth',
  }),
  product(1441110021, 'image_processor', 'image_applications', [0.1, 45], {
    analytics: 'images_processed',
    metrics: 'images_processed',
  }),
  product(1467740028, 'live_ingest', 'channels', [0.03, 600], { analytics: 'data_ingested connected_users' }),
  product(1441740014, 'media_packager', 'channels', [0.05, 700], {
    analytics: 'data_packaged connected_users data_transferred',
  }),
  product(1498670028, 'data_streaming', 'streams', [0.5, 2], {
    metrics: 'data_streaming_data_streamed data_streaming_requests',
  }),
  product(1531930033, 'edge_functions', 'functions', [0.3, 1], { metrics: 'invocations' }),
  product(1563390045, 'intelligent_dns', 'zones', [0.2, 1], { metrics: 'idns_queries hosted_zones' }),
  product(1564082375, 'l2_caching', 'cached_applications', [0.2, 18], { metrics: 'l2_data_transferred' }),
  product(1441740004, 'live_streaming', 'channels', [0.4, 400], {
    metrics: 'live_streaming_data_transferred',
  }),
  product(1441740012, 'load_balancer', 'balanced_applications', [0.25, 15], {
    metrics: 'load_balancer_data_transferred',
  }),
];

function product(
  id: number,
  slug: string,
  source: ConfigurationSource,
  [factor, kilobytes]: readonly [number, number],
  { analytics = '', metrics = '' }: { analytics?: string; metrics?: string },
): Product {
  const names = (text: string) => text.split(' ').filter((name) => name !== '');
  return { id, slug, source, factor, kilobytes, analytics: names(analytics), metrics: names(metrics) };
}

export type Api = 'analytics' | 'metrics';

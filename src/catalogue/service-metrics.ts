import { count, type KnownMetric, known, level, type Meaning, volume } from './meaning.ts';

/** A metric that has a single dimension. */
function single(meaning: Meaning): KnownMetric {
  return known(['total', meaning]);
}

/** What the other products do: functions, images, DNS, storage, streaming. A bucket of each has its own unit. */
export const SERVICE_METRICS: ReadonlyMap<string, KnownMetric> = new Map([
  ['invocations', single(count('function_invocations', 'Invocations of edge functions'))],
  ['idns_queries', single(count('dns_queries', 'Queries answered by the DNS service'))],
  ['hosted_zones', single(level('hosted_zones', 'count', 'DNS zones hosted'))],
  [
    'images_processed',
    {
      ...known(
        ['requests', count('images_processed', 'Images processed')],
        ['throughput', level('images_throughput_bytes_per_second', 'rate', 'Throughput of image processing')],
      ),
      unnamed: 'requests',
    },
  ],
  ['used_space', single(level('used_space_bytes', 'volume', 'Bytes held in storage'))],
  [
    'data_streaming_data_streamed',
    single(volume('data_streamed_bytes', 'Bytes of log data streamed to the configured receivers')),
  ],
  [
    'data_streaming_requests',
    single(count('data_streaming_requests', 'Requests made to the receivers of log data')),
  ],
  [
    'l2_data_transferred',
    single(volume('l2_caching_data_transferred_bytes', 'Bytes transferred by the second cache layer')),
  ],
  [
    'load_balancer_data_transferred',
    single(volume('load_balancer_data_transferred_bytes', 'Bytes transferred by load balancers')),
  ],
  [
    'live_streaming_data_transferred',
    single(volume('live_streaming_data_transferred_bytes', 'Bytes of live streams transferred')),
  ],
  [
    'data_ingested',
    known(
      ['total', volume('data_ingested_bytes', 'Bytes of live streams ingested')],
      [
        'bandwidth',
        level('data_ingested_bandwidth_bytes_per_second', 'rate', 'Bandwidth of live stream ingest'),
      ],
    ),
  ],
  [
    'data_packaged',
    known(
      ['total', volume('data_packaged_bytes', 'Bytes of media packaged')],
      ['bandwidth', level('data_packaged_bandwidth_bytes_per_second', 'rate', 'Bandwidth of packaged media')],
    ),
  ],
  [
    'connected_users',
    known(
      ['average', level('connected_users_average', 'count', 'Users connected, on average over the bucket')],
      [
        'max',
        level('connected_users_max', 'count', 'Highest number of users connected at once in the bucket'),
      ],
    ),
  ],
]);

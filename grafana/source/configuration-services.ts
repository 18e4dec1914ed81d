import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { ACCOUNT, highest, mean, NAMESAKE, sum } from './query.ts';

interface Service {
  readonly title: string;
  readonly what: string;
  readonly family: string;
  readonly unit: 'decbytes' | 'short';
}

/** Of products that handle the same sites, by the configurations chosen, whatever product is. */
function ofTheSite({ title, what, family, unit }: Service): Panel {
  return chart({
    title,
    description: `${what} per minute, of the chosen configurations by their names.`,
    unit,
    axis: 'per minute',
    queries: [
      { expr: highest(5, sum(mean(family, NAMESAKE), 'configuration')), legend: '{{configuration}}' },
    ],
  });
}

/** Of products whose configurations have other names than sites. */
function ofTheAccount({ title, what, family, unit }: Service): Panel {
  return chart({
    title: `${title} of the account`,
    description: `${what} per minute, of the whole account: the five highest at each moment, by their own names.`,
    unit,
    axis: 'per minute',
    queries: [{ expr: highest(5, sum(mean(family, ACCOUNT), 'configuration')), legend: '{{configuration}}' }],
  });
}

/** What the platform's console files under “Others”. */
export const services: readonly Panel[] = [
  ofTheSite({
    title: 'Tiered cache',
    what: 'Bytes that the second cache layer transferred',
    family: 'edge_l2_caching_data_transferred_bytes_per_minute',
    unit: 'decbytes',
  }),
  ofTheSite({
    title: 'Load balancer',
    what: 'Bytes that load balancers transferred',
    family: 'edge_load_balancer_data_transferred_bytes_per_minute',
    unit: 'decbytes',
  }),
  ofTheSite({
    title: 'Images processed',
    what: 'Images processed',
    family: 'edge_images_processed_per_minute',
    unit: 'short',
  }),
  ofTheAccount({
    title: 'Function invocations',
    what: 'Invocations of edge functions',
    family: 'edge_function_invocations_per_minute',
    unit: 'short',
  }),
  ofTheAccount({
    title: 'DNS queries',
    what: 'DNS queries answered',
    family: 'edge_dns_queries_per_minute',
    unit: 'short',
  }),
  ofTheAccount({
    title: 'Data streamed',
    what: 'Bytes of log data sent to the receivers',
    family: 'edge_data_streamed_bytes_per_minute',
    unit: 'decbytes',
  }),
  ofTheAccount({
    title: 'Live streams',
    what: 'Bytes of live streams',
    family: 'edge_live_streaming_data_transferred_bytes_per_minute',
    unit: 'decbytes',
  }),
  ofTheAccount({
    title: 'Streams ingested',
    what: 'Bytes of live streams that came in',
    family: 'edge_data_ingested_bytes_per_minute',
    unit: 'decbytes',
  }),
];

import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { ACCOUNT, highest, mean, NAMESAKE, sum } from './query.ts';

type Service = readonly [title: string, what: string, family: string];

const OF_SITES: readonly Service[] = [
  ['Tiered cache', 'Bytes that the second cache layer transferred', 'l2_caching_data_transferred_bytes'],
  ['Load balancer', 'Bytes that load balancers transferred', 'load_balancer_data_transferred_bytes'],
  ['Images processed', 'Images processed', 'images_processed'],
];

const OF_ACCOUNTS: readonly Service[] = [
  ['Function invocations', 'Invocations of edge functions', 'function_invocations'],
  ['DNS queries', 'DNS queries answered', 'dns_queries'],
  ['Data streamed', 'Bytes of log data sent to the receivers', 'data_streamed_bytes'],
  ['Live streams', 'Bytes of live streams', 'live_streaming_data_transferred_bytes'],
  ['Streams ingested', 'Bytes of live streams that came in', 'data_ingested_bytes'],
];

function serviceChart(title: string, description: string, family: string, matchers: string): Panel {
  return chart({
    title,
    description,
    unit: family.endsWith('_bytes') ? 'decbytes' : 'short',
    axis: 'per minute',
    queries: [
      {
        expr: highest(5, sum(mean(`edge_${family}_per_minute`, matchers), 'configuration')),
        legend: '{{configuration}}',
      },
    ],
  });
}

/** Panels for the group “Others” of the platform's console. */
export const services: readonly Panel[] = [
  ...OF_SITES.map(([title, what, family]) => {
    const description = `${what} per minute, of the chosen configurations by their names.`;
    return serviceChart(title, description, family, NAMESAKE);
  }),
  ...OF_ACCOUNTS.map(([title, what, family]) => {
    const description = `${what} per minute, of the whole account: the five highest at each moment, by their own names.`;
    return serviceChart(`${title} of the account`, description, family, ACCOUNT);
  }),
];

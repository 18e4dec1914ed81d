import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { type Section, shelves } from './layout.ts';
import type { Query } from './panel.ts';
import { ESTIMATE, estimated, mean, meanBefore, SITE, share, sum } from './query.ts';

const CACHE = [
  ['saved', 'from the cache'],
  ['missed', 'from the origin'],
] as const;

const SCHEMES = [
  ['https', 'HTTPS'],
  ['http', 'HTTP'],
] as const;

type Parts = readonly (readonly [value: string, legend: string])[];

function split(family: string, label: string, parts: Parts, factor = ''): readonly Query[] {
  return parts.map(([value, legend]) => ({
    expr: `${factor}${sum(mean(family, SITE, `${label}="${value}"`))}`,
    legend,
  }));
}

function cacheShare(family: string): string {
  return share(sum(mean(family, SITE, 'cache="saved"')), sum(mean(family, SITE)));
}

const data: readonly Panel[] = [
  chart({
    title: 'Data transferred by origin of the data',
    description: 'Bytes per minute sent to clients, served from the edge cache or fetched from the origin.',
    unit: 'decbytes',
    axis: 'per minute',
    shape: 'stack',
    queries: split('edge_data_transferred_bytes_by_cache_per_minute', 'cache', CACHE),
  }),
  chart({
    title: 'Data transferred by scheme',
    description: 'Bytes per minute sent to clients, over HTTPS and HTTP.',
    unit: 'decbytes',
    axis: 'per minute',
    shape: 'stack',
    queries: split('edge_data_transferred_bytes_by_scheme_per_minute', 'scheme', SCHEMES),
  }),
  chart({
    title: 'Bandwidth',
    description: 'Bandwidth towards clients: in total, from the cache, and from the origin.',
    unit: 'bps',
    queries: [
      { expr: `8 * ${sum(mean('edge_bandwidth_bytes_per_second', SITE))}`, legend: 'total' },
      ...split('edge_bandwidth_by_cache_bytes_per_second', 'cache', CACHE, '8 * '),
    ],
  }),
];

const requests: readonly Panel[] = [
  chart({
    title: 'Requests by scheme',
    description: 'Requests per minute over HTTPS and HTTP.',
    unit: 'reqpm',
    shape: 'stack',
    queries: split('edge_requests_by_scheme_per_minute', 'scheme', SCHEMES),
  }),
  chart({
    title: 'Requests by origin of the answer',
    description: 'Requests per minute answered from the edge cache or fetched from the origin.',
    unit: 'reqpm',
    shape: 'stack',
    queries: split('edge_requests_by_cache_per_minute', 'cache', CACHE),
  }),
  chart({
    title: 'Served from the cache',
    description: 'Share of the requests and of the bytes that the edge served without the origin.',
    unit: 'percentunit',
    max: 1,
    queries: [
      { expr: cacheShare('edge_requests_by_cache_per_minute'), legend: 'requests' },
      { expr: cacheShare('edge_data_transferred_bytes_by_cache_per_minute'), legend: 'bytes' },
    ],
  }),
  chart({
    title: 'Requests per second',
    description: 'The rate as the platform reports it: in total, from the cache and from the origin.',
    unit: 'reqps',
    queries: [
      { expr: sum(mean('edge_requests_per_second', SITE)), legend: 'total' },
      ...split('edge_requests_by_cache_per_second', 'cache', CACHE),
    ],
  }),
  chart({
    title: 'Requests by method',
    description: 'Requests per minute by HTTP method.',
    unit: 'reqpm',
    shape: 'stack',
    queries: [
      { expr: sum(mean('edge_requests_by_method_per_minute', SITE), 'method'), legend: '{{method}}' },
    ],
  }),
  chart({
    title: 'Requests against the same time before',
    description:
      'Requests per minute. Dashed: the same time a day and a week before, and the estimated final value of the newest minute, where they are known.',
    unit: 'reqpm',
    queries: [
      { expr: sum(mean('edge_requests_per_minute', SITE)), legend: 'now' },
      { expr: estimated('edge_requests', SITE), legend: ESTIMATE },
      { expr: sum(meanBefore('1d', 'edge_requests_per_minute', SITE)), legend: 'a day before' },
      { expr: sum(meanBefore('1w', 'edge_requests_per_minute', SITE)), legend: 'a week before' },
    ],
    dashed: ['a day before', 'a week before', ESTIMATE],
  }),
];

/** Sections for data transferred and for requests. */
export const delivered: readonly Section[] = [
  { title: 'Data transferred', shelves: shelves(data, 8) },
  { title: 'Requests', shelves: shelves(requests, 8) },
];

import { expect } from 'vitest';
import { DELIVERY, HOUR, INTEGER, INTEGERS, TEXT } from './expected.ts';
import { familiesOfMetric } from './exporter-families.ts';
import type { Row } from './row.ts';

const SERIES = expect.toSatisfy(
  (series) =>
    Array.isArray(series) &&
    series.length === 60 &&
    series.every(
      (point, minute) =>
        point.length === 2 && point[0] === Date.UTC(2026, 10, 20, 10, minute) && typeof point[1] === 'number',
    ),
  'is a series of 60 minutes',
);
const dimensionsOf = (text: string) => text.split(', ');
const seriesOf = (text: string) => Object.fromEntries(dimensionsOf(text).map((name) => [name, SERIES]));

/** Product, its id, and how one of its metrics is read. */
const ANALYTICS_PRODUCTS = [
  ['content delivery', 1441740010],
  ['cloud storage', 1441740013],
  ['image optimization', 1441110021],
  ['live ingest', 1467740028],
  ['media packager', 1441740014],
] as const;

/** Product, its id, an id that its series are read by, and its metrics. */
const METRICS_PRODUCTS = [
  [
    'edge applications',
    1441740010,
    1536580016,
    'data_transferred_total, data_offloaded, cdn_requests, requests_per_second, requests_offloaded, status_code, http_method, waf, bandwidth',
  ],
  ['data streaming', 1498670028, 1610000000, 'data_streaming_data_streamed, data_streaming_requests'],
  ['edge functions', 1531930033, 1536580016, 'invocations'],
  ['image processor', 1441110021, 1536580016, 'images_processed'],
  ['intelligent DNS', 1563390045, 40960, 'idns_queries, hosted_zones'],
  ['L2 caching', 1564082375, 1536580016, 'l2_data_transferred'],
  ['live streaming', 1441740004, 1610000003, 'live_streaming_data_transferred'],
  ['load balancer', 1441740012, 1536580016, 'load_balancer_data_transferred'],
] as const;

const METADATA = {
  data_ingested: 'total, bandwidth',
  used_space: 'total',
  requests_per_second_offloaded: 'offload',
  connected_users: 'average, max',
  data_packaged: 'total, bandwidth',
  requests_per_second: 'total, saved, missed',
  data_offloaded: 'offload',
  bandwidth: 'total, saved, missed',
  http_method: 'get, head, post, others',
  requests_offloaded: 'offload',
  waf: 'requests, blocked, threats, xss, rfi, sql, others',
  status_code: '2xx, 200, 204, 206, 3xx, 301, 302, 304, 4xx, 400, 403, 404, 500, 502, 503, 5xx',
  bandwidth_offloaded: 'offload',
  requests: 'total, http, https, saved, missed',
  images_processed: 'requests, throughput',
  data_transferred: 'total, http, https, saved, missed',
};

const CONFIGURATION = { id: INTEGER, name: TEXT, active: true, domains: INTEGERS };

/** Section 2.12. */
export const series: readonly Row[] = [
  {
    section: '2.12',
    quotes: [
      'A data series is an array of points.',
      'Each point is a two-element array: a timestamp in milliseconds since the epoch (floating point) followed by a numeric value.',
    ],
    steps: [
      {
        send: `GET ${DELIVERY}/1536580016/metrics/waf/dimensions/xss?${HOUR}`,
        version: 2,
        status: 200,
        is: SERIES,
      },
    ],
  },
  {
    section: '2.12',
    quotes: [
      'Metric metadata (analytics API) is an object mapping each metric name to an array of its dimension names.',
      'Metadata returned by the analytics API lists these metrics with their dimensions:',
    ],
    embedded:
      'settings `analytics_metrics_added` and `analytics_metrics_missing` change it, to rehearse what is new and what is gone',
    steps: [
      {
        send: 'GET /analytics/metadata',
        version: 1,
        status: 200,
        is: Object.fromEntries(Object.entries(METADATA).map(([name, text]) => [name, dimensionsOf(text)])),
      },
    ],
  },
  ...Object.entries(METADATA).map(
    ([metric, dimensions]): Row => ({
      section: '2.12',
      quotes: [`${metric} · ${dimensions}`],
      families: familiesOfMetric(metric),
      steps: ANALYTICS_PRODUCTS.map(([, id]) => ({
        send: `GET /analytics/products/${id}/aggregate/metrics/${metric}?${HOUR}`,
        version: 1,
        status: 200,
        is: { products: { [id]: { [metric]: seriesOf(dimensions) } } },
      })),
    }),
  ),
  {
    section: '2.12',
    quotes: [
      'Configuration list item (metrics API): `id` (integer), `name` (string), `active` (boolean), `domains` (array of integers).',
    ],
    families: ['edge_configuration_info'],
    steps: [
      { send: `GET ${DELIVERY}`, version: 2, status: 200, is: [CONFIGURATION, CONFIGURATION, CONFIGURATION] },
    ],
  },
  ...ANALYTICS_PRODUCTS.map(
    ([name, id]): Row => ({
      section: '2.12',
      quotes: [`analytics (version 1) · ${name} · ${id}`],
      families: ['edge_configuration_info{product}'],
      steps: [
        { send: `GET /analytics/products/${id}/configurations`, version: 1, status: 200 },
        {
          send: `GET /analytics/products/${id}/aggregate/metrics/requests?${HOUR}`,
          version: 1,
          status: 200,
          has: { products: { [id]: {} } },
        },
      ],
    }),
  ),
  ...METRICS_PRODUCTS.map(
    ([name, id, configuration, metrics]): Row => ({
      section: '2.12',
      quotes: [`metrics (version 2) · ${name} · ${id}`, `${name} · ${metrics}`],
      families: dimensionsOf(metrics).flatMap(familiesOfMetric),
      steps: [
        { send: `GET /metrics/products/${id}/configurations`, version: 2, status: 200 },
        ...dimensionsOf(metrics).map((metric) => ({
          send: `GET /metrics/products/${id}/configurations/${configuration}/metrics/${metric}?${HOUR}`,
          version: 2,
          status: 200,
          is: expect.toSatisfy(
            (answer) => Object.values(answer).every((each) => SERIES.asymmetricMatch(each)),
            'has a series for each dimension',
          ),
        })),
        {
          send: `GET /metrics/products/${id}/configurations/${configuration}/metrics/colour?${HOUR}`,
          version: 2,
          status: 404,
        },
      ],
    }),
  ),
  {
    section: '2.12',
    quotes: [
      'Product ids used in path parameter `:prod_id`:',
      'Metric names per product (metrics API `:metric_name`):',
    ],
    steps: [
      { send: 'GET /analytics/products/5/configurations', version: 1, status: 404 },
      { send: 'GET /metrics/products/5/configurations', version: 2, status: 404 },
      // Each API has products of its own.
      { send: 'GET /analytics/products/1531930033/configurations', version: 1, status: 404 },
      { send: 'GET /metrics/products/1441740013/configurations', version: 2, status: 404 },
    ],
  },
];

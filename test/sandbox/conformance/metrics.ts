import { expect } from 'vitest';
import { DELIVERY, HOUR, INTEGER, INTEGERS, TEXT } from './expected.ts';
import type { Row } from './row.ts';

const DOMAIN = 1536580016;
const APPLICATION = 1528990720;
const WAF = `${DELIVERY}/${DOMAIN}/metrics/waf`;
const ITEM = { id: INTEGER, name: TEXT, active: true, domains: INTEGERS };
const SERIES = expect.toSatisfy((series) => series.length === 60 && series[0].length === 2, 'is a series');
const RPS = `GET ${DELIVERY}/${DOMAIN}/metrics/requests_per_second?${HOUR}`;
const BY_CACHE = { total: SERIES, saved: SERIES, missed: SERIES };
const shape = (metrics_shape: string, is: unknown) => [
  { send: 'PATCH /_sandbox/settings', body: { metrics_shape }, status: 200 },
  { send: RPS, version: 2, status: 200, is },
];

/** Section 4.13. */
export const metrics: readonly Row[] = [
  {
    section: '4.13',
    quotes: [
      'GET · `/metrics/products/:prod_id/configurations` · 200, objects `{ id, name, active, domains }`',
    ],
    families: ['edge_configuration_info'],
    embedded:
      'setting `configurations_shape`: a bare array, an envelope, objects one after another, one object',
    steps: [
      { send: `GET ${DELIVERY}`, version: 2, status: 200, is: [ITEM, ITEM, ITEM] },
      { send: 'PATCH /_sandbox/settings', body: { configurations_shape: 'envelope' }, status: 200 },
      { send: `GET ${DELIVERY}`, version: 2, status: 200, is: { results: [ITEM, ITEM, ITEM] } },
    ],
  },
  {
    section: '4.13',
    quotes: [
      'GET · `/metrics/products/:prod_id/configurations/:conf_id/metrics/:metric_name` · 200, series of `[timestamp_ms, value]` points; query `date_from`, `date_to` as above',
      'GET · `/metrics/products/:prod_id/configurations/:conf_id/metrics/:metric_name/dimensions/:dim_name` · 200, series of points for one dimension; query `date_from`, `date_to` as above',
    ],
    families: ['edge_waf_requests_per_minute', 'edge_waf_threats_by_family_per_minute'],
    steps: [
      { send: `GET ${WAF}?${HOUR}`, version: 2, status: 200, has: { requests: SERIES, xss: SERIES } },
      { send: `GET ${WAF}/dimensions/xss?${HOUR}`, version: 2, status: 200, is: SERIES },
      { send: `GET ${WAF}`, version: 2, status: 400, is: { date_from: [TEXT] } },
      {
        send: `GET ${WAF}?date_from=2026-11-20T10:00Z&date_to=x`,
        version: 2,
        status: 400,
        is: { date_to: [TEXT] },
      },
    ],
  },
  {
    section: '4.13',
    quotes: [
      '`:prod_id`, `:conf_id` are numbers (conf_id is a domain id obtained from the configurations read).',
      '`:metric_name`, `:dim_name` are strings.',
    ],
    embedded:
      'setting `metrics_ids`: ids of domains, of configurations or both, or those of domains and of applications without any',
    steps: [
      { send: `GET ${WAF}x?${HOUR}`, version: 2, status: 404 },
      { send: `GET ${DELIVERY}/x/metrics/waf?${HOUR}`, version: 2, status: 404 },
      { send: `GET ${DELIVERY}/${APPLICATION}/metrics/waf?${HOUR}`, version: 2, status: 404 },
      { send: 'PATCH /_sandbox/settings', body: { metrics_ids: 'both' }, status: 200 },
      { send: `GET ${DELIVERY}/${APPLICATION}/metrics/waf?${HOUR}`, version: 2, status: 200 },
      { send: `GET ${WAF}?${HOUR}`, version: 2, status: 200 },
      {
        send: 'PATCH /_sandbox/settings',
        body: { metrics_ids: 'domain' },
        status: 200,
      },
      {
        send: `PATCH /domains/${DOMAIN}`,
        body: { edge_application_id: APPLICATION + 1 },
        version: 3,
        status: 200,
      },
      {
        send: `PATCH /domains/${DOMAIN + 1}`,
        body: { edge_application_id: APPLICATION + 1 },
        version: 3,
        status: 200,
      },
      { send: `GET ${DELIVERY}/${APPLICATION}/metrics/waf?${HOUR}`, version: 2, status: 404 },
      { send: 'PATCH /_sandbox/settings', body: { metrics_ids: 'domain_or_own' }, status: 200 },
      { send: `GET ${DELIVERY}/${APPLICATION}/metrics/waf?${HOUR}`, version: 2, status: 200 },
    ],
  },
  {
    section: '4.13',
    quotes: [
      'The allowed values of `:dim_name` for the metrics API and the way series are grouped in its responses: not shown.',
    ],
    embedded:
      'the dimensions of the analytics API; setting `metrics_shape`: by dimension, nested as in the analytics API, or the first series only',
    steps: [
      { send: `GET ${WAF}/dimensions/colour?${HOUR}`, version: 2, status: 404 },
      ...shape('dimensions', BY_CACHE),
      ...shape('nested', { configurations: { [DOMAIN]: { requests_per_second: BY_CACHE } } }),
      ...shape('bare', SERIES),
    ],
  },
];

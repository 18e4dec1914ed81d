import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { origin, values } from './configuration-origin.ts';
import { errorPages, responses } from './configuration-responses.ts';
import { services } from './configuration-services.ts';
import { delivered } from './configuration-traffic.ts';
import { dashboard } from './dashboard-base.ts';
import { figure } from './figure.ts';
import { shelves } from './layout.ts';
import { growth, mean, SITE, sum } from './query.ts';
import { dataAgeFigure, shareFigures } from './traffic-figures.ts';
import { trafficNow } from './traffic-queries.ts';
import { TROUBLES } from './troubles.ts';
import { ACCOUNT_CHOICE, CONFIGURATION_CHOICE, DATASOURCE_CHOICE, PRODUCT_CHOICE } from './variables.ts';
import { threatsByFamily } from './waf-queries.ts';

const now = trafficNow(SITE);
const inRange = (family: string) => sum(growth(family, SITE));

const figures: readonly Panel[] = [
  figure({
    title: 'Requests in range',
    description: 'Requests within the time range, from the counter of settled buckets (ten minutes behind).',
    expr: inRange('edge_requests_total'),
  }),
  figure({
    title: 'Data in range',
    description: 'Bytes transferred to clients within the time range, from the counter of settled buckets.',
    unit: 'decbytes',
    expr: inRange('edge_data_transferred_bytes_total'),
  }),
  figure({
    title: 'Threats in range',
    description: 'Threats detected within the time range, from the counter of settled buckets.',
    expr: inRange('edge_waf_threats_total'),
  }),
  figure({
    title: 'Requests now',
    description: 'Requests per minute in the newest published bucket.',
    unit: 'reqpm',
    expr: now.requests,
  }),
  figure({
    title: 'Bandwidth now',
    description: 'Bandwidth in the newest published bucket.',
    unit: 'bps',
    expr: now.bitsPerSecond,
  }),
  ...shareFigures(now),
  dataAgeFigure('Age of data', now),
];

const waf: readonly Panel[] = [
  chart({
    title: 'Threats against requests',
    description: 'Requests that the WAF inspected, and threats that it detected.',
    queries: [
      { expr: sum(mean('edge_waf_requests_per_minute', SITE)), legend: 'inspected' },
      { expr: sum(mean('edge_waf_threats_per_minute', SITE)), legend: 'detected' },
    ],
  }),
  threatsByFamily,
  chart({
    title: 'Detected and stopped',
    description:
      'Threats that the WAF detected, and requests that it stopped. If they differ much, the rule set only counts.',
    queries: [
      { expr: sum(mean('edge_waf_threats_per_minute', SITE)), legend: 'detected' },
      { expr: sum(mean('edge_waf_blocked_per_minute', SITE)), legend: 'stopped' },
    ],
  }),
];

/** Dashboard of one configuration, in the order of the platform's own console. */
export const configuration: Dashboard = dashboard({
  uid: 'edge-configuration',
  description:
    'One site as the platform’s own console shows it: data transferred, requests, status codes, WAF threats, and the services around it. If several are selected, the panels show their sum.',
  from: 'now-6h',
  variables: [DATASOURCE_CHOICE, ACCOUNT_CHOICE, PRODUCT_CHOICE, CONFIGURATION_CHOICE],
  sections: [
    { title: 'At a glance', shelves: [TROUBLES, ...shelves(figures, 4, 8)] },
    ...delivered,
    { title: 'Status codes', shelves: [...shelves(responses, 7, 4), ...errorPages] },
    { title: 'Latency and origin', shelves: shelves(origin, 7) },
    { title: 'Countries and hosts', shelves: shelves(values, 7, 2) },
    { title: 'WAF threats', shelves: shelves(waf, 8) },
    { title: 'Services around it', shelves: shelves(services, 7, 4) },
  ],
});

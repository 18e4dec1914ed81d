import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { FIRING } from './annotations.ts';
import { chart } from './chart.ts';
import { figure } from './figure.ts';
import { dashboard } from './frame.ts';
import { type Section, shelves } from './layout.ts';
import { LIMITS } from './limits.ts';
import { TO_ACCOUNT, TO_CONFIGURATION } from './links.ts';
import { ACCOUNT, BY_SITE, highest, of, PRODUCT, SITE, sum } from './query.ts';
import { table } from './table.ts';
import { trafficNow, trafficOverTime } from './traffic-queries.ts';
import { ACCOUNT_CHOICE, CONFIGURATION_CHOICE, DATASOURCE_CHOICE, PRODUCT_CHOICE } from './variables.ts';
import { YES_NO } from './words.ts';

const now = trafficNow(SITE);
const byAccount = trafficOverTime(SITE, 'account');
const bySite = trafficOverTime(SITE, BY_SITE);
const siteNow = trafficNow(SITE, BY_SITE);
const SITE_LEGEND = '{{account}} / {{configuration}}';
/** Of a whole account, hence not narrowed to products and configurations. */
const accountNow = trafficNow(SITE, 'account');

const figures: readonly Panel[] = [
  figure({
    title: 'Requests',
    description: 'Requests per minute in the newest published bucket, all chosen configurations together.',
    unit: 'reqpm',
    expr: now.requests,
  }),
  figure({
    title: 'Bandwidth',
    description: 'Bandwidth towards the clients in the newest published bucket.',
    unit: 'bps',
    expr: now.bitsPerSecond,
  }),
  figure({
    title: 'Served from the cache',
    description:
      'Share of the requests that the edge answered without the origin. Red below 30 %, green from 60 %.',
    unit: 'percentunit',
    decimals: 1,
    expr: now.offload,
    limits: LIMITS.offload,
  }),
  figure({
    title: 'Server errors',
    description: 'Share of the responses with a status of 500 and above. Yellow from 1 %, red from 5 %.',
    unit: 'percentunit',
    decimals: 2,
    expr: now.serverErrors,
    limits: LIMITS.serverErrors,
  }),
  figure({
    title: 'Client errors',
    description: 'Share of the responses with a status from 400 to 499. Yellow from 10 %, red from 25 %.',
    unit: 'percentunit',
    decimals: 2,
    expr: now.clientErrors,
    limits: LIMITS.clientErrors,
  }),
  figure({
    title: 'Threats',
    description:
      'Threats per minute that the WAF detected, stopped or not. What is usual: see the Security dashboard.',
    unit: 'cpm',
    expr: now.threats,
  }),
  figure({
    title: 'Oldest data',
    description:
      'Age of the newest bucket of the account that is furthest behind, counted from the start of the bucket: three to five minutes is normal.',
    unit: 's',
    decimals: 0,
    expr: `max(${trafficNow(PRODUCT, 'account').dataAge})`,
    limits: LIMITS.dataAge,
  }),
  figure({
    title: 'Firing alerts',
    description: 'Alerts that fire now, of the chosen accounts and of the exporter itself.',
    unit: 'short',
    expr: `count(${FIRING})`,
    limits: LIMITS.anyIsBad,
    noValue: 'none',
  }),
];

const accounts = table({
  title: 'Accounts',
  description:
    'Each account now: whether the platform answers, its traffic, its data’s age, and how much of its quota is left (the scarcest kind of operation). An empty cell means that there is no data. A click on the name narrows this dashboard to the account.',
  unit: 'short',
  rows: { account: 'Account' },
  links: { Account: TO_ACCOUNT },
  widths: { Account: 200 },
  sortedBy: 'Requests / min',
  columns: [
    {
      title: 'Platform answers',
      expr: `max by (account) (${of('edge_up', ACCOUNT)})`,
      limits: LIMITS.mustBeOne,
      mappings: YES_NO,
    },
    {
      title: 'Configurations',
      expr: `count by (account) (count by (${BY_SITE}) (${of('edge_requests_per_minute', SITE)}))`,
    },
    { title: 'Requests / min', expr: accountNow.requests, decimals: 0 },
    { title: 'Bandwidth', expr: accountNow.bitsPerSecond, unit: 'bps' },
    { title: 'From the cache', expr: accountNow.offload, unit: 'percentunit', limits: LIMITS.offload },
    { title: '4xx', expr: accountNow.clientErrors, unit: 'percentunit', limits: LIMITS.clientErrors },
    { title: '5xx', expr: accountNow.serverErrors, unit: 'percentunit', limits: LIMITS.serverErrors },
    { title: 'Threats / min', expr: accountNow.threats, decimals: 0 },
    { title: 'Data age', expr: accountNow.dataAge, unit: 's', decimals: 0, limits: LIMITS.dataAge },
    {
      title: 'Quota left',
      expr: `min by (account) (${of('edge_api_ratelimit_remaining', ACCOUNT)} / ${of('edge_api_ratelimit_limit', ACCOUNT)})`,
      unit: 'percentunit',
      limits: LIMITS.quotaLeft,
    },
  ],
});

const firing = table({
  title: 'What fires now',
  description:
    'The firing alerts, with whom they concern. “none” also where Prometheus has not loaded the rules.',
  unit: 'short',
  rows: { alertname: 'Alert', severity: 'Severity', account: 'Account', configuration: 'Configuration' },
  columns: [{ title: 'Firing', expr: `count by (alertname, severity, account, configuration) (${FIRING})` }],
  sortedBy: 'Firing',
  noValue: 'none',
});

const overTime: readonly Panel[] = [
  chart({
    title: 'Requests by account',
    description: 'Requests per minute, one account on top of the other.',
    unit: 'reqpm',
    shape: 'stack',
    queries: [{ expr: byAccount.requests, legend: '{{account}}' }],
  }),
  chart({
    title: 'Server errors by account',
    description:
      'Share of the responses with a status of 500 and above. The dashed lines are at 1 % and 5 %.',
    unit: 'percentunit',
    limits: LIMITS.serverErrors,
    queries: [{ expr: byAccount.serverErrors, legend: '{{account}}' }],
  }),
  chart({
    title: 'Threats by account',
    description: 'Threats per minute that the WAF detected.',
    unit: 'cpm',
    queries: [{ expr: byAccount.threats, legend: '{{account}}' }],
  }),
  chart({
    title: 'Bandwidth by account',
    description: 'Bandwidth towards the clients, one account on top of the other.',
    unit: 'bps',
    shape: 'stack',
    queries: [{ expr: byAccount.bitsPerSecond, legend: '{{account}}' }],
  }),
  chart({
    title: 'Served from the cache, by account',
    description: 'Share of the requests that the edge answered without the origin.',
    unit: 'percentunit',
    max: 1,
    queries: [{ expr: byAccount.offload, legend: '{{account}}' }],
  }),
  chart({
    title: 'Age of data by account',
    description:
      'Age of the newest bucket of the metric that is furthest behind, counted from the start of the bucket. A line that ends means that the account shows no data any more.',
    unit: 's',
    limits: LIMITS.dataAge,
    queries: [
      {
        expr: `time() - min by (account) (${of('edge_last_bucket_timestamp_seconds', SITE)})`,
        legend: '{{account}}',
      },
    ],
  }),
];

const highestSites: readonly Panel[] = [
  chart({
    title: 'Busiest configurations',
    description: 'Requests per minute of the ten configurations that are busiest now.',
    unit: 'reqpm',
    queries: [
      {
        expr: `${bySite.requests} and on (${BY_SITE}) topk(10, ${sum(`${of('edge_requests_per_minute', SITE)} @ end()`, BY_SITE)})`,
        legend: SITE_LEGEND,
      },
    ],
  }),
  chart({
    title: 'Highest shares of server errors',
    description:
      'The five highest at each moment, of configurations with at least 60 requests a minute: of fewer, one error is a large share.',
    unit: 'percentunit',
    limits: LIMITS.serverErrors,
    queries: [
      {
        expr: highest(5, `${bySite.serverErrors} and on (${BY_SITE}) ${bySite.requests} >= 60`),
        legend: SITE_LEGEND,
      },
    ],
  }),
  chart({
    title: 'Most threats',
    description: 'Threats per minute, the five highest configurations at each moment.',
    unit: 'cpm',
    queries: [{ expr: highest(5, `${bySite.threats} > 0`), legend: SITE_LEGEND }],
  }),
];

const configurations = table({
  title: 'Configurations',
  description:
    'Each configuration now, the busiest first; a click on a heading sorts by it, a click on a name leads to the configuration. An empty cell means that there is no data, for instance no share of errors without requests.',
  unit: 'short',
  rows: { account: 'Account', product: 'Product', configuration: 'Configuration' },
  links: { Configuration: TO_CONFIGURATION },
  widths: { Account: 160, Product: 170, Configuration: 220 },
  sortedBy: 'Requests / min',
  columns: [
    { title: 'Requests / min', expr: siteNow.requests, decimals: 0 },
    { title: 'Bandwidth', expr: siteNow.bitsPerSecond, unit: 'bps' },
    { title: 'From the cache', expr: siteNow.offload, unit: 'percentunit', limits: LIMITS.offload },
    { title: '4xx', expr: siteNow.clientErrors, unit: 'percentunit', limits: LIMITS.clientErrors },
    { title: '5xx', expr: siteNow.serverErrors, unit: 'percentunit', limits: LIMITS.serverErrors },
    { title: 'Threats / min', expr: siteNow.threats, decimals: 0 },
    {
      title: 'Data age',
      expr: `time() - max by (${BY_SITE}) (${of('edge_last_bucket_timestamp_seconds', SITE)}) and on (${BY_SITE}) ${of('edge_requests_per_minute', SITE)}`,
      unit: 's',
      decimals: 0,
      limits: LIMITS.dataAge,
    },
  ],
});

const sections: readonly Section[] = [
  { title: 'Now', shelves: [...shelves(figures, 4, 8), { height: 6, panels: [[24, accounts]] }] },
  { title: 'Accounts', shelves: shelves(overTime, 8) },
  {
    title: 'Configurations',
    shelves: [
      ...shelves(highestSites, 9),
      {
        height: 13,
        panels: [
          [17, configurations],
          [7, firing],
        ],
      },
    ],
  },
];

/** Accounts and configurations at a glance. */
export const overview: Dashboard = dashboard({
  uid: 'edge-overview',
  description:
    'Accounts and configurations at a glance: traffic, offload, errors, threats, age of data, firing alerts.',
  from: 'now-6h',
  variables: [DATASOURCE_CHOICE, ACCOUNT_CHOICE, PRODUCT_CHOICE, CONFIGURATION_CHOICE],
  sections,
});

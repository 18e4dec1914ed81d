import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { LIMITS } from './limits.ts';
import { TO_ACCOUNT } from './links.ts';
import { ACCOUNT, BY_SITE, now, of, PRODUCT, SITE } from './query.ts';
import { table } from './table.ts';
import { trafficNow, trafficOverTime } from './traffic-queries.ts';
import { YES_NO } from './words.ts';

const traffic = trafficNow(SITE, 'account');
const overTime = trafficOverTime(SITE, 'account');

/** Table with a row for each account. */
export const accounts = table({
  title: 'Accounts',
  description:
    'Each account now: whether reads succeed, traffic, age of data (red from 1.5 times the expected age), and quota left (scarcest kind of operation). An empty cell means no data. Click a name to select the account.',
  rows: { account: 'Account' },
  links: { Account: TO_ACCOUNT },
  widths: { Account: 130 },
  sortedBy: 'Requests / min',
  columns: [
    {
      title: 'Reachable',
      expr: `max by (account) (${of('edge_up', ACCOUNT)})`,
      limits: LIMITS.mustBeOne,
      mappings: YES_NO,
    },
    {
      title: 'Configurations',
      expr: `count by (account) (group by (${BY_SITE}) (${of('edge_requests_per_minute', SITE)}))`,
    },
    { title: 'Requests / min', expr: traffic.requests },
    { title: 'Bandwidth', expr: traffic.bitsPerSecond, unit: 'bps' },
    { title: 'From the cache', expr: traffic.offload, unit: 'percentunit', limits: LIMITS.offload },
    { title: '4xx', expr: traffic.clientErrors, unit: 'percentunit', limits: LIMITS.clientErrors },
    { title: '5xx', expr: traffic.serverErrors, unit: 'percentunit', limits: LIMITS.serverErrors },
    { title: 'Threats / min', expr: traffic.threats },
    { title: 'Data age', expr: traffic.dataAge, unit: 's', decimals: 0 },
    {
      title: 'Of expected',
      expr: traffic.dataAgeToExpected,
      unit: 'percentunit',
      decimals: 0,
      limits: LIMITS.dataAgeToExpected,
    },
    {
      title: 'Quota left',
      expr: `min by (account) (${of('edge_api_ratelimit_remaining', ACCOUNT)} / ${of('edge_api_ratelimit_limit', ACCOUNT)})`,
      unit: 'percentunit',
      limits: LIMITS.quotaLeft,
    },
  ],
});

/** Charts with one series for each account. */
export const accountCharts: readonly Panel[] = [
  chart({
    title: 'Requests by account',
    description: 'Requests per minute, one account on top of the other.',
    unit: 'reqpm',
    shape: 'stack',
    queries: [{ expr: overTime.requests, legend: '{{account}}' }],
  }),
  chart({
    title: 'Server errors by account',
    description:
      'Share of the responses with a status of 500 and above. The dashed lines are at 1 % and 5 %.',
    unit: 'percentunit',
    limits: LIMITS.serverErrors,
    queries: [{ expr: overTime.serverErrors, legend: '{{account}}' }],
  }),
  chart({
    title: 'Threats by account',
    description: 'Threats per minute that the WAF detected.',
    queries: [{ expr: overTime.threats, legend: '{{account}}' }],
  }),
  chart({
    title: 'Bandwidth by account',
    description: 'Bandwidth towards the clients, one account on top of the other.',
    unit: 'bps',
    shape: 'stack',
    queries: [{ expr: overTime.bitsPerSecond, legend: '{{account}}' }],
  }),
  chart({
    title: 'Served from the cache, by account',
    description: 'Share of the requests that the edge answered without the origin.',
    unit: 'percentunit',
    max: 1,
    queries: [{ expr: overTime.offload, legend: '{{account}}' }],
  }),
  chart({
    title: 'Age of data by account',
    description:
      'Time since the end of the newest bucket shown, of the series that is furthest behind. Dashed: the longest expected age of the account’s metrics. A line that ends means that the account no longer has data.',
    unit: 'm',
    queries: [
      {
        expr: `(time() - min by (account) (${now('edge_data_until_timestamp_seconds', SITE)})) / 60`,
        legend: '{{account}}',
      },
      {
        expr: `max by (account) (${of('edge_expected_age_seconds', PRODUCT)}) / 60`,
        legend: '{{account}}: expected',
      },
    ],
    dashedLike: ': expected$',
  }),
];

import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { LIMITS } from './limits.ts';
import { TO_CONFIGURATION } from './links.ts';
import { atEnd, BY_SITE, highest, largest, now, of, SITE, sum } from './query.ts';
import { table } from './table.ts';
import { trafficNow, trafficOverTime } from './traffic-queries.ts';

const traffic = trafficNow(SITE, BY_SITE);
const overTime = trafficOverTime(SITE, BY_SITE);
const LEGEND = '{{account}} / {{configuration}}';

/** Charts of the configurations with the highest values. */
export const configurationCharts: readonly Panel[] = [
  chart({
    title: 'Busiest configurations',
    description: 'Requests per minute of the ten busiest configurations.',
    unit: 'reqpm',
    queries: [
      {
        expr: `${overTime.requests} and on (${BY_SITE}) topk(10, ${sum(atEnd('edge_requests_per_minute', SITE), BY_SITE)})`,
        legend: LEGEND,
      },
    ],
  }),
  chart({
    title: 'Highest shares of server errors',
    noValue: 'none from 1 % on',
    description:
      'The five highest shares of at least 1 %, of configurations with at least 60 requests a minute. With fewer, one error is a large share.',
    unit: 'percentunit',
    limits: LIMITS.serverErrors,
    queries: [
      {
        expr: highest(5, `${overTime.serverErrors} >= 0.01 and on (${BY_SITE}) ${overTime.requests} >= 60`),
        legend: LEGEND,
      },
    ],
  }),
  chart({
    title: 'Most threats',
    description: 'Threats per minute, the five highest configurations.',
    queries: [{ expr: highest(5, `${overTime.threats} > 0`), legend: LEGEND }],
  }),
];

/** Table of the most frequent status codes of errors. */
export const statusCodes = table({
  title: 'Most frequent status codes of errors',
  description:
    'Responses per minute of the twenty most frequent status codes from 400 on, by configuration. Click a name to open the configuration.',
  rows: { account: 'Account', product: 'Product', configuration: 'Configuration', code: 'Status' },
  links: { Configuration: TO_CONFIGURATION },
  sortedBy: 'Responses / min',
  columns: [
    {
      title: 'Responses / min',
      expr: highest(
        20,
        `${sum(now('edge_responses_per_minute', SITE, 'class=~"4xx|5xx"'), `${BY_SITE},code`)} > 0`,
      ),
    },
  ],
});

/** Table with a row for each configuration. */
export const configurations = table({
  title: 'Configurations',
  description:
    'Each configuration now, the busiest first. Click a heading to sort, or a name to open the configuration. An empty cell means no data, for example no share of errors without requests.',
  rows: { account: 'Account', product: 'Product', configuration: 'Configuration' },
  links: { Configuration: TO_CONFIGURATION },
  widths: { Account: 160, Product: 170, Configuration: 220 },
  sortedBy: 'Requests / min',
  columns: [
    { title: 'Requests / min', expr: traffic.requests },
    { title: 'Bandwidth', expr: traffic.bitsPerSecond, unit: 'bps' },
    { title: 'From the cache', expr: traffic.offload, unit: 'percentunit', limits: LIMITS.offload },
    { title: '4xx', expr: traffic.clientErrors, unit: 'percentunit', limits: LIMITS.clientErrors },
    { title: '5xx', expr: traffic.serverErrors, unit: 'percentunit', limits: LIMITS.serverErrors },
    { title: 'Threats / min', expr: traffic.threats },
    {
      title: 'Data age',
      expr: `time() - min by (${BY_SITE}) (${now('edge_data_until_timestamp_seconds', SITE)}) and on (${BY_SITE}) ${largest(of('edge_requests_per_minute', SITE), BY_SITE)}`,
      unit: 's',
      decimals: 0,
    },
    {
      title: 'Of expected',
      expr: `${traffic.dataAgeToExpected} and on (${BY_SITE}) ${largest(of('edge_requests_per_minute', SITE), BY_SITE)}`,
      unit: 'percentunit',
      decimals: 0,
      limits: LIMITS.dataAgeToExpected,
    },
  ],
});

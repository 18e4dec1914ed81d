import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { LIMITS } from './limits.ts';
import { TO_CONFIGURATION } from './links.ts';
import {
  ACCOUNT,
  BY_SITE,
  ESTIMATE,
  estimated,
  highest,
  mean,
  meanBefore,
  of,
  SITE,
  share,
  sum,
} from './query.ts';
import { table } from './table.ts';
import { trafficNow } from './traffic-queries.ts';
import { THREATS, threatsByFamily, timesUsual } from './waf-queries.ts';

const REQUESTS = 'edge_requests_per_minute';

function againstBaseline(family: string) {
  return [
    { expr: sum(mean(family, SITE)), legend: 'now' },
    { expr: sum(meanBefore('1d', family, SITE)), legend: 'a day before' },
    { expr: sum(meanBefore('1w', family, SITE)), legend: 'a week before' },
  ];
}

const PAST = ['a day before', 'a week before'];

/** Charts of attacks and of stopped requests. */
export const attackCharts: readonly Panel[] = [
  threatsByFamily,
  chart({
    title: 'Detected and stopped',
    description:
      'Threats detected and requests stopped per minute. The difference was let through. Dashed: the estimated final value of the newest minute, where it is known.',
    queries: [
      { expr: sum(mean(THREATS, SITE)), legend: 'detected' },
      { expr: sum(mean('edge_waf_blocked_per_minute', SITE)), legend: 'stopped' },
      { expr: estimated('edge_waf_threats', SITE), legend: ESTIMATE },
    ],
    dashed: [ESTIMATE],
  }),
  chart({
    title: 'Threats against the same time before',
    description: 'Threats per minute, and at the same time a day and a week before.',
    queries: againstBaseline(THREATS),
    dashed: PAST,
  }),
  chart({
    title: 'Requests against the same time before',
    description:
      'Requests per minute, and at the same time a day and a week before: this shows a flood even if the WAF sees no threat.',
    unit: 'reqpm',
    queries: againstBaseline(REQUESTS),
    dashed: PAST,
  }),
];

/** Chart of the spike alert's threshold. */
export const thresholdChart = chart({
  title: 'Threats against the alert’s threshold',
  description:
    'Threats per minute by account and product, the five highest. Dashed: the threshold of the spike alert, which the recording rules learn from past weeks. There is no data without the rules, or before they have learned.',
  queries: [
    {
      expr: highest(5, of('account:edge_waf_threats_per_minute:sum', ACCOUNT)),
      legend: '{{account}} / {{product}}',
    },
    {
      expr: `${of('account:edge_waf_threats_per_minute:threshold', ACCOUNT)} and on (account, product) ${highest(5, of('account:edge_waf_threats_per_minute:sum', ACCOUNT))}`,
      legend: '{{account}} / {{product}}: alert above',
    },
  ],
  dashedLike: ': alert above$',
});

/** Chart of the configurations with most threats. */
export const attacked = chart({
  title: 'Configurations with most threats',
  description: 'Threats per minute, the five highest configurations, from one a minute on.',
  queries: [
    {
      expr: highest(5, `${sum(mean(THREATS, SITE), BY_SITE)} >= 1`),
      legend: '{{account}} / {{configuration}}',
    },
  ],
});

const siteNow = trafficNow(SITE, BY_SITE);
/** Filter for the rows of the table, so that all columns show the same 25 configurations. */
const WORST = `topk(25, ${siteNow.threats} > 0)`;
const ofWorst = (expression: string) => `${expression} and on (${BY_SITE}) ${WORST}`;

/** Table of the configurations under attack. */
export const worst = table({
  title: 'Under attack now',
  description:
    'The 25 configurations with most threats per minute. “Times the usual” compares the last ten minutes with the hour around this time yesterday. Click a name to open the configuration.',
  rows: { account: 'Account', product: 'Product', configuration: 'Configuration' },
  links: { Configuration: TO_CONFIGURATION },
  sortedBy: 'Threats / min',
  noValue: '',
  columns: [
    { title: 'Threats / min', expr: WORST },
    { title: 'Stopped / min', expr: ofWorst(siteNow.stopped) },
    {
      title: 'Let through',
      expr: `clamp_min(1 - ${share(siteNow.stopped, siteNow.threats)}, 0) and on (${BY_SITE}) ${WORST}`,
      unit: 'percentunit',
      limits: LIMITS.letThrough,
    },
    { title: 'Among requests', expr: ofWorst(siteNow.threatShare), unit: 'percentunit' },
    { title: 'Times the usual', expr: ofWorst(timesUsual(BY_SITE)), decimals: 1, limits: LIMITS.surge },
  ],
});

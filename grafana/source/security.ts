import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { figure } from './figure.ts';
import { dashboard } from './frame.ts';
import { type Section, shelves } from './layout.ts';
import { LIMITS } from './limits.ts';
import { TO_CONFIGURATION } from './links.ts';
import { ACCOUNT, BY_SITE, highest, mean, meanBefore, of, SITE, share, sum } from './query.ts';
import { estate } from './security-estate.ts';
import { table } from './table.ts';
import { trafficNow } from './traffic-queries.ts';
import { ACCOUNT_CHOICE, CONFIGURATION_CHOICE, DATASOURCE_CHOICE, PRODUCT_CHOICE } from './variables.ts';
import { familyQueries } from './waf-queries.ts';

const THREATS = 'edge_waf_threats_per_minute';
const REQUESTS = 'edge_requests_per_minute';

const now = trafficNow(SITE);

/** The last ten minutes against the hour around the same time of the day before. */
function timesUsual(by?: string): string {
  const recent = sum(`avg_over_time(${of(THREATS, SITE)}[10m])`, by);
  const usual = sum(`avg_over_time(${of(THREATS, SITE)}[1h] offset 23h30m)`, by);
  return `${recent} / (${usual} > 0)`;
}

const figures: readonly Panel[] = [
  figure({
    title: 'Threats',
    description: 'Threats per minute in the newest published bucket, stopped or not.',
    unit: 'cpm',
    expr: now.threats,
  }),
  figure({
    title: 'Times the usual',
    description:
      'Threats of the last ten minutes against the hour around this time yesterday. Yellow from 2, red from 3.',
    unit: 'none',
    decimals: 1,
    expr: timesUsual(),
    limits: LIMITS.surge,
    noValue: 'no history',
  }),
  figure({
    title: 'Stopped',
    description: 'Requests per minute that the WAF stopped, in the newest published bucket.',
    unit: 'cpm',
    expr: now.stopped,
  }),
  figure({
    title: 'Let through',
    description:
      'Share of the threats that were detected but not stopped. High where rule sets only count. Yellow from 10 %, red from 50 %.',
    unit: 'percentunit',
    decimals: 1,
    expr: `clamp_min(1 - ${share(now.stopped, now.threats)}, 0)`,
    limits: LIMITS.letThrough,
  }),
  figure({
    title: 'Threats among requests',
    description: 'Share of the requests the WAF looked at that were threats.',
    unit: 'percentunit',
    decimals: 2,
    expr: now.threatShare,
  }),
  figure({
    title: 'Refused (403)',
    description: 'Responses per minute with status 403, which the WAF and access rules give.',
    unit: 'cpm',
    expr: sum(of('edge_responses_per_minute', SITE, 'class="4xx"', 'code="403"')),
  }),
];

function againstBaseline(family: string) {
  return [
    { expr: sum(mean(family, SITE)), legend: 'now' },
    { expr: sum(meanBefore('1d', family, SITE)), legend: 'a day before' },
    { expr: sum(meanBefore('1w', family, SITE)), legend: 'a week before' },
  ];
}

const PAST = ['a day before', 'a week before'];

const overTime: readonly Panel[] = [
  chart({
    title: 'Threats by family',
    description: 'Threats per minute by the kind of attack; together they are all threats detected.',
    unit: 'cpm',
    shape: 'stack',
    queries: familyQueries(SITE),
    calcs: ['lastNotNull', 'max'],
  }),
  chart({
    title: 'Detected and stopped',
    description: 'Threats detected and requests stopped per minute. What lies between was let through.',
    unit: 'cpm',
    queries: [
      { expr: sum(mean(THREATS, SITE)), legend: 'detected' },
      { expr: sum(mean('edge_waf_blocked_per_minute', SITE)), legend: 'stopped' },
    ],
    calcs: ['lastNotNull', 'max'],
  }),
  chart({
    title: 'Threats against the same time before',
    description: 'Threats per minute, and at the same time a day and a week before where there is history.',
    unit: 'cpm',
    queries: againstBaseline(THREATS),
    dashed: PAST,
  }),
  chart({
    title: 'Requests against the same time before',
    description:
      'Requests per minute, and at the same time a day and a week before: a flood shows here even if the WAF sees no threat.',
    unit: 'reqpm',
    queries: againstBaseline(REQUESTS),
    dashed: PAST,
  }),
];

const thresholdChart = chart({
  title: 'Threats against the alert’s threshold',
  description:
    'Threats per minute by account, the five highest, and (dashed) from where on the spike alert counts: what the recording rules learned from past weeks and the recent past. Without the rules, or before they have learned, there is no data.',
  unit: 'cpm',
  queries: [
    {
      expr: highest(5, of('account:edge_waf_threats_per_minute:sum', ACCOUNT)),
      legend: '{{account}}',
    },
    {
      expr: `${of('account:edge_waf_threats_per_minute:threshold', ACCOUNT)} and on (account) ${highest(5, of('account:edge_waf_threats_per_minute:sum', ACCOUNT))}`,
      legend: '{{account}}: alert above',
    },
  ],
  dashedLike: ': alert above$',
});

const attacked = chart({
  title: 'Configurations with most threats',
  description: 'Threats per minute, the eight highest configurations at each moment.',
  unit: 'cpm',
  queries: [
    {
      expr: highest(8, `${sum(mean(THREATS, SITE), BY_SITE)} > 0`),
      legend: '{{account}} / {{configuration}}',
    },
  ],
});

const siteNow = trafficNow(SITE, BY_SITE);
/** The rows of the table: at most so many, so that all columns speak of the same configurations. */
const WORST = `topk(25, ${siteNow.threats} > 0)`;
const ofWorst = (expression: string) => `${expression} and on (${BY_SITE}) ${WORST}`;

const worst = table({
  title: 'Under attack now',
  description:
    'The 25 configurations with most threats per minute. “Times the usual” compares the last ten minutes with the hour around this time yesterday. A click on a name leads to the configuration.',
  unit: 'short',
  rows: { account: 'Account', product: 'Product', configuration: 'Configuration' },
  links: { Configuration: TO_CONFIGURATION },
  sortedBy: 'Threats / min',
  noValue: '',
  columns: [
    { title: 'Threats / min', expr: WORST, decimals: 0 },
    { title: 'Stopped / min', expr: ofWorst(siteNow.stopped), decimals: 0 },
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

const sections: readonly Section[] = [
  { title: 'Now', shelves: shelves(figures, 4, 6) },
  {
    title: 'Attacks',
    shelves: [
      ...shelves(overTime, 9, 2),
      ...shelves([thresholdChart, attacked], 9, 2),
      { height: 9, panels: [[24, worst]] },
    ],
  },
  estate,
];

/** The WAF: what attacks, what is stopped, against what is usual; and whether the protection is switched on. */
export const security: Dashboard = dashboard({
  uid: 'edge-security',
  description:
    'Threats by family, detected against stopped, against the same time before; modes and switches of the protection, with their changes as marks.',
  from: 'now-6h',
  variables: [DATASOURCE_CHOICE, ACCOUNT_CHOICE, PRODUCT_CHOICE, CONFIGURATION_CHOICE],
  sections,
});

import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboard } from './dashboard-base.ts';
import { figure } from './figure.ts';
import { type Section, shelves } from './layout.ts';
import { LIMITS } from './limits.ts';
import { now, SITE, share, sum } from './query.ts';
import { attackCharts, attacked, thresholdChart, worst } from './security-attacks.ts';
import { settings } from './security-settings.ts';
import { trafficNow } from './traffic-queries.ts';
import { TROUBLES } from './troubles.ts';
import { ACCOUNT_CHOICE, CONFIGURATION_CHOICE, DATASOURCE_CHOICE, PRODUCT_CHOICE } from './variables.ts';
import { timesUsual } from './waf-queries.ts';

const traffic = trafficNow(SITE);

const figures: readonly Panel[] = [
  figure({
    title: 'Threats / min',
    description: 'Threats per minute in the newest published bucket, stopped or not.',
    expr: traffic.threats,
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
    title: 'Stopped / min',
    description: 'Requests per minute that the WAF stopped, in the newest published bucket.',
    expr: traffic.stopped,
  }),
  figure({
    title: 'Let through',
    description:
      'Share of threats that were detected but not stopped. It is high if rule sets only count. Yellow from 10 %, red from 50 %.',
    unit: 'percentunit',
    decimals: 1,
    expr: `clamp_min(1 - ${share(traffic.stopped, traffic.threats)}, 0)`,
    limits: LIMITS.letThrough,
  }),
  figure({
    title: 'Threats among requests',
    description: 'Share of threats among the requests that the WAF inspected.',
    unit: 'percentunit',
    decimals: 2,
    expr: traffic.threatShare,
  }),
  figure({
    title: 'Refused (403) / min',
    description: 'Responses per minute with status 403, from the WAF and access rules.',
    expr: sum(now('edge_responses_per_minute', SITE, 'class="4xx"', 'code="403"')),
  }),
];

const sections: readonly Section[] = [
  { title: 'Now', shelves: [TROUBLES, ...shelves(figures, 4, 6)] },
  {
    title: 'Attacks',
    shelves: [
      ...shelves(attackCharts, 9, 2),
      ...shelves([thresholdChart, attacked], 9, 2),
      { height: 9, panels: [[24, worst]] },
    ],
  },
  settings,
];

/** Dashboard of the WAF: attacks, stopped requests, usual values, and the state of the protection. */
export const security: Dashboard = dashboard({
  uid: 'edge-security',
  description:
    'Threats by family, detected and stopped, compared with earlier days; settings of the protection, with changes as marks.',
  from: 'now-6h',
  variables: [DATASOURCE_CHOICE, ACCOUNT_CHOICE, PRODUCT_CHOICE, CONFIGURATION_CHOICE],
  sections,
});

import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { URGENT } from './annotations.ts';
import { dashboard } from './dashboard-base.ts';
import { figure } from './figure.ts';
import { type Section, shelves } from './layout.ts';
import { LIMITS } from './limits.ts';
import { accountCharts, accounts } from './overview-accounts.ts';
import { firing } from './overview-alerts.ts';
import { configurationCharts, configurations, statusCodes } from './overview-configurations.ts';
import { ACCOUNT, of, PRODUCT, SITE } from './query.ts';
import { dataAgeFigure, shareFigures } from './traffic-figures.ts';
import { trafficNow } from './traffic-queries.ts';
import { TROUBLES } from './troubles.ts';
import { ACCOUNT_CHOICE, CONFIGURATION_CHOICE, DATASOURCE_CHOICE, PRODUCT_CHOICE } from './variables.ts';

const now = trafficNow(SITE);
const RULES_RUN = 'account:edge_requests_per_minute:sum';

const figures: readonly Panel[] = [
  figure({
    title: 'Requests',
    description: 'Requests per minute in the newest published bucket, of all selected configurations.',
    unit: 'reqpm',
    expr: now.requests,
  }),
  figure({
    title: 'Bandwidth',
    description: 'Bandwidth towards the clients in the newest published bucket.',
    unit: 'bps',
    expr: now.bitsPerSecond,
  }),
  ...shareFigures(now),
  figure({
    title: 'Client errors',
    description: 'Share of the responses with a status from 400 to 499. Yellow from 10 %, red from 25 %.',
    unit: 'percentunit',
    decimals: 2,
    expr: now.clientErrors,
    limits: LIMITS.clientErrors,
  }),
  figure({
    title: 'Threats / min',
    description:
      'Threats per minute that the WAF detected, stopped or not. See the Security dashboard for usual values.',
    expr: now.threats,
  }),
  dataAgeFigure('Oldest data', trafficNow(PRODUCT)),
  figure({
    title: 'Firing alerts',
    description:
      'Firing alerts of the selected accounts and of the exporter itself. “no rules” means that Prometheus has not loaded the alert rules.',
    expr: `count(${URGENT}) or 0 * count(last_over_time(${of(RULES_RUN, ACCOUNT)}[6h]))`,
    limits: LIMITS.anyIsBad,
    noValue: 'no rules',
  }),
];

const sections: readonly Section[] = [
  {
    title: 'Now',
    shelves: [
      TROUBLES,
      ...shelves(figures, 4, 8),
      { height: 7, panels: [[24, accounts]] },
      { height: 9, panels: [[24, firing]] },
    ],
  },
  { title: 'Accounts', shelves: shelves(accountCharts, 9) },
  {
    title: 'Configurations',
    shelves: [
      ...shelves(configurationCharts, 9),
      { height: 13, panels: [[24, configurations]] },
      { height: 9, panels: [[24, statusCodes]] },
    ],
  },
];

/** Dashboard that summarizes all accounts and configurations. */
export const overview: Dashboard = dashboard({
  uid: 'edge-overview',
  description:
    'Accounts and configurations at a glance: traffic, offload, errors, threats, age of data, firing alerts.',
  from: 'now-6h',
  variables: [DATASOURCE_CHOICE, ACCOUNT_CHOICE, PRODUCT_CHOICE, CONFIGURATION_CHOICE],
  sections,
});

import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { dashboard } from './dashboard-base.ts';
import { data } from './exporter-data.ts';
import { collectors, polls } from './exporter-polls.ts';
import { output } from './exporter-process.ts';
import { quota } from './exporter-quota.ts';
import { figure } from './figure.ts';
import { shelves } from './layout.ts';
import { LIMITS } from './limits.ts';
import { EXPORTED, EXPORTER, largest, of, share, smallest, sum } from './query.ts';
import { TROUBLES } from './troubles.ts';
import { DATASOURCE_CHOICE, EXPORTED_ACCOUNT_CHOICE, INSTANCE_CHOICE, JOB_CHOICE } from './variables.ts';
import { KEPT, LOADED, UP_DOWN } from './words.ts';

const recentPolls = (...matchers: string[]) =>
  sum(`rate(${of('edge_exporter_polls_total', EXPORTED, ...matchers)}[15m])`);

/** Reachability of each account: 0 if at least one exporter cannot reach it. */
const UP = smallest(of('edge_up', EXPORTED), 'account');

const figures: readonly Panel[] = [
  figure({
    title: 'Exporter',
    description: 'Shows if Prometheus can scrape the exporter. Worst of the selected instances.',
    expr: `min(${of('up', EXPORTER)})`,
    limits: LIMITS.mustBeOne,
    mappings: UP_DOWN,
  }),
  figure({
    title: 'Configuration',
    description: 'Shows if the last load of the configuration succeeded. If not, the previous one is in use.',
    expr: `min(${of('edge_exporter_config_last_reload_successful', EXPORTER)})`,
    limits: LIMITS.mustBeOne,
    mappings: LOADED,
  }),
  figure({
    title: 'Unreachable',
    description:
      'Accounts of which no read succeeds: the platform does not answer, or it refuses the token, a permission, the path or the quota.',
    expr: `count(${UP}) - ${sum(UP)}`,
    limits: LIMITS.anyIsBad,
  }),
  figure({
    title: 'Least quota left',
    description:
      'Share of the quota left in the current rate-limit window, of the account and kind of operation with the least.',
    unit: 'percentunit',
    decimals: 0,
    expr: `min(${of('edge_api_ratelimit_remaining', EXPORTED)} / ${of('edge_api_ratelimit_limit', EXPORTED)})`,
    limits: LIMITS.quotaLeft,
  }),
  figure({
    title: 'Greatest stretch',
    description:
      'Factor by which intervals between polls are longer than scheduled, because the quota is short.',
    unit: 'none',
    decimals: 2,
    expr: largest(of('edge_exporter_interval_stretch_ratio', EXPORTED)),
    limits: LIMITS.stretch,
  }),
  figure({
    title: 'Polls failed',
    description:
      'Share of the polls of the last fifteen minutes that failed. Yellow from 1 %, red from 10 %.',
    unit: 'percentunit',
    decimals: 2,
    expr: share(recentPolls('outcome!~"ok|empty"'), recentPolls()),
    limits: LIMITS.failedPolls,
    noValue: 'none',
  }),
  figure({
    title: 'State',
    description:
      'Storage of the counters. Worst of the selected instances. “Withheld”: the directory or database cannot be used, and no counters are exposed until it can; see the log.',
    expr: `min(${of('edge_exporter_state_durable', EXPORTER)})`,
    limits: LIMITS.mustBeOne,
    mappings: KEPT,
    noValue: 'not kept',
  }),
  figure({
    title: 'State errors',
    description:
      'Commits of the last hour that failed. Counters do not rise meanwhile. See the log, and the disk.',
    decimals: 0,
    expr: sum(`increase(${of('edge_exporter_state_errors_total', EXPORTER)}[1h])`),
    limits: LIMITS.anyIsBad,
  }),
];

/** Dashboard of the exporter itself. */
export const exporter: Dashboard = dashboard({
  uid: 'edge-exporter',
  description:
    'Health of the exporter: quota, waits, outcomes and latency of polls, age and completeness of the data, series, process.',
  from: 'now-1h',
  variables: [DATASOURCE_CHOICE, JOB_CHOICE, INSTANCE_CHOICE, EXPORTED_ACCOUNT_CHOICE],
  sections: [
    { title: 'Now', shelves: [TROUBLES, ...shelves(figures, 4, 8)] },
    { title: 'Quota', shelves: shelves(quota, 9) },
    { title: 'Polls', shelves: [...shelves(polls, 9), { height: 12, panels: [[24, collectors]] }] },
    { title: 'Data', shelves: shelves(data, 8, 2) },
    { title: 'Output and process', shelves: shelves(output, 7) },
  ],
});

import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { LIMITS } from './limits.ts';
import { EXPORTED, EXPORTER, highest, of, rate, share, sum } from './query.ts';
import { table } from './table.ts';

const POLLS = 'edge_exporter_polls_total';
const FAILED = 'outcome!~"ok|empty"';
const COLLECTOR = 'account,collector';

const SLOW = `histogram_quantile(0.95, ${sum(rate('edge_exporter_poll_duration_seconds_bucket', EXPORTER), 'collector,le')}) >= 0`;

// The rate spans 15 minutes, because some collectors poll that rarely.
const perCollector = (...matchers: string[]) =>
  sum(`rate(${of(POLLS, EXPORTED, ...matchers)}[15m])`, COLLECTOR);

/** Panels of the outcome and duration of polls. */
export const polls: readonly Panel[] = [
  chart({
    title: 'Poll outcomes',
    description: 'Polls per minute by outcome. “ok” and “empty” are successes.',
    unit: 'opm',
    shape: 'stack',
    queries: [{ expr: `60 * ${sum(rate(POLLS, EXPORTED), 'outcome')}`, legend: '{{outcome}}' }],
  }),
  chart({
    title: 'Failed polls by reason',
    description: 'Failed polls per minute by account and reason. The log has the full reason.',
    unit: 'opm',
    queries: [
      {
        expr: `60 * ${sum(rate(POLLS, EXPORTED, FAILED), 'account,outcome')}`,
        legend: '{{account}}: {{outcome}}',
      },
    ],
  }),
  chart({
    title: 'Poll latency',
    description:
      'Time from a poll’s first operation to its end: 95th percentile over all accounts, of the five slowest collectors.',
    unit: 's',
    queries: [{ expr: highest(5, SLOW), legend: '{{collector}}' }],
  }),
];

/** Table of polls by account and collector. */
export const collectors = table({
  title: 'Collectors',
  description:
    'Collectors of each account: scheduled jobs, polls and failures of the last fifteen minutes, and time since the last success. An empty cell under “Failed” means that none failed.',
  rows: { account: 'Account', collector: 'Collector' },
  sortedBy: 'Last success',
  columns: [
    { title: 'Jobs', expr: sum(of('edge_exporter_jobs', EXPORTED), COLLECTOR) },
    { title: 'Polls / min', expr: `60 * ${perCollector()}`, decimals: 1 },
    {
      title: 'Failed',
      expr: share(perCollector(FAILED), perCollector()),
      unit: 'percentunit',
      limits: LIMITS.failedPolls,
    },
    {
      title: 'Last success',
      expr: `time() - max by (${COLLECTOR}) (${of('edge_exporter_poll_last_success_timestamp_seconds', EXPORTED)})`,
      unit: 's',
      decimals: 0,
    },
  ],
});

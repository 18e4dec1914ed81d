import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { LIMITS } from './limits.ts';
import { EXPORTED, largest, of, rate, sum } from './query.ts';

const SCOPE = 'account,scope';
const SCOPE_LEGEND = '{{account}} / {{scope}}';

const waits = (quantile: number) =>
  `histogram_quantile(${quantile}, ${sum(rate('edge_exporter_quota_wait_seconds_bucket', EXPORTED), 'account,le')}) >= 0`;

/** Panels of the quota and its use. */
export const quota: readonly Panel[] = [
  chart({
    title: 'Quota headroom',
    description:
      'Smallest share of the quota that was left, from the platform’s headers. It falls within a rate-limit window and recovers at its end. Near zero, the platform refuses the token’s other clients. The dashed lines are at 5 % and 15 %.',
    unit: 'percentunit',
    max: 1,
    limits: LIMITS.quotaLeft,
    queries: [
      {
        expr: `min by (${SCOPE}) (min_over_time(${of('edge_api_ratelimit_remaining', EXPORTED)}[$__rate_interval])) / ${largest(of('edge_api_ratelimit_limit', EXPORTED), SCOPE)}`,
        legend: SCOPE_LEGEND,
      },
    ],
  }),
  chart({
    title: 'Operations against the limit',
    description:
      'Operations per minute of the exporter. Dashed: operations that the platform allows in a rate-limit window of about a minute.',
    unit: 'opm',
    queries: [
      {
        expr: `60 * ${sum(rate('edge_exporter_operations_total', EXPORTED), SCOPE)}`,
        legend: SCOPE_LEGEND,
      },
      { expr: largest(of('edge_api_ratelimit_limit', EXPORTED), SCOPE), legend: `${SCOPE_LEGEND}: allowed` },
    ],
    dashedLike: ': allowed$',
  }),
  chart({
    title: 'Stretch of intervals',
    description:
      'Interval between polls relative to the schedule, of the account’s most stretched collector: 1 is on schedule, 2 is half as often because the quota is short. The dashed lines are at 1.2 and 2.',
    unit: 'none',
    limits: LIMITS.stretch,
    queries: [
      {
        expr: largest(of('edge_exporter_interval_stretch_ratio', EXPORTED), 'account'),
        legend: '{{account}}',
      },
    ],
  }),
  chart({
    title: 'Waits for the quota',
    description:
      'Time that due operations waited for the quota or the concurrency limit: median and 95th percentile.',
    unit: 's',
    queries: [
      { expr: waits(0.5), legend: '{{account}}: median' },
      { expr: waits(0.95), legend: '{{account}}: 95 %' },
    ],
  }),
  chart({
    title: 'Operations waiting',
    description: 'Due operations that wait. If the number only grows, the quota never suffices.',
    unit: 'short',
    queries: [{ expr: sum(of('edge_exporter_operations_waiting', EXPORTED), SCOPE), legend: SCOPE_LEGEND }],
  }),
  chart({
    title: 'Answers by status',
    description: 'Operations per minute by the status of the answer; “none” had no answer at all.',
    unit: 'opm',
    shape: 'stack',
    queries: [
      {
        expr: `60 * ${sum(rate('edge_exporter_operations_total', EXPORTED), 'status')}`,
        legend: '{{status}}',
      },
    ],
  }),
];

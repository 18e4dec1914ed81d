import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../version.ts';

const POLL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const WAIT_BUCKETS = [0.1, 1, 5, 15, 30, 60, 120, 300, 600, 1_800];
const SETTLE_BUCKETS = [60, 120, 180, 240, 300, 420, 600, 900, 1_800, 3_600];

/** prom-client's gauges that are called `_total`, which a counter alone may be. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * The exporter's own metrics, all named `edge_exporter_…`, with prom-client's process metrics. What is only known at
 * the moment of a scrape is set by the functions given to `onScrape`.
 */
export function createSelfMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const registers = [registry];
  const counter = <Name extends string>(name: string, help: string, labelNames: readonly Name[]) =>
    new Counter({ name: `edge_exporter_${name}`, help, labelNames, registers });
  const gauge = <Name extends string>(name: string, help: string, labelNames: readonly Name[]) =>
    new Gauge({ name: `edge_exporter_${name}`, help, labelNames, registers });
  const histogram = <Name extends string>(
    name: string,
    help: string,
    labelNames: readonly Name[],
    buckets: number[],
  ) => new Histogram({ name: `edge_exporter_${name}`, help, labelNames, buckets, registers });

  gauge('build_info', 'Version of the exporter and of Node.js; always 1.', ['version', 'node_version'])
    .labels(VERSION, process.version)
    .set(1);

  return {
    registry,
    sandbox: gauge(
      'sandbox',
      'Whether the embedded platform is polled, all of whose data is made up: 1 or 0.',
      [],
    ),
    polls: counter('polls_total', 'Polls of the platform by how they ended.', [
      'account',
      'collector',
      'outcome',
    ]),
    pollDuration: histogram(
      'poll_duration_seconds',
      'Time from the first operation of a poll leaving to its end.',
      ['account', 'collector'],
      POLL_BUCKETS,
    ),
    pollLastSuccess: gauge(
      'poll_last_success_timestamp_seconds',
      'When a poll of the collector last succeeded.',
      ['account', 'collector'],
    ),
    operations: counter(
      'operations_total',
      'Operations performed on the platform by the status of the answer, "none" when there was no answer.',
      ['account', 'scope', 'status'],
    ),
    operationsWaiting: gauge('operations_waiting', 'Operations that are due and wait for their turn.', [
      'account',
      'scope',
    ]),
    quotaWait: histogram(
      'quota_wait_seconds',
      'How long operations that were due waited for the quota or for a place on the wire.',
      ['account', 'scope'],
      WAIT_BUCKETS,
    ),
    intervalStretch: gauge(
      'interval_stretch_ratio',
      'Interval between polls relative to the configured schedule, mean over the jobs; above 1 the quota is short.',
      ['account', 'collector'],
    ),
    jobs: gauge('jobs', 'Jobs on the schedule.', ['account', 'collector']),
    rejectedRows: counter('rejected_rows_total', 'Rows of answers that were dropped because they were bad.', [
      'account',
      'collector',
      'reason',
    ]),
    bucketsCounted: counter('buckets_counted_total', 'Settled buckets taken into counters.', [
      'account',
      'product',
    ]),
    bucketsGivenUp: counter(
      'buckets_given_up_total',
      'Buckets that the platform kept leaving out of its answers, and that the counters went on without.',
      ['account', 'product'],
    ),
    restatements: counter('restatements_total', 'Buckets seen changed after they were first read.', [
      'account',
      'product',
    ]),
    settleSeconds: histogram(
      'settle_seconds',
      'Age at which buckets were seen changed.',
      ['account', 'product'],
      SETTLE_BUCKETS,
    ),
    lateRestatements: counter(
      'late_restatement_total',
      'Buckets that changed after they were counted; the counters do not hold the change.',
      ['account', 'product'],
    ),
    lateAmount: counter(
      'late_restatement_amount_total',
      'By how much buckets changed after they were counted, up or down, in the platform’s unit.',
      ['account', 'product', 'metric'],
    ),
    stateDurable: gauge(
      'state_durable',
      'Whether the counters are kept in the directory of --state.dir: 1, or 0 where it cannot be used and they end with the process. Absent without --state.dir.',
      ['directory'],
    ),
    stateErrors: counter(
      'state_errors_total',
      'Commits that the state directory refused; nothing was shown of them.',
      [],
    ),
    clockSkew: gauge('clock_skew_seconds', 'The platform’s clock minus the local one.', ['account']),
    series: gauge('series', 'Series of the platform that are exposed.', []),
    seriesDropped: counter(
      'series_dropped_total',
      'Series that were not exposed because of limits.series.',
      [],
    ),
    seriesDuplicate: counter(
      'series_duplicate_total',
      'Samples not exposed because another job shows the same series.',
      [],
    ),
    configReloadSuccessful: gauge(
      'config_last_reload_successful',
      'Whether the last attempt to load the configuration succeeded.',
      [],
    ),
    configReloadTimestamp: gauge(
      'config_last_reload_success_timestamp_seconds',
      'When the configuration in use was loaded.',
      [],
    ),
  };
}

export type SelfMetrics = ReturnType<typeof createSelfMetrics>;

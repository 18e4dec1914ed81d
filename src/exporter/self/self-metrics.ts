import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DROP_REASONS } from '../push/destination-queue.ts';
import { REFUSAL_REASONS } from '../push/protocol.ts';
import type { ReceiverView } from '../push/running-receiver.ts';
import { VERSION } from '../version.ts';

const POLL_BUCKETS = [0.5, 2, 10, 60];
const WAIT_BUCKETS = [1, 5, 30, 120, 600];
const SETTLE_BUCKETS = [60, 120, 180, 240, 300, 420, 600, 900, 1_800, 3_600];

/** Returns the common options of a metric of the exporter. */
export function named<const Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[] = [],
) {
  return { name: `edge_exporter_${name}`, help, labelNames, registers: [registry] };
}

/** Creates the metrics of events, and the registry of all metrics of the exporter. */
export function createSelfMetrics() {
  const registry = new Registry();
  const counter = <const Label extends string>(name: string, help: string, labels: readonly Label[] = []) =>
    new Counter(named(registry, name, help, labels));
  const gauge = <const Label extends string>(name: string, help: string, labels: readonly Label[] = []) =>
    new Gauge(named(registry, name, help, labels));
  gauge('build_info', 'Version of the exporter and of Node.js; always 1.', ['version', 'node_version']).set(
    { version: VERSION, node_version: process.version },
    1,
  );
  return {
    registry,

    // Metrics of polls and their use of the quota.
    polls: counter('polls_total', 'Polls of the platform by outcome.', ['account', 'collector', 'outcome']),
    pollDuration: new Histogram({
      ...named(registry, 'poll_duration_seconds', 'Duration of polls from their first request.', [
        'collector',
      ]),
      buckets: POLL_BUCKETS,
    }),
    pollLastSuccess: gauge(
      'poll_last_success_timestamp_seconds',
      'When a poll of the collector last succeeded.',
      ['account', 'collector'],
    ),
    pollsOverdue: counter(
      'polls_overdue_total',
      'Polls that went on for more than a second beyond their timeout: the exporter gets too little CPU, or has a bug.',
      ['account'],
    ),
    operations: counter(
      'operations_total',
      'Requests to the platform by HTTP status, none if there was no answer.',
      ['account', 'scope', 'status'],
    ),
    quotaWait: new Histogram({
      ...named(
        registry,
        'quota_wait_seconds',
        'Time that requests waited in the queue for the quota or for a free connection.',
        ['account'],
      ),
      buckets: WAIT_BUCKETS,
    }),
    jobsDropped: gauge('jobs_dropped', 'Jobs that are not scheduled because of limits.jobs.', ['account']),
    platformClockContradictions: counter(
      'platform_clock_contradictions_total',
      'Answers of the platform whose Date header is 30 s or more off its time as it has run on.',
      ['account'],
    ),

    // Metrics of rows and buckets.
    rejectedRows: counter(
      'rejected_rows_total',
      'Rows of answers that were dropped because they were invalid.',
      ['account', 'collector', 'reason'],
    ),
    bucketsCounted: counter('buckets_counted_total', 'Settled buckets added to counters.', [
      'account',
      'product',
    ]),
    bucketsSkipped: counter(
      'buckets_skipped_total',
      'Buckets that counters skipped because they stayed missing for 20 minutes, in three answers.',
      ['account', 'product'],
    ),
    restatements: counter(
      'restatements_total',
      'Buckets that changed after they were first read: up where they grew, down where they shrank.',
      ['account', 'product', 'direction'],
    ),
    settleSeconds: new Histogram({
      ...named(registry, 'settle_seconds', 'Age of buckets when a change was seen.', ['product']),
      buckets: SETTLE_BUCKETS,
    }),
    lateRestatements: counter(
      'late_restatement_total',
      'Buckets that changed after they were counted; the counters do not contain the change.',
      ['account', 'product'],
    ),
    lateAmount: counter(
      'late_restatement_amount_total',
      'By how much buckets changed after they were counted, up or down, in the platform’s unit.',
      ['account', 'product', 'metric'],
    ),
    shardInfo: gauge(
      'shard_info',
      'Shard of this process, of several that divide what is polled by names alone: --shard by accounts, --shard.configurations by configurations; always 1. Absent without either.',
      ['shard', 'of', 'by'],
    ),
    stateErrors: counter(
      'state_errors_total',
      'Failed commits to the state directory; nothing of them was exposed.',
    ),

    // Metrics of the exporter as a whole.
    defects: counter(
      'defects_total',
      'Polls and tasks that ended with a fault of the exporter itself: a bug, see its log.',
    ),
    sandbox: gauge(
      'sandbox',
      'Whether the exporter polls the embedded platform, whose data is made up: 1 or 0.',
    ),
    configReloadSuccessful: gauge(
      'config_last_reload_successful',
      'Whether the last attempt to load the configuration succeeded.',
    ),
    configReloadTimestamp: gauge(
      'config_last_reload_success_timestamp_seconds',
      'When the configuration in use was loaded.',
    ),
    clockSteps: counter('clock_steps_total', 'Changes of the machine’s clock while running.'),
    clockLastStep: gauge(
      'clock_last_step_seconds',
      'Last change of the machine’s clock while running, negative if it was set back; 0 if none.',
    ),
    stalled: counter(
      'stalled_seconds_total',
      'Time in stalls of 10 s or more, in which the process was suspended or its event loop blocked.',
    ),

    // Metrics of samples that are pushed to receivers, or queued for them.
    pushSent: counter('push_samples_sent_total', 'Samples that a receiver has taken.', ['receiver']),
    pushRefused: counter(
      'push_samples_refused_total',
      'Samples that a receiver refused for good, by reason; they are not sent again.',
      ['receiver', 'reason'],
    ),
    pushDropped: counter('push_samples_dropped_total', 'Samples that left the outbox unsent, by reason.', [
      'receiver',
      'reason',
    ]),
    pushFailures: counter('push_failures_total', 'Requests to a receiver that failed and were made again.', [
      'receiver',
    ]),
    pushDefects: counter(
      'push_defects_total',
      'Times that a fault of the exporter itself interrupted the pushing to a receiver for a minute: a bug, see its log.',
      ['receiver'],
    ),
  };
}

export type SelfMetrics = ReturnType<typeof createSelfMetrics>;

/**
 * Initialises the loss counters of each receiver with 0, since Prometheus sees no increase if a series begins at its first loss.
 */
export function beginPush(metrics: SelfMetrics, receivers: readonly Pick<ReceiverView, 'name'>[]): void {
  for (const { name: receiver } of receivers) {
    for (const reason of REFUSAL_REASONS) metrics.pushRefused.inc({ receiver, reason }, 0);
    for (const reason of DROP_REASONS) metrics.pushDropped.inc({ receiver, reason }, 0);
    for (const total of [metrics.pushSent, metrics.pushFailures, metrics.pushDefects])
      total.inc({ receiver }, 0);
  }
}

import type { MetricMaker } from './metric-maker.ts';

const WAIT_BUCKETS = [1, 5, 30, 120, 600];

/** Metrics of polls and their use of the quota. */
export function pollMetrics(maker: MetricMaker) {
  return {
    polls: maker.counter('polls_total', 'Polls of the platform by outcome.', [
      'account',
      'collector',
      'outcome',
    ]),
    pollDuration: maker.summary(
      'poll_duration_seconds',
      'Duration of polls from their first request; the quantile covers the last 32 polls.',
      ['account', 'collector'],
    ),
    pollLastSuccess: maker.gauge(
      'poll_last_success_timestamp_seconds',
      'When a poll of the collector last succeeded.',
      ['account', 'collector'],
    ),
    pollsOverdue: maker.counter(
      'polls_overdue_total',
      'Polls that went on for more than a second beyond their timeout: a bug in the exporter, see its log.',
      ['account'],
    ),
    operations: maker.counter(
      'operations_total',
      'Requests to the platform by HTTP status, "none" if there was no answer.',
      ['account', 'scope', 'status'],
    ),
    operationsWaiting: maker.gauge('operations_waiting', 'Requests that wait in the queue.', [
      'account',
      'scope',
    ]),
    quotaWait: maker.histogram(
      'quota_wait_seconds',
      'Time that requests waited in the queue for the quota or for a free connection.',
      ['account'],
      WAIT_BUCKETS,
    ),
    intervalStretch: maker.gauge(
      'interval_stretch_ratio',
      'Polling interval relative to the schedule, mean over the jobs; above 1 the quota is too small.',
      ['account', 'collector'],
    ),
    jobs: maker.gauge('jobs', 'Scheduled jobs.', ['account', 'collector']),
    jobsDropped: maker.gauge('jobs_dropped', 'Jobs that are not scheduled because of limits.jobs.', [
      'account',
    ]),
    clockSkew: maker.gauge('clock_skew_seconds', 'The platform’s clock minus the machine’s.', ['account']),
  };
}

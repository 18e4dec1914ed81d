import type { MetricMaker } from './metric-maker.ts';

const WAIT_BUCKETS = [1, 5, 30, 120, 600];

/** How polls fare, and what they ask of the quota. */
export function pollMetrics(maker: MetricMaker) {
  return {
    polls: maker.counter('polls_total', 'Polls of the platform by how they ended.', [
      'account',
      'collector',
      'outcome',
    ]),
    pollDuration: maker.summary(
      'poll_duration_seconds',
      'Time from the first operation of a poll leaving to its end; the quantile is of the last 32 polls.',
      ['account', 'collector'],
    ),
    pollLastSuccess: maker.gauge(
      'poll_last_success_timestamp_seconds',
      'When a poll of the collector last succeeded.',
      ['account', 'collector'],
    ),
    operations: maker.counter(
      'operations_total',
      'Operations performed on the platform by the status of the answer, "none" when there was no answer.',
      ['account', 'scope', 'status'],
    ),
    operationsWaiting: maker.gauge('operations_waiting', 'Operations that are due and wait for their turn.', [
      'account',
      'scope',
    ]),
    quotaWait: maker.histogram(
      'quota_wait_seconds',
      'How long operations that were due waited for the quota or for a place on the wire.',
      ['account'],
      WAIT_BUCKETS,
    ),
    intervalStretch: maker.gauge(
      'interval_stretch_ratio',
      'Interval between polls relative to the configured schedule, mean over the jobs; above 1 the quota is short.',
      ['account', 'collector'],
    ),
    jobs: maker.gauge('jobs', 'Jobs on the schedule.', ['account', 'collector']),
    jobsDropped: maker.gauge('jobs_dropped', 'Jobs that are left out because of limits.jobs.', ['account']),
    clockSkew: maker.gauge('clock_skew_seconds', 'The platform’s clock minus the machine’s.', ['account']),
  };
}

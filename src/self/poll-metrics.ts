import type { MetricMaker } from './metric-maker.ts';

const POLL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const WAIT_BUCKETS = [0.1, 1, 5, 15, 30, 60, 120, 300, 600, 1_800];

/** How polls fare, and what they ask of the quota. */
export function pollMetrics({ counter, gauge, histogram }: MetricMaker) {
  return {
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
    clockSkew: gauge('clock_skew_seconds', 'The platform’s clock minus the local one.', ['account']),
  };
}

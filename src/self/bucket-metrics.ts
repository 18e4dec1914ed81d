import type { MetricMaker } from './metric-maker.ts';

const SETTLE_BUCKETS = [60, 120, 180, 240, 300, 420, 600, 900, 1_800, 3_600];

/** Metrics of rows and buckets. */
export function bucketMetrics(maker: MetricMaker) {
  return {
    rejectedRows: maker.counter(
      'rejected_rows_total',
      'Rows of answers that were dropped because they were invalid.',
      ['account', 'collector', 'reason'],
    ),
    bucketsCounted: maker.counter('buckets_counted_total', 'Settled buckets added to counters.', [
      'account',
      'product',
    ]),
    bucketsSkipped: maker.counter(
      'buckets_skipped_total',
      'Buckets that counters skipped because they stayed missing for 30 minutes and several polls.',
      ['account', 'product'],
    ),
    restatements: maker.counter(
      'restatements_total',
      'Buckets that changed after they were first read: direction="up" where they grew, "down" where they shrank.',
      ['account', 'product', 'metric', 'direction'],
    ),
    settleSeconds: maker.histogram(
      'settle_seconds',
      'Age of buckets when a change was seen.',
      ['product'],
      SETTLE_BUCKETS,
    ),
    lateRestatements: maker.counter(
      'late_restatement_total',
      'Buckets that changed after they were counted; the counters do not contain the change.',
      ['account', 'product'],
    ),
    lateAmount: maker.counter(
      'late_restatement_amount_total',
      'By how much buckets changed after they were counted, up or down, in the platform’s unit.',
      ['account', 'product', 'metric'],
    ),
    stateDurable: maker.gauge(
      'state_durable',
      'Whether counters are stored in --state.dir: 1, or 0 while it cannot be used and counters are withheld. Absent without --state.dir.',
      ['directory'],
    ),
    stateErrors: maker.counter(
      'state_errors_total',
      'Failed commits to the state directory; nothing of them was exposed.',
      [],
    ),
  };
}

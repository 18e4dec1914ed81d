import type { MetricMaker } from './metric-maker.ts';

const SETTLE_BUCKETS = [60, 120, 180, 240, 300, 420, 600, 900, 1_800, 3_600];

/** What becomes of the rows and buckets of answers. */
export function bucketMetrics(maker: MetricMaker) {
  return {
    rejectedRows: maker.counter(
      'rejected_rows_total',
      'Rows of answers that were dropped because they were bad.',
      ['account', 'collector', 'reason'],
    ),
    bucketsCounted: maker.counter('buckets_counted_total', 'Settled buckets taken into counters.', [
      'account',
      'product',
    ]),
    bucketsGivenUp: maker.counter(
      'buckets_given_up_total',
      'Buckets that the platform kept leaving out of its answers, and that the counters went on without.',
      ['account', 'product'],
    ),
    restatements: maker.counter('restatements_total', 'Buckets seen changed after they were first read.', [
      'account',
      'product',
    ]),
    settleSeconds: maker.histogram(
      'settle_seconds',
      'Age at which buckets were seen changed.',
      ['product'],
      SETTLE_BUCKETS,
    ),
    lateRestatements: maker.counter(
      'late_restatement_total',
      'Buckets that changed after they were counted; the counters do not hold the change.',
      ['account', 'product'],
    ),
    lateAmount: maker.counter(
      'late_restatement_amount_total',
      'By how much buckets changed after they were counted, up or down, in the platform’s unit.',
      ['account', 'product', 'metric'],
    ),
    stateDurable: maker.gauge(
      'state_durable',
      'Whether the counters are kept in the directory of --state.dir: 1, or 0 while it cannot be used and they are withheld. Absent without --state.dir.',
      ['directory'],
    ),
    stateErrors: maker.counter(
      'state_errors_total',
      'Commits that the state directory refused; nothing was shown of them.',
      [],
    ),
  };
}

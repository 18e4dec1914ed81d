import { ACCOUNT, type AlertCase, type Given, grown, one } from './alert-case.ts';

const PRODUCT = `${ACCOUNT}, product="edge_applications"`;
const RECONCILIATION = `edge_exporter_reconciliation_ratio{${PRODUCT}}`;
const SKIPPED = `edge_exporter_buckets_skipped_total{${PRODUCT}}`;
const COUNTED: Given = {
  [`edge_exporter_buckets_counted_total{${PRODUCT}}`]: (minute) => minute * 200,
};
const STATE_ERRORS = 'edge_exporter_state_errors_total{instance="exporter:9801"}';

const RESTATED = `edge_exporter_late_restatement_total{${PRODUCT}}`;
const AMOUNT: Given = {
  [`edge_exporter_late_restatement_amount_total{${PRODUCT}, metric="waf"}`]: (minute) => minute * 7,
};

const restated = grown(RESTATED, [10, 1], 30);
const skipped = grown(SKIPPED, [10, 3], 30);

function countedUntil(minutes: number): Given {
  const labels = `${PRODUCT}, metric="waf"`;
  return {
    [`edge_counted_until_timestamp_seconds{${labels}, configuration="blog"}`]: (minute) => (minute - 12) * 60,
    [`edge_counted_until_timestamp_seconds{${labels}, configuration="shop"}`]: (minute) =>
      (minute - minutes) * 60,
    [`edge_exporter_settle_delay_seconds{${labels}}`]: 600,
  };
}

/** Cases of all alerts about counters. */
export const COUNTER_CASES: readonly AlertCase[] = [
  { alert: 'EdgeReconciliationOff', ...one(RECONCILIATION, [1, 0.97, 0.995]), lasts: 45, resolves: 5 },
  { alert: 'EdgeReconciliationOff', ...one(RECONCILIATION, [1, 1.03, 1.005]), lasts: 45, resolves: 5 },
  {
    alert: 'EdgeBucketsSkipped',
    ...skipped,
    normal: { ...skipped.normal, ...COUNTED },
    lasts: 30,
    resolves: 65,
  },
  {
    alert: 'EdgeBucketsRestatedLate',
    ...restated,
    normal: { ...restated.normal, ...COUNTED, ...AMOUNT },
    lasts: 30,
    resolves: 65,
  },
  {
    alert: 'EdgeRowsMissing',
    ...one(`edge_missing_buckets_ratio{${ACCOUNT}, product="edge_applications"}`, [0, 0.5, 0.08]),
    lasts: 10,
    resolves: 5,
  },
  {
    alert: 'EdgeCountersBehind',
    normal: countedUntil(12),
    bad: countedUntil(75),
    mild: countedUntil(65),
    lasts: 40,
    resolves: 5,
  },
  {
    alert: 'EdgeStateNotKept',
    which: 'reason="unavailable"',
    ...one('edge_exporter_state_durable{instance="exporter:9801", directory="/state"}', [1, 0, 1]),
    lasts: 25,
    resolves: 5,
  },
  {
    alert: 'EdgeStateNotKept',
    which: 'reason="refused"',
    ...grown(STATE_ERRORS, [5, 0], 20),
    mild: {
      [STATE_ERRORS]: (minute) => (minute > 154 ? 40 : 0),
    },
    lasts: 20,
    resolves: 16,
  },
];

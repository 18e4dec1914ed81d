import type { LabelledFamily } from '../catalogue/family.ts';

function gauge(name: string, labels: readonly string[], help: string): LabelledFamily {
  return { name, type: 'gauge', labels, help };
}

export const RECONCILIATION_RATIO = gauge(
  'edge_exporter_reconciliation_ratio',
  ['account', 'product'],
  'What the counters added for a past hour, relative to what the platform reports for that hour now; 1 is exact.',
);

export const PUBLISH_DELAY_SECONDS = gauge(
  'edge_exporter_publish_delay_seconds',
  ['account', 'product', 'metric'],
  "Age at which buckets of an API metric are shown as gauges, as configured or learned, before the end of the platform's newest bucket.",
);

export const SETTLE_DELAY_SECONDS = gauge(
  'edge_exporter_settle_delay_seconds',
  ['account', 'product', 'metric'],
  'Age at which buckets of an API metric enter the counters, as configured or learned.',
);

export const BUCKET_COMPLETENESS_RATIO = gauge(
  'edge_exporter_bucket_completeness_ratio',
  ['account', 'product', 'metric', 'age_seconds'],
  'Measured share of its final value that a bucket of an API metric has reached at an age.',
);

export const UPWARD_RESTATEMENT_RATIO = gauge(
  'edge_exporter_upward_restatement_ratio',
  ['account', 'product', 'metric'],
  'Share of the changes of buckets of an API metric that were upwards, over the last day; lower bounds (…_at_least_per_minute) are shown from 0.999 on.',
);

/** What is learned of the platform in hours of polling; shown once it is known. */
export const LEARNED_FAMILIES: readonly LabelledFamily[] = [
  RECONCILIATION_RATIO,
  PUBLISH_DELAY_SECONDS,
  SETTLE_DELAY_SECONDS,
  BUCKET_COMPLETENESS_RATIO,
  UPWARD_RESTATEMENT_RATIO,
];

import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { inMinutes, LIMITS } from './limits.ts';
import { EXPORTED, EXPORTER, now, of, once, rate, sum } from './query.ts';

const PRODUCT = 'account,product';
const PRODUCT_LEGEND = '{{account}} / {{product}}';

const settled = (quantile: number) =>
  `histogram_quantile(${quantile}, ${sum(rate('edge_exporter_settle_seconds_bucket', EXPORTER), 'le')}) / 60 >= 0`;

const perMinute = (family: string, by: string, of: string) =>
  `60 * ${sum(once(rate(family, EXPORTED), of), by)}`;
const RESTATED = 'account,product,direction';
const REJECTED = 'account,collector,reason';

/** Panels of the age and completeness of the data. */
export const data: readonly Panel[] = [
  chart({
    title: 'Age of data by product',
    legend: 'right',
    description:
      'Time since the end of the newest bucket shown, of the series that is furthest behind. Dashed: the expected age; older data is stale. A line that ends means that the product no longer has data.',
    unit: 'm',
    limits: inMinutes(LIMITS.dataAge),
    queries: [
      {
        expr: `(time() - min by (${PRODUCT}) (${now('edge_data_until_timestamp_seconds', EXPORTED)})) / 60`,
        legend: PRODUCT_LEGEND,
      },
      {
        expr: `max by (${PRODUCT}) (${of('edge_expected_age_seconds', EXPORTED)}) / 60`,
        legend: `${PRODUCT_LEGEND}: expected`,
      },
    ],
    dashedLike: ': expected$',
  }),
  chart({
    title: 'Counters behind, by product',
    legend: 'right',
    description:
      'Time since the last bucket that was counted, of the counters that are furthest behind. A little more than the settle delay (ten minutes by default) is normal. While counters wait for missing buckets, rate() is low. They are current within 45 minutes after any trouble.',
    unit: 'm',
    limits: inMinutes(LIMITS.countedAge),
    queries: [
      {
        expr: `(time() - min by (${PRODUCT}) (${now('edge_counted_until_timestamp_seconds', EXPORTED)})) / 60`,
        legend: PRODUCT_LEGEND,
      },
    ],
  }),
  chart({
    title: 'Reconciliation with the platform',
    legend: 'right',
    description:
      'Increase of the counters, divided by the platform’s sum for the same time. 1 is exact. Below 0.99 or above 1.01, data is lost or counted twice.',
    unit: 'none',
    noValue: 'nothing compared yet',
    min: 0.95,
    queries: [
      {
        expr: `min by (${PRODUCT}) (${of('edge_exporter_reconciliation_ratio', EXPORTED)})`,
        legend: PRODUCT_LEGEND,
      },
    ],
  }),
  chart({
    title: 'Buckets restated',
    legend: 'right',
    description:
      'Buckets per minute that the platform changed after they were first read. Normal while they settle.',
    queries: [
      { expr: perMinute('edge_exporter_restatements_total', 'product', RESTATED), legend: '{{product}}' },
    ],
  }),
  chart({
    title: 'Age at restatement',
    description:
      'Age of buckets when the platform changed them. Changes after the settle delay (ten minutes by default, dashed) are too late for the counters.',
    unit: 'm',
    limits: inMinutes(LIMITS.restatementAge),
    queries: [
      { expr: settled(0.5), legend: 'median' },
      { expr: settled(0.99), legend: '99 %' },
    ],
  }),
  chart({
    title: 'Buckets counted',
    legend: 'right',
    description: 'Settled buckets per minute taken into the counters.',
    queries: [
      { expr: perMinute('edge_exporter_buckets_counted_total', 'product', PRODUCT), legend: '{{product}}' },
    ],
  }),
  chart({
    title: 'Lost or late',
    description:
      'Per minute: buckets that never came, buckets that changed after they were counted, and rows that could not be read. There should be none.',
    queries: [
      {
        expr: perMinute('edge_exporter_buckets_skipped_total', 'account', PRODUCT),
        legend: '{{account}}: never came',
      },
      {
        expr: perMinute('edge_exporter_late_restatement_total', 'account', PRODUCT),
        legend: '{{account}}: changed too late',
      },
      {
        expr: perMinute('edge_exporter_rejected_rows_total', 'account,reason', REJECTED),
        legend: '{{account}}: {{reason}}',
      },
    ],
  }),
];

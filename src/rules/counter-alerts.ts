import { OF_ACCOUNT, OF_EXPORTER } from './about-exporter.ts';
import type { AlertDefinition } from './alert.ts';
import { duration } from './promql.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';

const SKIPPED = 'edge_exporter_buckets_skipped_total';
const COUNTED = 'edge_exporter_buckets_counted_total';

const OF_METRIC = 'account, product, metric';
const BEHIND = { series: 'edge_exporter_settle_delay_seconds', labels: ['account', 'product'] } as const;

/** What the counters lack, or are about to lose. */
export function counterAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const inAnHour = (name: string): string => `increase(${name}[${duration(times.hour)}])`;
  const tolerance = (alert: 'EdgeReconciliationOff' | 'EdgeBucketsSkipped', series: string) =>
    tuning.value(alert, 'tolerance', { series, labels: ['account', 'product'] });
  const behind = tuning.value('EdgeCountersBehind', 'after', { ...BEHIND, by: OF_METRIC.split(', ') });
  const state = { ...OF_EXPORTER, alert: 'EdgeStateNotKept', severity: 'ticket' } as const;
  return [
    {
      ...OF_ACCOUNT,
      alert: 'EdgeReconciliationOff',
      expr: `edge_exporter_reconciliation_ratio < 1 - ${tolerance('EdgeReconciliationOff', 'edge_exporter_reconciliation_ratio')}\nor\nedge_exporter_reconciliation_ratio > 1 + ${tolerance('EdgeReconciliationOff', 'edge_exporter_reconciliation_ratio')}`,
      judged: { series: 'edge_exporter_reconciliation_ratio', labels: ['account', 'product'] },
      hold: times.settled,
      severity: 'ticket',
      summary:
        "Counters of {{ $labels.account }} ({{ $labels.product }}) show {{ $value | humanizePercentage }} of the platform's own sum",
      description:
        'What the exporter has counted of {{ $labels.account }} ({{ $labels.product }}) is {{ $value | humanizePercentage }} of what the platform says of the same time. Gauges and their alerts are not affected.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeBucketsSkipped',
      expr: `${inAnHour(SKIPPED)}\n/\n(${inAnHour(SKIPPED)} + ${inAnHour(COUNTED)})\n> ${tolerance('EdgeBucketsSkipped', SKIPPED)}`,
      judged: { series: SKIPPED, labels: ['account', 'product'] },
      hold: times.hold,
      severity: 'ticket',
      summary:
        'Counters of {{ $labels.account }} ({{ $labels.product }}) went on without {{ $value | humanizePercentage }} of the buckets',
      description:
        'The platform kept leaving out {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) that were to be counted in the last hour. The counters have gone on without them and will not take them in any more.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeCountersBehind',
      expr: `max by (${OF_METRIC}) (\n  time() - (edge_counted_until_timestamp_seconds or edge_product_counted_until_timestamp_seconds)\n)\n> on (${OF_METRIC})\n(${behind} + max by (${OF_METRIC}) (edge_exporter_settle_delay_seconds))`,
      judged: BEHIND,
      hold: times.settled,
      severity: 'ticket',
      summary:
        'Counters of {{ $labels.account }} ({{ $labels.product }}) are {{ $value | humanizeDuration }} behind',
      description:
        'What was counted of {{ $labels.metric }} of {{ $labels.account }} ({{ $labels.product }}) ends {{ $value | humanizeDuration }} ago. What has come since is missing in sums over time until it is counted; nothing is lost. Gauges and their alerts are not affected.',
    },
    {
      ...state,
      expr: 'edge_exporter_state_durable == 0',
      hold: times.hold,
      labels: { reason: 'unavailable' },
      summary: 'The counters of {{ $labels.instance }} are withheld',
      description:
        'The exporter {{ $labels.instance }} cannot use its state directory {{ $labels.directory }} and exposes no counters until it can; they then go on from where they were. Gauges and their alerts are not affected. The status page and the log say why.',
    },
    {
      ...state,
      expr: `increase(edge_exporter_state_errors_total[${duration(times.stateErrors)}]) > 0`,
      // Longer than the range looks back: one error, after which it went on, is over by then.
      hold: times.stateErrors,
      labels: { reason: 'refused' },
      summary: 'The counters of {{ $labels.instance }} stand still',
      description: `The state directory of {{ $labels.instance }} refuses what is to be written: about {{ $value | humanize }} times in the last ${times.stateErrors / 60_000} minutes. Counters take in nothing until it can be written again; gauges and their alerts are not affected.`,
    },
  ];
}

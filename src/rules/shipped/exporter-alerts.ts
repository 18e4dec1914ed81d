import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import { OF_ACCOUNT } from './platform-alerts.ts';
import { duration, merged } from './promql.ts';
import { byReason, either } from './scopes.ts';
import type { Times } from './times.ts';

const EXPORTER_JOB = 'edge-exporter';

/** Returns the alerts of counters, of the exporter's process and of push. */
export function exporterAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [counterAlerts, processAlerts, pushAlerts].flatMap((alerts) => alerts(times, tuning));
}

const MISSING = 'edge_missing_buckets_ratio';

const OF_EXPORTER = {
  about: 'exporter',
  // An alerts file cannot distinguish exporters.
  judged: { series: 'up', labels: [] },
} as const;

/** Template for the time of an expiry. `$value` is the number of seconds until then; it is negative after the expiry. */
export const EXPIRES =
  '{{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll "^-" "" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}';

/**
 * Returns a ticket and a page for an expiry.
 * @param series timestamps of the expiry, to which the alert's parameters apply
 * @param scraped expression for the timestamps that alert; default: all of `series`
 */
export function expiring(
  alert: 'EdgeTokenExpiring' | 'EdgeCertificateExpiring',
  series: string,
  tuning: Tuning,
  common: Omit<AlertDefinition, 'alert' | 'expr' | 'judged' | 'severity'>,
  scraped: string = series,
): readonly AlertDefinition[] {
  const judged = { series, labels: ['account'] };
  const left = `${merged(scraped, 'min')} - time()`;
  const [ticket, page] = (['ticket', 'page'] as const).map((form) => tuning.value(alert, form, judged));
  const soon = `${left} < ${ticket}\nand\n${left} >= ${page}`;
  return [
    { ...common, alert, judged, severity: 'ticket', expr: soon },
    { ...common, alert, judged, expr: `${left} < ${page}` },
  ];
}

function processAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [
    ...expiring(
      'EdgeTokenExpiring',
      'edge_token_expiry_timestamp_seconds',
      tuning,
      {
        ...OF_ACCOUNT,
        hold: times.hold,
        summary: `The token of {{ $labels.account }} ${EXPIRES}`,
        description: `The token in use for {{ $labels.account }} ${EXPIRES}, and the exporter has not been able to renew it.`,
      },
      // Tokens may live for less than these times. Each exporter has its own token.
      'edge_token_expiry_timestamp_seconds unless edge_token_renewal_timestamp_seconds > time()',
    ),
    {
      ...OF_EXPORTER,
      alert: 'EdgeExporterDown',
      expr: `up{job="${EXPORTER_JOB}"} == 0\nor\nabsent(up{job="${EXPORTER_JOB}"})`,
      hold: times.exporterDown,
      summary:
        '{{ if $labels.instance }}The exporter {{ $labels.instance }} is down{{ else }}There is no exporter (job {{ $labels.job }}){{ end }}',
      description:
        '{{ if $labels.instance }}Prometheus cannot scrape the exporter {{ $labels.instance }} (job {{ $labels.job }}){{ else }}Prometheus has no target of the job {{ $labels.job }}{{ end }}. Prometheus gets none of its data, so attacks go unnoticed.',
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgeConfigReloadFailed',
      expr: 'edge_exporter_config_last_reload_successful == 0',
      hold: times.hold,
      summary: 'The exporter {{ $labels.instance }} refused its configuration',
      description:
        'The last attempt to load the configuration of {{ $labels.instance }} failed. It keeps the previous configuration, which a restart loses.',
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgeSeriesDropped',
      expr: `increase(edge_exporter_series_dropped_total[${duration(times.hour)}]) > 0`,
      hold: times.hold,
      summary: 'The exporter {{ $labels.instance }} drops series',
      description:
        'It dropped about {{ $value | humanize }} series in the last hour, because there are more than limits.series. No alert watches dropped series.',
    },
  ];
}

const SKIPPED = 'edge_exporter_buckets_skipped_total';
const COUNTED = 'edge_exporter_buckets_counted_total';
const RESTATED = 'edge_exporter_late_restatement_total';
const RECONCILED = 'edge_exporter_reconciliation_ratio';

const OF_METRIC = 'account, product, metric';
const BEHIND = { series: 'edge_exporter_settle_delay_seconds', labels: ['account', 'product'] } as const;

function counterAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const inAnHour = (name: string): string => `increase(${name}[${duration(times.hour)}])`;
  const tolerance = (
    alert: 'EdgeReconciliationOff' | 'EdgeBucketsSkipped' | 'EdgeBucketsRestatedLate',
    series: string,
  ) => tuning.value(alert, 'tolerance', { series, labels: ['account', 'product'] });
  const amounts = `{{ range printf "sum by (metric) (${inAnHour('edge_exporter_late_restatement_amount_total{account=%q, product=%q}')})" $labels.account $labels.product | query }} {{ .Labels.metric }} by {{ .Value | humanize }},{{ end }}`;
  const age = `{{ range printf "histogram_quantile(0.99, sum by (le) (${inAnHour('edge_exporter_settle_seconds_bucket{product=%q}')}))" $labels.product | query }}{{ .Value | humanizeDuration }}{{ end }}`;
  const behind = tuning.value('EdgeCountersBehind', 'after', { ...BEHIND, by: OF_METRIC.split(', ') });
  return [
    {
      ...OF_ACCOUNT,
      alert: 'EdgeReconciliationOff',
      expr: `${merged(RECONCILED, 'min')} < 1 - ${tolerance('EdgeReconciliationOff', RECONCILED)}\nor\n${merged(RECONCILED)} > 1 + ${tolerance('EdgeReconciliationOff', RECONCILED)}`,
      judged: { series: RECONCILED, labels: ['account', 'product'] },
      hold: times.settled,
      summary:
        "Counters of {{ $labels.account }} ({{ $labels.product }}) show {{ $value | humanizePercentage }} of the platform's own sum",
      description:
        'The exporter has counted {{ $value | humanizePercentage }} of the sum that the platform reports for {{ $labels.account }} ({{ $labels.product }}) in the same time. Gauges and their alerts are not affected.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeBucketsSkipped',
      expr: `${merged(`${inAnHour(SKIPPED)} / (${inAnHour(SKIPPED)} + ${inAnHour(COUNTED)})`)}\n> ${tolerance('EdgeBucketsSkipped', SKIPPED)}`,
      judged: { series: SKIPPED, labels: ['account', 'product'] },
      hold: times.hold,
      summary:
        'Counters of {{ $labels.account }} ({{ $labels.product }}) lack {{ $value | humanizePercentage }} of the buckets',
      description:
        'The platform omitted {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) in the last hour. The counters continued without them, and will not add them later.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeBucketsRestatedLate',
      expr: `${merged(`${inAnHour(RESTATED)} / ${inAnHour(COUNTED)}`)}\n> ${tolerance('EdgeBucketsRestatedLate', RESTATED)}`,
      judged: { series: RESTATED, labels: ['account', 'product'] },
      hold: times.hold,
      summary:
        '{{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) changed after they were counted',
      description: `The platform changed {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) after the counters had added them, within the last hour:${amounts} up or down. Buckets of the product change up to ${age} after their end. The counters keep the earlier values.`,
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeCountersBehind',
      expr: `max by (${OF_METRIC}) (\n  time() - (edge_counted_until_timestamp_seconds or edge_product_counted_until_timestamp_seconds)\n)\n> on (${OF_METRIC})\n(${behind} + max by (${OF_METRIC}) (edge_exporter_settle_delay_seconds))`,
      judged: BEHIND,
      hold: times.settled,
      summary:
        'Counters of {{ $labels.account }} ({{ $labels.product }}) are {{ $value | humanizeDuration }} behind',
      description:
        'The last counted bucket of {{ $labels.metric }} of {{ $labels.account }} ({{ $labels.product }}) ended {{ $value | humanizeDuration }} ago. Sums over time are too small until later buckets are counted; nothing is lost. Gauges and their alerts are not affected.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeRowsMissing',
      expr: `${merged(MISSING)} > ${tuning.value('EdgeRowsMissing', 'share', { series: MISSING, labels: ['account', 'product'] })}`,
      judged: { series: MISSING, labels: ['account', 'product'] },
      hold: times.hold,
      summary:
        '{{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) are missing',
      description:
        "The platform's answers lack {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}). Counters continue without them after 20 minutes, so sums over time are too small by the same share.",
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgeStateNotKept',
      expr: either('reason', {
        unavailable: 'edge_exporter_state_durable == 0',
        refused: `increase(edge_exporter_state_errors_total[${duration(times.stateErrors)}]) > 0`,
      }),
      // As long as the range, so that a single error does not fire.
      hold: times.stateErrors,
      summary: byReason({
        unavailable: 'The counters of {{ $labels.instance }} are withheld',
        refused: 'The counters of {{ $labels.instance }} do not rise',
      }),
      description: byReason({
        unavailable:
          'The state in {{ $labels.directory }} cannot be used. Counters are withheld until it can. With a directory, gauges continue; with a database, accounts are not polled.',
        refused: `The state refused about {{ $value | humanize }} writes in ${times.stateErrors / 60_000} minutes. Counters do not rise until it can be written. Gauges are not affected.`,
      }),
    },
  ];
}

function pushAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const after = tuning.value('EdgePushBehind', 'after', OF_EXPORTER.judged);
  const lost = (family: string): string => `increase(${family}[${duration(times.hour)}]) > 0`;
  const waiting = `time() - edge_exporter_outbox_oldest_timestamp_seconds > ${after}`;
  const lately = (family: string): string => `increase(${family}[${duration(times.unasked)}])`;
  const answers = ['edge_exporter_push_samples_sent_total', 'edge_exporter_push_failures_total'].map(lately);
  const refusals = `sum without (reason) (${lately('edge_exporter_push_samples_refused_total')})`;
  const asked = `(${[...answers, refusals].join(' + ')} > 0)`;
  return [
    {
      ...OF_EXPORTER,
      alert: 'EdgePushBehind',
      expr: either('reason', { refused: `${waiting} and ${asked}`, stopped: `${waiting} unless ${asked}` }),
      hold: times.hold,
      summary: 'Samples have waited for {{ $labels.receiver }} for {{ $value | humanizeDuration }}',
      description: byReason({
        refused:
          'The receiver does not answer, refuses all requests, or is too slow. All samples arrive when it accepts them again, unless the outbox of {{ $labels.instance }} reaches its limits before.',
        stopped: `{{ $labels.instance }} has sent nothing to the receiver for ${times.unasked / 60_000} minutes: its outbox cannot be read, or its sending has stopped. The receiver is not the cause.`,
      }),
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgePushLosing',
      expr: either('loss', {
        refused: lost('edge_exporter_push_samples_refused_total'),
        dropped: lost('edge_exporter_push_samples_dropped_total'),
      }),
      hold: times.hold,
      summary: 'Samples for {{ $labels.receiver }} are lost: {{ $labels.reason }}',
      description:
        '{{ if eq $labels.loss "refused" }}The receiver refused about {{ $value | humanize }} samples for good{{ else }}The outbox dropped about {{ $value | humanize }} samples unsent{{ end }} in the last hour. /metrics of {{ $labels.instance }} has them.',
    },
  ];
}

import { EXPORTER_JOB, OF_ACCOUNT, OF_EXPORTER } from './about-exporter.ts';
import type { AlertDefinition } from './alert.ts';
import { DATA_AGE, STALE_DATA, unpolled } from './freshness-rules.ts';
import { OF_TRAFFIC } from './poll-alerts.ts';
import { duration } from './promql.ts';
import type { Times } from './times.ts';
import type { Tuning } from './tuning.ts';

/** What is seen of the platform is old, or nothing is seen. */
export function platformAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [
    {
      ...OF_ACCOUNT,
      alert: 'EdgeDataStale',
      expr: STALE_DATA,
      judged: { series: DATA_AGE, labels: ['account', 'product', 'configuration'] },
      hold: times.hold,
      severity: 'ticket',
      labels: { scope: 'configuration' },
      summary:
        'Stale data: {{ $labels.metric }} of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})',
      description:
        'The newest data of {{ $labels.metric }} of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) is at least {{ $value | humanizeDuration }} old. Until it is fresh again, an attack on this configuration may go unnoticed.',
      dashboard: 'edge-configuration',
      variables: ['account', 'product', 'configuration'],
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeDataStale',
      expr: unpolled(OF_TRAFFIC, tuning, OF_ACCOUNT.judged),
      hold: times.hold,
      severity: 'ticket',
      labels: { scope: 'account' },
      summary: 'No new data of {{ $labels.account }} for {{ $value | humanizeDuration }}',
      description:
        'No poll of the traffic of {{ $labels.account }} has succeeded for {{ $value | humanizeDuration }}. Until one does, an attack may go unnoticed.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgePlatformUnreachable',
      expr: 'edge_up == 0',
      hold: times.unreachable,
      severity: 'ticket',
      summary: 'The platform does not answer for {{ $labels.account }}',
      description:
        'The operations of {{ $labels.account }} have had no good answer of the platform for a while. The outcomes of the polls say why: the network, the token, or the platform itself.',
    },
  ];
}

/** What the exporter may do is nearly used up. */
export function quotaAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const common = { ...OF_ACCOUNT, alert: 'EdgeQuotaNearlySpent', severity: 'ticket' } as const;
  // The least left in any rate-limit window: what is left right now goes up and down with each of them.
  const over = (name: string): string => `${name}[${duration(times.quotaShort)}]`;
  return [
    {
      ...common,
      expr: `min_over_time(${over('edge_api_ratelimit_remaining')})\n/\nmax_over_time(${over('edge_api_ratelimit_limit')})\n< ${tuning.value('EdgeQuotaNearlySpent', 'remaining', { series: 'edge_api_ratelimit_limit', labels: ['account'] })}`,
      hold: times.quotaShort,
      labels: { reason: 'remaining' },
      summary: 'Only {{ $value | humanizePercentage }} of the quota of {{ $labels.account }} is left',
      description:
        'Of the operations that the platform allows {{ $labels.account }} ({{ $labels.scope }}) a minute, only {{ $value | humanizePercentage }} were left at the worst moment. The exporter keeps a reserve, so somebody else spends it.',
    },
    {
      ...common,
      expr: `min_over_time(${over('edge_exporter_operations_waiting')}) > 0`,
      hold: times.quotaShort,
      labels: { reason: 'waiting' },
      summary: 'At least {{ $value }} operations of {{ $labels.account }} wait all the time',
      description:
        'The queue of {{ $labels.account }} ({{ $labels.scope }}) has not been empty for a while: at least {{ $value }} operations wait for the quota, so data comes later than configured.',
    },
    {
      ...common,
      expr: `edge_exporter_interval_stretch_ratio > ${tuning.value('EdgeQuotaNearlySpent', 'stretch', { series: 'edge_exporter_interval_stretch_ratio', labels: ['account'] })}`,
      hold: times.quotaShort,
      labels: { reason: 'stretch' },
      summary: '{{ $labels.account }} is polled {{ $value | humanize }} times slower than configured',
      description:
        'The quota of {{ $labels.account }} does not suffice for {{ $labels.collector }}: its polls are {{ $value | humanize }} times as far apart as configured.',
    },
  ];
}

/** The exporter's own life. */
export function exporterAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const judged = { series: 'edge_token_expiry_timestamp_seconds', labels: ['account'] };
  const left = `${judged.series} - time()`;
  const [ticket, page] = (['ticket', 'page'] as const).map((form) =>
    tuning.value('EdgeTokenExpiring', form, judged),
  );
  const token = (severity: 'page' | 'ticket', expr: string): AlertDefinition => ({
    ...OF_ACCOUNT,
    alert: 'EdgeTokenExpiring',
    expr,
    judged,
    hold: times.hold,
    severity,
    summary: 'The token of {{ $labels.account }} expires in {{ $value | humanizeDuration }}',
    description:
      'The token in use for {{ $labels.account }} expires in {{ $value | humanizeDuration }} (negative: it has expired), and the exporter has not been able to renew it.',
  });
  return [
    token('ticket', `${left} < ${ticket}\nand\n${left} >= ${page}`),
    token('page', `${left} < ${page}`),
    {
      ...OF_EXPORTER,
      alert: 'EdgeExporterDown',
      expr: `up{job="${EXPORTER_JOB}"} == 0\nor\nabsent(up{job="${EXPORTER_JOB}"})`,
      hold: times.exporterDown,
      severity: 'page',
      summary:
        '{{ if $labels.instance }}The exporter {{ $labels.instance }} is down{{ else }}There is no exporter (job {{ $labels.job }}){{ end }}',
      description:
        '{{ if $labels.instance }}Prometheus cannot scrape the exporter {{ $labels.instance }} (job {{ $labels.job }}){{ else }}Prometheus has no target of the job {{ $labels.job }}{{ end }}. Nothing that it polls is seen: an attack would not be noticed.',
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgeConfigReloadFailed',
      expr: 'edge_exporter_config_last_reload_successful == 0',
      hold: times.hold,
      severity: 'ticket',
      summary: 'The exporter {{ $labels.instance }} refused its configuration',
      description:
        'The last attempt to load the configuration of {{ $labels.instance }} failed. It goes on with the one before, which is lost at the next restart.',
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgeSeriesDropped',
      expr: `increase(edge_exporter_series_dropped_total[${duration(times.hour)}]) > 0`,
      hold: times.hold,
      severity: 'ticket',
      summary: 'The exporter {{ $labels.instance }} leaves out series',
      description:
        'About {{ $value | humanize }} series were left out in the last hour, because there are more than limits.series. What is left out is not watched.',
    },
  ];
}

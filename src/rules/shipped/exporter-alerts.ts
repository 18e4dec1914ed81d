import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import { STALE_DATA, unpolled } from './freshness-rules.ts';
import { duration, merged } from './promql.ts';
import type { Times } from './times.ts';

/** The `job` of the exporter in Prometheus. */
const EXPORTER_JOB = 'edge-exporter';

/** What is seen of the platform, and what the exporter may ask of it. */
export function platformAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [
    ...unseenAlerts(times, tuning),
    ...pollAlerts(times, tuning),
    ...discoveryAlerts(times),
    polledTwiceAlert(times),
    ...quotaAlerts(times, tuning),
  ];
}

/** Counters, the exporter's own life, and what it pushes. */
export function exporterAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [counterAlerts, processAlerts, pushAlerts].flatMap((alerts) => alerts(times, tuning));
}

/** What alerts of one account of the exporter have in common. */
const OF_ACCOUNT = {
  about: 'exporter',
  judged: { series: 'edge_up', labels: ['account'] },
} as const;

/** What alerts of the exporter as a whole have in common. */
const OF_EXPORTER = {
  about: 'exporter',
  // Nothing tells one exporter from another in an alerts file.
  judged: { series: 'up', labels: [] },
} as const;

/** What is seen of the platform is old, or nothing is seen. */
function unseenAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [
    {
      ...OF_ACCOUNT,
      alert: 'EdgeDataStale',
      expr: STALE_DATA,
      judged: { series: STALE_DATA, labels: ['account', 'product', 'configuration'] },
      hold: times.hold,
      labels: { scope: 'configuration' },
      summary:
        'Stale data: {{ $labels.metric }} of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})',
      description:
        'The newest data of {{ $labels.metric }} of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) is at least {{ $value | humanizeDuration }} old. Until it is fresh again, an attack on this configuration may go unnoticed.',
      dashboard: 'edge-configuration',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeDataStale',
      expr: unpolled(OF_TRAFFIC, tuning, OF_ACCOUNT.judged),
      hold: times.hold,
      labels: { scope: 'account' },
      summary: 'No new data of {{ $labels.account }} for {{ $value | humanizeDuration }}',
      description:
        'No poll of the traffic of {{ $labels.account }} has succeeded for {{ $value | humanizeDuration }}. Until one does, an attack may go unnoticed.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgePlatformUnreachable',
      expr: `${merged('edge_up')} == 0`,
      hold: times.unreachable,
      summary: 'No read of {{ $labels.account }} succeeds',
      description:
        "The platform cannot be reached for {{ $labels.account }}, or refuses every read. The exporter's status page names the cause and what to do: network, address, token, permission, or quota.",
    },
  ];
}

/** Several exporters of an account, or several scrapes of one: all sums bear it, and the quota is spent that often. */
function polledTwiceAlert(times: Times): AlertDefinition {
  const family = 'edge_account_info';
  const targets = `{{ range printf "${family}{account_id=%q}" $labels.account_id | query }} {{ .Labels.instance }} ({{ .Labels.job }}) as {{ .Labels.account }};{{ end }}`;
  return {
    ...OF_ACCOUNT,
    alert: 'EdgeAccountPolledTwice',
    expr: `max by (account, account_id) (${family})\n* on (account_id) group_left ()\n(count by (account_id) (${family}) > 1)`,
    judged: { series: family, labels: ['account'] },
    // A new version that takes over from the old one is over by then.
    hold: times.settled,
    summary: '{{ $labels.account }} comes from {{ $value }} targets',
    description: `Prometheus has {{ $labels.account }} from {{ $value }} targets:${targets} either several exporters poll it, each for the whole quota, or Prometheus scrapes one of them twice. Rules and dashboards count it once; what you have written yourself may not.`,
  };
}

/** What the exporter may do is nearly used up. */
function quotaAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const common = { ...OF_ACCOUNT, alert: 'EdgeQuotaNearlySpent' } as const;
  // The least left in any rate-limit window: what is left right now goes up and down with each of them.
  const over = (name: string): string => `${name}[${duration(times.quotaShort)}]`;
  const stretch = 'edge_exporter_interval_stretch_ratio';
  // Where nothing is served at all, that alone is told: what waits then does not wait for the quota.
  const served = `unless on (account)\n${merged('edge_up')} == 0`;
  return [
    {
      ...common,
      expr: `${merged(`min_over_time(${over('edge_api_ratelimit_remaining')})`, 'min')}\n/\n${merged(`max_over_time(${over('edge_api_ratelimit_limit')})`)}\n< ${tuning.value('EdgeQuotaNearlySpent', 'remaining', { series: 'edge_api_ratelimit_limit', labels: ['account'] })}\n${served}`,
      hold: times.quotaShort,
      labels: { reason: 'remaining' },
      summary: 'Only {{ $value | humanizePercentage }} of the quota of {{ $labels.account }} is left',
      description:
        'Of the operations that the platform allows {{ $labels.account }} ({{ $labels.scope }}) a minute, only {{ $value | humanizePercentage }} were left at the worst moment. The exporter keeps a reserve, so somebody else spends it.',
    },
    {
      ...common,
      // Something may wait whenever it is scraped, and yet nothing comes late.
      expr: `${merged(`min_over_time(${over('edge_exporter_operations_waiting')})`)} > 0\nunless on (account)\nmax by (account) (${stretch}) <= 1.5\n${served}`,
      hold: times.quotaShort,
      labels: { reason: 'waiting' },
      summary: 'At least {{ $value }} operations of {{ $labels.account }} wait all the time',
      description:
        'The queue of {{ $labels.account }} ({{ $labels.scope }}) has not been empty for a while: at least {{ $value }} operations wait for the quota, so data comes later than configured.',
    },
    {
      ...common,
      expr: `${merged(stretch)} > ${tuning.value('EdgeQuotaNearlySpent', 'stretch', { series: stretch, labels: ['account'] })}\n${served}`,
      hold: times.quotaShort,
      labels: { reason: 'stretch' },
      summary: '{{ $labels.account }} is polled {{ $value | humanize }} times slower than configured',
      description:
        'The polls of {{ $labels.collector }} of {{ $labels.account }} are {{ $value | humanize }} times as far apart as configured: the quota does not suffice for them, or the platform answers too slowly.',
    },
  ];
}

/** What expires at a moment: a ticket when it comes near, and a page when it is close. @param scraped which of the series count */
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

/** The exporter's own life. */
function processAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [
    ...expiring(
      'EdgeTokenExpiring',
      'edge_token_expiry_timestamp_seconds',
      tuning,
      {
        ...OF_ACCOUNT,
        hold: times.hold,
        summary: 'The token of {{ $labels.account }} expires in {{ $value | humanizeDuration }}',
        description:
          'The token in use for {{ $labels.account }} expires in {{ $value | humanizeDuration }} (negative: it has expired), and the exporter has not been able to renew it.',
      },
      // Tokens may live for less than what is told here. Of several exporters each has a token of its own.
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
        '{{ if $labels.instance }}Prometheus cannot scrape the exporter {{ $labels.instance }} (job {{ $labels.job }}){{ else }}Prometheus has no target of the job {{ $labels.job }}{{ end }}. Nothing that it polls is seen: an attack would not be noticed.',
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgeConfigReloadFailed',
      expr: 'edge_exporter_config_last_reload_successful == 0',
      hold: times.hold,
      summary: 'The exporter {{ $labels.instance }} refused its configuration',
      description:
        'The last attempt to load the configuration of {{ $labels.instance }} failed. It goes on with the one before, which is lost at the next restart.',
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgeSeriesDropped',
      expr: `increase(edge_exporter_series_dropped_total[${duration(times.hour)}]) > 0`,
      hold: times.hold,
      summary: 'The exporter {{ $labels.instance }} leaves out series',
      description:
        'About {{ $value | humanize }} series were left out in the last hour, because there are more than limits.series. What is left out is not watched.',
    },
  ];
}

/** The collectors of traffic, each with many polls a minute; the others have one now and then. */
const OF_TRAFFIC = 'metrics|analytics';

const POLLS = 'edge_exporter_polls_total';
const FAILED = 'outcome!~"ok|empty"';

/** Polls that fail for long though the platform answers. While it does not, that alone is told. */
function pollAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const ofTraffic = (...matchers: string[]): string =>
    `sum by (account) (rate(${POLLS}{${[`collector=~"${OF_TRAFFIC}"`, ...matchers].join(', ')}}[${duration(times.settled)}]))`;
  const failures = merged(
    `sum without (outcome) (increase(${POLLS}{collector!~"${OF_TRAFFIC}", ${FAILED}}[${duration(times.unread)}]))`,
  );
  const succeeded = `time() - edge_exporter_poll_last_success_timestamp_seconds < ${times.unread / 1_000}`;
  return [
    {
      ...OF_ACCOUNT,
      alert: 'EdgePollsFailing',
      // Within twice the time after which an outage is told: a platform that comes and goes faster than that is told here.
      expr: `${ofTraffic(FAILED)}\n/\n${ofTraffic()}\n> ${tuning.value('EdgePollsFailing', 'share', { ...OF_ACCOUNT.judged, by: ['account'] })}\nand on (account)\nmax_over_time(edge_up[${duration(2 * times.unreachable)}]) == 1`,
      hold: times.settled,
      summary: '{{ $value | humanizePercentage }} of the polls of {{ $labels.account }} fail',
      description:
        'The platform answers at least now and then, but {{ $value | humanizePercentage }} of the polls of the traffic of {{ $labels.account }} have failed for a long time. What they ask for comes late or not at all.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeCollectorFailing',
      // A single failure within the range is none, whatever the interval.
      expr: `${failures} > 1\nunless on (account, collector)\n${succeeded}\nand on (account)\nmax_over_time(edge_up[${duration(times.unread)}]) == 1`,
      hold: times.hour,
      summary: 'Nothing is read for {{ $labels.collector }} of {{ $labels.account }}',
      description: `The platform answers, but no poll of the collector {{ $labels.collector }} of {{ $labels.account }} has succeeded for more than ${times.unread / 3_600_000} hours, and about {{ $value | humanize }} have failed. What it reads is not shown any more, and alerts that are made of it are silent.`,
    },
  ];
}

/** What is configured and not there: no poll fails because of it, so nothing else tells. */
function discoveryAlerts(times: Times): readonly AlertDefinition[] {
  const common = {
    ...OF_ACCOUNT,
    alert: 'EdgeNotDiscovered',
    hold: times.hour,
  } as const;
  return [
    {
      ...common,
      // While the platform does not answer, that alone is told.
      expr: `${merged('edge_exporter_product_listed')} == 0\nand on (account)\nmax_over_time(edge_up[${duration(times.hour)}]) == 1`,
      labels: { reason: 'product' },
      summary: 'The configurations of {{ $labels.product }} ({{ $labels.account }}) cannot be listed',
      description:
        'The platform answers, but for an hour it has not listed the configurations of {{ $labels.product }} of {{ $labels.account }}. What was not listed before is not read, and alerts that are made of it are silent.',
    },
    {
      ...common,
      expr: `${merged('edge_configurations')} < 0.5 * ${merged(`max_over_time(edge_configurations[${duration(times.day)}])`)}`,
      labels: { reason: 'fewer' },
      summary:
        'Only {{ $value }} of the configurations of {{ $labels.product }} ({{ $labels.account }}) are listed as active',
      description:
        'The platform lists {{ $value }} active configurations of {{ $labels.product }} of {{ $labels.account }}: fewer than half of those that it listed within the last day. What is not listed, or not active, is not read, and alerts that are made of it are silent.',
    },
    {
      ...common,
      expr: `${merged('edge_exporter_unmatched_configurations')} > 0`,
      labels: { reason: 'configuration' },
      summary: '{{ $value }} names of {{ $labels.product }} ({{ $labels.account }}) match no configuration',
      description:
        '{{ $value }} entries of configurations.include of {{ $labels.product }} of {{ $labels.account }} have matched no configuration for an hour: they are misspelt, or what they name was renamed or deleted. Nothing of it is read.',
    },
  ];
}

const SKIPPED = 'edge_exporter_buckets_skipped_total';
const COUNTED = 'edge_exporter_buckets_counted_total';
const RESTATED = 'edge_exporter_late_restatement_total';
const RECONCILED = 'edge_exporter_reconciliation_ratio';

const OF_METRIC = 'account, product, metric';
const BEHIND = { series: 'edge_exporter_settle_delay_seconds', labels: ['account', 'product'] } as const;

/** What the counters lack, or are about to lose. */
function counterAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const inAnHour = (name: string): string => `increase(${name}[${duration(times.hour)}])`;
  const tolerance = (
    alert: 'EdgeReconciliationOff' | 'EdgeBucketsSkipped' | 'EdgeBucketsRestatedLate',
    series: string,
  ) => tuning.value(alert, 'tolerance', { series, labels: ['account', 'product'] });
  const amounts = `{{ range printf "sum by (metric) (${inAnHour('edge_exporter_late_restatement_amount_total{account=%q, product=%q}')})" $labels.account $labels.product | query }} {{ .Labels.metric }} by {{ .Value | humanize }},{{ end }}`;
  const age = `{{ range printf "histogram_quantile(0.99, sum by (le) (${inAnHour('edge_exporter_settle_seconds_bucket{product=%q}')}))" $labels.product | query }}{{ .Value | humanizeDuration }}{{ end }}`;
  const behind = tuning.value('EdgeCountersBehind', 'after', { ...BEHIND, by: OF_METRIC.split(', ') });
  const state = { ...OF_EXPORTER, alert: 'EdgeStateNotKept' } as const;
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
        'What the exporter has counted of {{ $labels.account }} ({{ $labels.product }}) is {{ $value | humanizePercentage }} of what the platform says of the same time. Gauges and their alerts are not affected.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeBucketsSkipped',
      expr: `${merged(`${inAnHour(SKIPPED)} / (${inAnHour(SKIPPED)} + ${inAnHour(COUNTED)})`)}\n> ${tolerance('EdgeBucketsSkipped', SKIPPED)}`,
      judged: { series: SKIPPED, labels: ['account', 'product'] },
      hold: times.hold,
      summary:
        'Counters of {{ $labels.account }} ({{ $labels.product }}) went on without {{ $value | humanizePercentage }} of the buckets',
      description:
        'The platform kept leaving out {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) that were to be counted in the last hour. The counters have gone on without them and will not take them in any more.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeBucketsRestatedLate',
      expr: `${merged(`${inAnHour(RESTATED)} / ${inAnHour(COUNTED)}`)}\n> ${tolerance('EdgeBucketsRestatedLate', RESTATED)}`,
      judged: { series: RESTATED, labels: ['account', 'product'] },
      hold: times.hold,
      summary:
        '{{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) changed after they were counted',
      description: `The platform changed {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) after the counters had taken them in, within the last hour:${amounts} up or down. Buckets of the product change up to ${age} after their end. The counters keep what they counted.`,
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
        'What was counted of {{ $labels.metric }} of {{ $labels.account }} ({{ $labels.product }}) ends {{ $value | humanizeDuration }} ago. What has come since is missing in sums over time until it is counted; nothing is lost. Gauges and their alerts are not affected.',
    },
    {
      ...state,
      expr: 'edge_exporter_state_durable == 0',
      hold: times.hold,
      labels: { reason: 'unavailable' },
      summary: 'The counters of {{ $labels.instance }} are withheld',
      description:
        'The exporter {{ $labels.instance }} cannot use its state in {{ $labels.directory }} and exposes no counters until it can; they then go on from where they were. Where that is a directory, gauges and their alerts are not affected; where it is a database, accounts are not polled meanwhile. The status page and the log say why.',
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

/** What is to be pushed does not arrive: it waits for too long, or it never will. */
function pushAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  const after = tuning.value('EdgePushBehind', 'after', OF_EXPORTER.judged);
  const lost = (family: string): string => `increase(${family}[${duration(times.hour)}]) > 0`;
  const waiting = `time() - edge_exporter_outbox_oldest_timestamp_seconds > ${after}`;
  const lately = (family: string): string => `increase(${family}[${duration(times.unasked)}])`;
  const answers = ['edge_exporter_push_samples_sent_total', 'edge_exporter_push_failures_total'].map(lately);
  const refusals = `sum without (reason) (${lately('edge_exporter_push_samples_refused_total')})`;
  const asked = `(${[...answers, refusals].join(' + ')} > 0)`;
  const lossy = { ...OF_EXPORTER, alert: 'EdgePushLosing', hold: times.hold } as const;
  return [
    {
      ...OF_EXPORTER,
      alert: 'EdgePushBehind',
      expr: `${waiting} and ${asked}`,
      hold: times.hold,
      summary: 'Samples have waited for {{ $labels.receiver }} for {{ $value | humanizeDuration }}',
      description:
        'The receiver {{ $labels.receiver }} of {{ $labels.instance }} does not answer, refuses all requests, or is too slow: the oldest sample has waited for {{ $value | humanizeDuration }}. All arrive when it takes them again, unless the outbox reaches its limits before.',
    },
    {
      ...OF_EXPORTER,
      alert: 'EdgePushStopped',
      expr: `${waiting} unless ${asked}`,
      hold: times.hold,
      summary: 'Nothing is sent to {{ $labels.receiver }} although samples wait',
      description: `The oldest sample for {{ $labels.receiver }} has waited for {{ $value | humanizeDuration }}, and {{ $labels.instance }} has not asked the receiver for ${times.unasked / 60_000} minutes: its outbox cannot be read, or its sending has stopped by a fault of its own. The receiver is not the cause. Samples are kept, unless the outbox reaches its limits.`,
    },
    {
      ...lossy,
      expr: lost('edge_exporter_push_samples_refused_total'),
      labels: { loss: 'refused' },
      summary: '{{ $labels.receiver }} refuses samples for good: {{ $labels.reason }}',
      description:
        'About {{ $value | humanize }} samples of the last hour were refused by the receiver {{ $labels.receiver }} ({{ $labels.reason }}) and are not sent again. /metrics has them.',
    },
    {
      ...lossy,
      expr: lost('edge_exporter_push_samples_dropped_total'),
      labels: { loss: 'dropped' },
      summary: 'The outbox of {{ $labels.receiver }} drops samples: {{ $labels.reason }}',
      description:
        'About {{ $value | humanize }} samples for the receiver {{ $labels.receiver }} left the outbox unsent in the last hour ({{ $labels.reason }}): it was away for too long for the outbox (outbox_full, outbox_age), was taken out of push (receiver_removed), or what waited was damaged.',
    },
  ];
}

import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import { STALE_DATA, unseen } from './freshness-rules.ts';
import { duration, merged } from './promql.ts';
import type { Times } from './times.ts';

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

/** What alerts of one account of the exporter have in common. */
export const OF_ACCOUNT = {
  about: 'exporter',
  judged: { series: 'edge_up', labels: ['account'] },
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
      severity: 'page',
      expr: unseen(times, tuning, OF_ACCOUNT.judged),
      hold: times.hold,
      labels: { scope: 'account' },
      summary: 'No traffic data of {{ $labels.account }} for {{ $value | humanizeDuration }}',
      description:
        'The newest traffic data of {{ $labels.account }} is at least {{ $value | humanizeDuration }} old, or there was never any: the platform is late or cannot be reached, or it refuses what is read. Until there is new data, no attack is noticed.',
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

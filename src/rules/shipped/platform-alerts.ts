import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import { STALE_DATA, unseen } from './freshness-rules.ts';
import { duration, merged } from './promql.ts';
import { byReason, either } from './scopes.ts';
import type { Times } from './times.ts';

/** Returns the alerts of data, polls, discovery and quota. */
export function platformAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [
    ...unseenAlerts(times, tuning),
    ...pollAlerts(times, tuning),
    discoveryAlert(times),
    polledTwiceAlert(times),
    quotaAlert(times, tuning),
  ];
}

/** Common fields of the alerts of one account. */
export const OF_ACCOUNT = {
  about: 'exporter',
  judged: { series: 'edge_up', labels: ['account'] },
} as const;

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
        'The newest traffic data of {{ $labels.account }} is at least {{ $value | humanizeDuration }} old, or there was never any. The platform is late, cannot be reached, or refuses the reads. Until there is new data, attacks go unnoticed.',
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

/** Returns the alert of an account that several targets poll. Shipped rules count it once, but its quota is used several times. */
function polledTwiceAlert(times: Times): AlertDefinition {
  const family = 'edge_account_info';
  const targets = `{{ range printf "${family}{account_id=%q}" $labels.account_id | query }} {{ .Labels.instance }} ({{ .Labels.job }}) as {{ .Labels.account }};{{ end }}`;
  return {
    ...OF_ACCOUNT,
    alert: 'EdgeAccountPolledTwice',
    expr: `max by (account, account_id) (${family})\n* on (account_id) group_left ()\n(count by (account_id) (${family}) > 1)`,
    judged: { series: family, labels: ['account'] },
    // A rolling update has ended by then.
    hold: times.settled,
    summary: '{{ $labels.account }} comes from {{ $value }} targets',
    description: `Prometheus has {{ $labels.account }} from {{ $value }} targets:${targets} several exporters poll it, each with the whole quota, or Prometheus scrapes one of them twice. Rules and dashboards count it once; your own queries may not.`,
  };
}

function quotaAlert(times: Times, tuning: Tuning): AlertDefinition {
  // The minimum over windows: the current remainder rises and falls with each window.
  const over = (name: string): string => `${name}[${duration(times.quotaShort)}]`;
  const stretch = 'edge_exporter_interval_stretch_ratio';
  const parameter = (name: 'remaining' | 'stretch', series: string): string =>
    tuning.value('EdgeQuotaNearlySpent', name, { series, labels: ['account'] });
  // If the platform does not respond, EdgePlatformUnreachable reports that: requests do not wait for the quota.
  const served = `unless on (account)\n${merged('edge_up')} == 0`;
  const limit = 'edge_api_ratelimit_limit';
  const reasons = {
    remaining: `${merged(`min_over_time(${over('edge_api_ratelimit_remaining')})`, 'min')}\n/\n${merged(`max_over_time(${over(limit)})`)}\n< ${parameter('remaining', limit)}`,
    // Operations can wait at each scrape without any delay of data.
    waiting: `${merged(`min_over_time(${over('edge_exporter_operations_waiting')})`)} > 0\nunless on (account)\nmax by (account) (${stretch}) <= 1.5`,
    stretch: `${merged(stretch)} > ${parameter('stretch', stretch)}`,
  };
  const said = byReason({
    remaining: '{{ $value | humanizePercentage }} of the quota of {{ $labels.account }} is left',
    waiting: '{{ $value }} operations of {{ $labels.account }} wait all the time',
    stretch: '{{ $labels.account }} is polled {{ $value | humanize }} times slower than configured',
  });
  const described = byReason({
    remaining: `Least left of the limit of {{ $labels.scope }} in ${duration(times.quotaShort)}. The exporter keeps a reserve, so another client uses the rest.`,
    waiting: `The queue of {{ $labels.scope }} has not been empty for ${duration(times.quotaShort)}: data comes later than configured.`,
    stretch:
      'Polls of {{ $labels.collector }}: the quota does not suffice, or the platform answers too slowly.',
  });
  return {
    ...OF_ACCOUNT,
    alert: 'EdgeQuotaNearlySpent',
    expr: `(\n${either('reason', reasons)}\n)\n${served}`,
    hold: times.quotaShort,
    summary: said,
    description: described,
  };
}

/** Collectors of traffic, which have many polls a minute. */
const OF_TRAFFIC = 'metrics|analytics';

const POLLS = 'edge_exporter_polls_total';

const FAILED = 'outcome!~"ok|empty"';

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
      // This reports an outage that recurs and ends within ten minutes.
      expr: `${ofTraffic(FAILED)}\n/\n${ofTraffic()}\n> ${tuning.value('EdgePollsFailing', 'share', { ...OF_ACCOUNT.judged, by: ['account'] })}\nand on (account)\nmax_over_time(edge_up[${duration(2 * times.unreachable)}]) == 1`,
      hold: times.settled,
      summary: '{{ $value | humanizePercentage }} of the polls of {{ $labels.account }} fail',
      description:
        'The platform answers some requests, but {{ $value | humanizePercentage }} of the polls of traffic of {{ $labels.account }} have failed for a long time. Their data is late or missing.',
    },
    {
      ...OF_ACCOUNT,
      alert: 'EdgeCollectorFailing',
      // A single failure in the range does not count.
      expr: `${failures} > 1\nunless on (account, collector)\n${succeeded}\nand on (account)\nmax_over_time(edge_up[${duration(times.unread)}]) == 1`,
      hold: times.hour,
      summary: 'No poll of {{ $labels.collector }} of {{ $labels.account }} succeeds',
      description: `The platform answers, but no poll of the collector {{ $labels.collector }} of {{ $labels.account }} has succeeded for more than ${times.unread / 3_600_000} hours, and about {{ $value | humanize }} have failed. Its series are gone, and alerts on them are silent.`,
    },
  ];
}

/** Returns the alert of configured items that do not exist, because no poll fails for them. */
function discoveryAlert(times: Times): AlertDefinition {
  const silent = 'They are not read, and alerts on them are silent.';
  return {
    ...OF_ACCOUNT,
    alert: 'EdgeNotDiscovered',
    hold: times.hour,
    expr: either('reason', {
      // If the platform does not respond, EdgePlatformUnreachable reports that.
      product: `${merged('edge_exporter_product_listed')} == 0\nand on (account)\nmax_over_time(edge_up[${duration(times.hour)}]) == 1`,
      fewer: `${merged('edge_configurations')} < 0.5 * ${merged(`max_over_time(edge_configurations[${duration(times.day)}])`)}`,
      configuration: `${merged('edge_exporter_unmatched_configurations')} > 0`,
    }),
    summary: byReason({
      product: 'The configurations of {{ $labels.product }} ({{ $labels.account }}) cannot be listed',
      fewer: 'Only {{ $value }} configurations of {{ $labels.product }} ({{ $labels.account }}) are active',
      configuration: '{{ $value }} names of {{ $labels.product }} ({{ $labels.account }}) match nothing',
    }),
    description: byReason({
      product: `The platform answers, but has not listed them for an hour. Configurations that were never listed are affected. ${silent}`,
      fewer: `The platform lists fewer than half of those of the last day. The others are affected. ${silent}`,
      configuration: `Entries of configurations.include have matched no configuration for an hour. The names are misspelt, renamed or deleted. ${silent}`,
    }),
  };
}

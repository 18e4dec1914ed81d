import type { AlertDefinition } from './alert.ts';
import type { Tuning } from './alert-settings.ts';
import { EXPIRES, expiring } from './exporter-alerts.ts';
import { ago, merged } from './promql.ts';
import { either } from './scopes.ts';
import type { Times } from './times.ts';

/** Kinds of settings whose changes alert: `edge_<kind>_changed_timestamp_seconds`, with labels of the kind. */
export const CHANGING_SETTINGS = [
  'application',
  'certificate',
  'domain',
  'error_response',
  'firewall',
  'firewall_ruleset',
  'function',
  'network_list',
  'waf_ruleset',
  'zone',
] as const;

type Kind = (typeof CHANGING_SETTINGS)[number];

function nameOf(kind: Kind): string {
  if (kind === 'application') return 'edge_application';
  return kind === 'error_response' ? 'configuration' : kind;
}

/** Returns a state that differs from an hour, a day or a week ago. A state that never changed is intended and does not alert. */
function switched(
  now: string,
  before: string,
  labels: string,
  { hour, day, week }: Times,
  condition = '',
): string {
  const earlier = [hour, day, week].map((time) => `${ago(before, time)}${condition}`).join(' or ');
  return `${now}\nand on (${labels})\n(${earlier})`;
}

const OF_RULESET = 'account, waf_ruleset_id';
const OF_FIREWALL = 'account, firewall_id';

const OF_SETTINGS = { about: 'settings' } as const;

/** Returns the alerts of protection that was disabled. */
export function protectionAlerts(times: Times): readonly AlertDefinition[] {
  const off = (series: string, id: string): string =>
    switched(`${merged(series, 'min')} == 0`, series, id, times, ' == 1');
  const page = (alert: 'EdgeWafOff' | 'EdgeFirewallDisabled', series: string, id: string) =>
    ({
      ...OF_SETTINGS,
      alert,
      expr: off(series, id),
      judged: { series, labels: ['account'] },
      hold: times.hold,
    }) as const;
  return [
    {
      ...OF_SETTINGS,
      alert: 'EdgeWafCounting',
      judged: { series: 'edge_waf_ruleset_info', labels: ['account'] },
      expr: switched(
        merged('edge_waf_ruleset_info{mode="counting"}'),
        'edge_waf_ruleset_info{mode="blocking"}',
        OF_RULESET,
        times,
      ),
      hold: times.hold,
      summary: 'The WAF only counts: {{ $labels.waf_ruleset }} ({{ $labels.account }})',
      description:
        'The WAF rule set {{ $labels.waf_ruleset }} of {{ $labels.account }} was blocking and is counting now: it detects threats and lets them through.',
    },
    {
      ...page('EdgeWafOff', 'edge_waf_ruleset_active', OF_RULESET),
      expr: either('scope', {
        ruleset: off('edge_waf_ruleset_active', OF_RULESET),
        firewall: off('edge_firewall_waf_enabled', OF_FIREWALL),
      }),
      summary:
        'The WAF {{ with $labels.waf_ruleset }}rule set {{ . }}{{ else }}of the firewall {{ $labels.firewall }}{{ end }} ({{ $labels.account }}) is off',
      description:
        'It was on before. A rule set that is off neither stops nor detects threats; a firewall without its WAF leaves its domains unprotected.',
    },
    {
      ...page('EdgeFirewallDisabled', 'edge_firewall_active', OF_FIREWALL),
      summary: 'The firewall {{ $labels.firewall }} ({{ $labels.account }}) is disabled',
      description:
        'The firewall {{ $labels.firewall }} of {{ $labels.account }} was active before. Now none of its rules protects its domains.',
    },
  ];
}

const RENEWED =
  'Who renews it: {{ range printf "edge_certificate_managed{account=%q, certificate_id=%q}" $labels.account $labels.certificate_id | query }}{{ if eq .Value 1.0 }}the platform{{ else }}you{{ end }}{{ else }}unknown{{ end }}.';

/** Returns the alerts of risky settings and of changed settings. */
export function settingsAlerts(times: Times, tuning: Tuning): readonly AlertDefinition[] {
  return [
    cachedErrorPage(times, tuning),
    ...expiring('EdgeCertificateExpiring', 'edge_certificate_expiry_timestamp_seconds', tuning, {
      ...OF_SETTINGS,
      hold: times.settled,
      summary: `The certificate {{ $labels.certificate }} ({{ $labels.account }}) ${EXPIRES}`,
      description: `The certificate {{ $labels.certificate }} of {{ $labels.account }} ${EXPIRES}. Browsers warn visitors of an expired certificate and do not show the site. ${RENEWED}`,
    }),
    changes(times),
  ];
}

function cachedErrorPage(times: Times, tuning: Tuning): AlertDefinition {
  const judged = {
    series: 'edge_error_response_cache_seconds',
    matchers: [{ label: 'code', operator: '=~', value: '5..' }],
    labels: ['account', 'product', 'configuration'],
  } as const;
  return {
    alert: 'EdgeErrorPageCachedTooLong',
    expr: `${merged('edge_error_response_cache_seconds{code=~"5.."}')} > ${tuning.value('EdgeErrorPageCachedTooLong', 'longest', judged)}`,
    judged,
    hold: times.settled,
    about: 'settings',
    summary:
      'Errors {{ $labels.code }} of {{ $labels.configuration }} ({{ $labels.account }}) are cached for {{ $value | humanizeDuration }}',
    description:
      'The edge keeps responses {{ $labels.code }} of {{ $labels.configuration }} ({{ $labels.account }}) for {{ $value | humanizeDuration }}. Visitors see a short failure of the origin for the same time.',
    dashboard: 'edge-configuration',
  };
}

function changes(times: Times): AlertDefinition {
  const changed = (kind: Kind): string =>
    `time() - ${merged(`edge_${kind}_changed_timestamp_seconds`)} < ${times.announced / 1_000}`;
  const names = CHANGING_SETTINGS.map(
    (kind) => `{{ if eq $labels.kind "${kind}" }}{{ $labels.${nameOf(kind)} }}{{ end }}`,
  );
  return {
    ...OF_SETTINGS,
    alert: 'EdgeSettingChanged',
    expr: either('kind', Object.fromEntries(CHANGING_SETTINGS.map((kind) => [kind, changed(kind)]))),
    judged: { series: 'edge_waf_ruleset_changed_timestamp_seconds', labels: ['account'] },
    summary: `Changed: {{ $labels.kind }} ${names.join('')} ({{ $labels.account }})`,
    description: 'The setting differs from what it was {{ $value | humanizeDuration }} ago.',
  };
}

import { firingAlerts, URGENT } from './annotations.ts';
import { TO_ACCOUNT, TO_NAMESAKE, TO_RUNBOOK } from './links.ts';
import { ACCOUNT, largest, of } from './query.ts';
import { table } from './table.ts';

const ALERT = 'alertname,severity,account,configuration';
const FIRING = `count by (${ALERT}) (${URGENT})`;
/**
 * Query for the time since which an alert is pending or firing. Prometheus stores this time as the value of
 * ALERTS_FOR_STATE.
 */
const SINCE = of('ALERTS_FOR_STATE', 'alertname=~"Edge.+"', 'account=~"$account|"', 'severity!="info"');

const SUBJECT = 'account,product,configuration';

type Judged = readonly (readonly [alerts: string, recorded: readonly string[], label?: string])[];

const inBothScopes = (recorded: string) => [`account:${recorded}`, `configuration:${recorded}`];

const PER_MINUTE: Judged = [
  ['EdgeWafSpike|EdgeWafElevated', inBothScopes('edge_waf_threats_per_minute:sum')],
  ['EdgeWafBlockedSpike', ['configuration:edge_waf_blocked_per_minute:sum']],
  ['EdgeWafFamilyAttack', ['configuration:edge_waf_threats_by_family_per_minute:sum'], 'family'],
  ['EdgeStatusCodeSurge', ['configuration:edge_error_responses_per_minute:sum'], 'code'],
  ['EdgeTrafficFlood|EdgeTrafficDrop', ['configuration:edge_requests_per_minute:sum']],
];

const SHARES: Judged = [
  ['Edge5xxRatio', inBothScopes('edge_server_error_ratio:avg5m')],
  ['Edge4xxRatio', ['configuration:edge_client_error_ratio:now']],
  ['EdgeOffloadCollapse', ['configuration:edge_cache_miss_ratio:now']],
  ['EdgeOriginErrors', ['configuration:edge_upstream_error_ratio:avg5m']],
];

const AGES: Judged = [['EdgeDataStale', ['configuration:edge_data_age_seconds:stale'], 'metric']];

/** Alerts for which the table shows the current value. */
export const JUDGED: Judged = [...PER_MINUTE, ...SHARES, ...AGES];

function valuesOf(judged: Judged): string {
  const values = judged.map(([alerts, recorded, label]) => {
    const by = label === undefined ? SUBJECT : `${SUBJECT},${label}`;
    const series = recorded.map((name) => of(name, ACCOUNT)).join(' or ');
    const alert = firingAlerts('severity!="info"', `alertname=~"${alerts}"`);
    return `${alert} * on (${by}) group_left ${largest(series, by)}`;
  });
  return largest(values.join(' or '), ALERT);
}

/** Firing alerts with their scope and severity. */
export const firing = table({
  title: 'What fires now',
  description:
    'Firing alerts, pages before tickets, with the start of their condition. Alerts of traffic have the newest value that they judge: threats, requests or responses per minute, or a share of errors or of cache misses. Configuration “none” means the account as a whole. Click an alert to open its runbook, or a configuration or account to open its dashboard. The list is also empty if Prometheus has not loaded the rules.',
  rows: { alertname: 'Alert', severity: 'Severity', account: 'Account', configuration: 'Configuration' },
  links: {
    Alert: TO_RUNBOOK,
    Account: TO_ACCOUNT,
    Configuration: TO_NAMESAKE,
  },
  columns: [
    { title: 'Firing', expr: FIRING },
    {
      title: 'Since',
      expr: `1000 * min by (${ALERT}) (${SINCE}) and on (${ALERT}) ${FIRING}`,
      unit: 'dateTimeFromNow',
    },
    { title: 'Now, per minute', expr: valuesOf(PER_MINUTE), decimals: 0, noValue: '–' },
    { title: 'Now, share', expr: valuesOf(SHARES), unit: 'percentunit', decimals: 1, noValue: '–' },
    { title: 'Data age', expr: valuesOf(AGES), unit: 's', decimals: 0, noValue: '–' },
  ],
  widths: { Alert: 230 },
  sortedBy: 'Severity',
  order: 'ascending',
  noValue: 'none',
});

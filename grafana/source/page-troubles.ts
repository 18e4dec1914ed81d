import { firingAlerts } from './annotations.ts';
import { accountsWith, type Trouble } from './data-troubles.ts';

const ATTACK = 'EdgeWaf(Spike|BlockedSpike|FamilyAttack)';

const PAGING = {
  errors: 'Edge5xxRatio',
  drop: 'EdgeTrafficDrop',
  unprotected: 'EdgeWafOff|EdgeFirewallDisabled',
  certificate: 'EdgeCertificateExpiring',
  token: 'EdgeTokenExpiring',
  unseen: 'EdgeDataStale',
  exporter: 'EdgeExporterDown',
} as const;

const TOLD_IN_WORDS = [ATTACK, ...Object.values(PAGING)].join('|');

function pages(...matchers: string[]): string {
  return firingAlerts('severity="page"', ...matchers);
}

function paging(alerts: keyof typeof PAGING, ...matchers: string[]): string {
  return pages(`alertname=~"${PAGING[alerts]}"`, ...matchers);
}

function ofExporter(firing: string): string {
  return `label_replace(${firing}, "account", "all of $1", "instance", "(.+)")`;
}

const OTHERS = {
  says: 'another page fires: $1',
  next: 'See the alert on the Overview under “What fires now”, and its runbook',
  act: 'now',
} as const;

/** Troubles whose alerts have the severity `page`. */
export const PAGES: readonly Trouble[] = [
  {
    while: firingAlerts(`alertname=~"${ATTACK}"`),
    says: 'is under attack: the WAF sees far more threats than usual',
    next: 'See the site on the Security dashboard under “Under attack now”, and under “Let through” whether the WAF stops it',
    act: 'now',
  },
  {
    while: paging('errors'),
    says: 'visitors get errors: too many responses are 5xx',
    next: 'See the site on the Overview under “What fires now”. For 502 to 504 relieve the origin; for 500 roll back the application',
    act: 'now',
  },
  {
    while: paging('drop'),
    says: 'a site is dead: visitors do not arrive',
    next: 'See the site on the Overview under “What fires now”. Undo the last change of DNS, certificate or domain',
    act: 'now',
  },
  {
    while: paging('unprotected'),
    says: 'sites are unprotected: a WAF or a firewall was switched off',
    next: 'Find it on the Security dashboard under “WAF rule sets” or “Firewalls”. Switch it on again',
    act: 'now',
  },
  {
    while: paging('certificate'),
    says: 'a certificate has expired or expires soon: browsers warn visitors',
    next: 'See its name in the alert. Renew it, and bind the new one to its domains',
    act: 'now',
  },
  {
    // A refused token is a trouble of its own.
    while: `${paging('token')} unless on (account) ${accountsWith('unauthorized')}`,
    says: 'the token expires soon: then there is no new data',
    next: 'Renew the credentials. The exporter reads a token file again by itself',
    act: 'now',
  },
  {
    // The exporter names the cause if it knows one.
    while: `${paging('unseen')} unless on (account) ${accountsWith('.+')}`,
    says: 'there is no traffic data: an attack would not be seen',
    next: 'See the reason on the status page. Until there is data again, use the platform’s own console',
    act: 'now',
  },
  {
    // Without the label `instance` no exporter exists, which is a trouble of its own.
    while: ofExporter(paging('exporter', 'instance!=""')),
    says: 'the exporter is down: nothing that it polls is seen',
    next: 'Start it. See the reason on Prometheus’ page of targets, and in the log. Counters continue where they were',
    act: 'now',
  },
  { while: pages(`alertname!~"${TOLD_IN_WORDS}"`, 'account!=""'), ...OTHERS },
  { while: ofExporter(pages(`alertname!~"${TOLD_IN_WORDS}"`, 'account=""')), ...OTHERS },
];

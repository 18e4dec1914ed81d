import { firingAlerts } from './annotations.ts';
import { accountsWith, type Trouble } from './data-troubles.ts';

/** Told whether they page or are tickets. */
const ATTACK = 'EdgeWaf(Spike|BlockedSpike|FamilyAttack)';

/** What else pages as the rules are shipped, with words of its own. */
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

/** Alerts of an exporter have no account: those of all accounts that it polls are meant. */
function ofExporter(firing: string): string {
  return `label_replace(${firing}, "account", "all of $1", "instance", "(.+)")`;
}

const OTHERS = {
  says: 'another page fires: $1',
  next: 'The runbook says what it means and what to do. The Overview has it under “What fires now”',
  act: 'now',
} as const;

/** Everything that wakes somebody. */
export const PAGES: readonly Trouble[] = [
  {
    while: firingAlerts(`alertname=~"${ATTACK}"`),
    says: 'is under attack: the WAF sees far more threats than usual',
    next: 'Security dashboard: “Under attack now” names the site, “Let through” whether the WAF stops it',
    act: 'now',
  },
  {
    while: paging('errors'),
    says: 'visitors get errors: too many responses are 5xx',
    next: 'Overview: “What fires now” names the site. 502 to 504: relieve the origin; 500: roll back the application',
    act: 'now',
  },
  {
    while: paging('drop'),
    says: 'a site is dead: visitors do not arrive',
    next: 'Overview: “What fires now” names the site. Undo what was changed last: DNS, certificate, domain',
    act: 'now',
  },
  {
    while: paging('unprotected'),
    says: 'sites are unprotected: a WAF or a firewall was switched off',
    next: 'Security dashboard: “WAF rule sets” and “Firewalls” name it. Switch it on again',
    act: 'now',
  },
  {
    while: paging('certificate'),
    says: 'a certificate has expired or is about to: visitors are warned',
    next: 'The alert names it: renew it, and bind the new one to its domains',
    act: 'now',
  },
  {
    // A token that is refused is told as that.
    while: `${paging('token')} unless on (account) ${accountsWith('unauthorized')}`,
    says: 'the token is about to expire: then there is no new data',
    next: 'Renew the credentials: a token file is read again by itself',
    act: 'now',
  },
  {
    // The cause is told as that, where the exporter names one.
    while: `${paging('unseen')} unless on (account) ${accountsWith('.+')}`,
    says: 'there is no traffic data: an attack would not be seen',
    next: 'The exporter’s status page says why; until there is data again, watch the platform’s own console',
    act: 'now',
  },
  {
    // Without an instance there is no exporter at all, which is told as that.
    while: ofExporter(paging('exporter', 'instance!=""')),
    says: 'the exporter is down: nothing that it polls is seen',
    next: 'Start it; Prometheus’ page of targets and its log say why. Counters go on where they were',
    act: 'now',
  },
  { while: pages(`alertname!~"${TOLD_IN_WORDS}"`, 'account!=""'), ...OTHERS },
  { while: ofExporter(pages(`alertname!~"${TOLD_IN_WORDS}"`, 'account=""')), ...OTHERS },
];

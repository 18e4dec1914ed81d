import type { AlertCase, Given } from './alert-case.ts';

const RULESET = 'account="production", waf_ruleset_id="7", waf_ruleset="strict"';
const FIREWALL = 'account="production", firewall_id="8", firewall="public"';
const CERTIFICATE =
  'edge_certificate_expiry_timestamp_seconds{account="production", certificate_id="9", certificate="*.example.com"}';
const ERROR_PAGE =
  'edge_error_response_cache_seconds{account="production", product="edge_applications", configuration_id="1", configuration="shop", code="503"}';
const CHANGED =
  'edge_waf_ruleset_changed_timestamp_seconds{account="production", waf_ruleset_id="7", waf_ruleset="strict"}';

const BLOCKING = `edge_waf_ruleset_info{${RULESET}, mode="blocking"}`;
const COUNTING = `edge_waf_ruleset_info{${RULESET}, mode="counting"}`;

function expiring(days: number): Given {
  return { [CERTIFICATE]: (minute) => minute * 60 + days * 86_400 };
}

function switchedOff(alert: string, series: string, which = ''): AlertCase {
  const normal = { [series]: 1 };
  return { alert, which, normal, bad: { [series]: 0 }, mild: normal, lasts: 20, resolves: 10 };
}

/** Cases of all alerts about settings. */
export const SETTINGS_CASES: readonly AlertCase[] = [
  {
    alert: 'EdgeWafCounting',
    normal: { [BLOCKING]: 1, [COUNTING]: 'absent' },
    bad: { [BLOCKING]: 'absent', [COUNTING]: 1 },
    mild: { [BLOCKING]: 1 },
    lasts: 20,
    resolves: 10,
  },
  switchedOff('EdgeWafOff', `edge_waf_ruleset_active{${RULESET}}`, 'scope="ruleset"'),
  switchedOff('EdgeWafOff', `edge_firewall_waf_enabled{${FIREWALL}}`, 'scope="firewall"'),
  switchedOff('EdgeFirewallDisabled', `edge_firewall_active{${FIREWALL}}`),
  {
    alert: 'EdgeErrorPageCachedTooLong',
    normal: { [ERROR_PAGE]: 1 },
    bad: { [ERROR_PAGE]: 3_600 },
    mild: { [ERROR_PAGE]: 300 },
    lasts: 45,
    resolves: 5,
  },
  {
    alert: 'EdgeCertificateExpiring',
    which: 'severity="ticket"',
    normal: expiring(60),
    bad: expiring(10),
    mild: expiring(22),
    lasts: 45,
    resolves: 5,
  },
  {
    alert: 'EdgeCertificateExpiring',
    which: 'severity="page"',
    normal: expiring(60),
    bad: expiring(-1),
    mild: expiring(4),
    lasts: 45,
    resolves: 5,
  },
  {
    alert: 'EdgeSettingChanged',
    which: 'severity="info", kind="waf_ruleset"',
    normal: { [CHANGED]: 60 },
    bad: { [CHANGED]: 150 * 60 },
    mild: { [CHANGED]: 60 },
    lasts: 10,
    resolves: 10,
  },
];

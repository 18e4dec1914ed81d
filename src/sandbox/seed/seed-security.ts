import type { Account } from '../account/platform-account.ts';
import { WAF_FAMILIES, type WafRuleset } from '../account/security.ts';
import { SYSTEM_LISTS } from './generated.ts';

const EDITED = { last_editor: 'operator@example.com', last_modified: '2026-02-12T14:07:26.871995Z' };
const PROVIDED = { last_editor: 'products@example.net', last_modified: '2019-12-11T18:15:29.073687Z' };

/** Certificates, firewalls, rule sets and lists: each kind with one in use and one that is not. */
export function addSecurity(account: Account): void {
  addCertificates(account);
  addFirewalls(account);
  addFirewallRulesets(account);
  addWafRulesets(account);
  addNetworkLists(account);
}

function addCertificates(account: Account): void {
  const pem = (kind: string) => `-----BEGIN ${kind}-----\nc2FuZGJveA==\n-----END ${kind}-----`;
  const [used] = [
    ['*.shop.example.com', Date.UTC(2028, 2, 24, 20, 9)],
    ['Self-signed Certificate', null],
  ].map(([name, until]) =>
    account.certificates.put({
      id: account.certificates.nextId(),
      name: String(name),
      certificate: pem('CERTIFICATE'),
      private_key: pem('RSA PRIVATE KEY'),
      valid_until: until === null ? null : Number(until),
    }),
  );
  const [domain] = account.domains;
  if (domain && used) domain.digital_certificate_id = used.id;
}

function addFirewalls(account: Account): void {
  const domains = [...account.domains].map(({ id }) => id);
  const firewalls = [
    { name: 'Public sites', domains: domains.slice(0, 2), waf_enabled: true, edge_functions_enabled: false },
    { name: 'Prepared', domains: [], waf_enabled: false, edge_functions_enabled: true },
  ];
  for (const firewall of firewalls) {
    const id = account.firewalls.nextId();
    account.firewalls.put({ id, is_active: true, network_protection_enabled: true, ...EDITED, ...firewall });
  }
}

function addFirewallRulesets(account: Account): void {
  const [application] = account.applications;
  const common = {
    allow_blank_referer: false,
    ip_blocking_rule: 'allow_from_all',
    ip_blocking_addresses: ['192.0.2.0/24'],
    is_active: true,
  };
  account.firewallRulesets.put({
    id: account.firewallRulesets.nextId(),
    name: 'Bloqueio de Países',
    block_access_by_referer: false,
    accepted_domains: [],
    geo_block: 'blacklist',
    geo_countries: ['CHN', 'PRK', 'RUS'],
    require_secure_token: false,
    secret: null,
    used_by: application === undefined ? [] : [application.id],
    ...common,
  });
  account.firewallRulesets.put({
    id: account.firewallRulesets.nextId(),
    name: 'Signed downloads',
    block_access_by_referer: true,
    accepted_domains: [{ url: '*.example.com' }],
    geo_block: 'disabled',
    geo_countries: [],
    require_secure_token: true,
    secret: 'download-signing-secret',
    used_by: [],
    ...common,
  });
}

function addWafRulesets(account: Account): void {
  const families = {
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [family, true])),
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [`${family}_sensitivity`, 'medium'])),
  } as Omit<WafRuleset, 'id' | 'name' | 'mode' | 'active'>;
  const nextId = () => account.wafRulesets.nextId();
  const whitelist = 'BasicRule wl:1 "mz:$ARGS_VAR:q|$URL:/search";';
  account.wafRulesets.put({
    id: nextId(),
    name: 'WAF of the shop',
    mode: 'blocking',
    active: true,
    ...families,
    whitelist,
  });
  account.wafRulesets.put({
    id: nextId(),
    name: 'WAF on trial',
    mode: 'counting',
    active: true,
    ...families,
    file_upload: false,
    evading_tricks_sensitivity: 'low',
  });
}

function addNetworkLists(account: Account): void {
  const lists = [
    [SYSTEM_LISTS.anonymizers, 'Anonymizing network exit nodes', 'ip_cidr', ['198.51.100.7', '203.0.113.9']],
    [
      SYSTEM_LISTS.originShield,
      'Origin shield',
      'ip_cidr',
      ['192.0.2.0/25', '198.51.100.0/25', '2001:db8::/48'],
    ],
    [undefined, 'Offices', 'ip_cidr', ['203.0.113.0/28', '203.0.113.32/28']],
    [undefined, 'Scrapers', 'asn', [64496, 64511]],
    [undefined, 'Where we do not sell', 'countries', ['AQ', 'BV']],
  ] as const;
  for (const [given, name, list_type, items] of lists) {
    const author = given === undefined ? EDITED : PROVIDED;
    const id = given ?? account.networkLists.nextId();
    account.networkLists.put({ id, name, list_type, items_values: [...items], ...author });
  }
}

import { z } from 'zod';
import {
  type Account,
  applicationBody,
  domainBody,
  emptyAccount,
  firewallBody,
  firewallRulesetBody,
  type Origin,
  WAF_FAMILIES,
  type WafRuleset,
} from './account/platform-account.ts';
import { fraction, hexDigits, keyOf } from './hash.ts';

const size = z.int().min(0).max(100_000);

/** How large the account is. */
export const sizeSchema = z.object({
  /** Edge applications, which are the configurations of content delivery. */
  configurations: size.default(3),
  domainsPerConfiguration: size.default(2),
  /** Edge applications besides, each without any domain, as every new one is. */
  configurationsWithoutDomains: size.default(0),
  functions: size.default(3),
  zones: size.default(2),
  recordsPerZone: size.default(6),
});

export type AccountSize = z.output<typeof sizeSchema>;

/** The hostname that the platform generates for a domain. */
export function platformHostname(seed: number, domain: number): string {
  return `${hexDigits(keyOf(seed, `domain ${domain}`), 7)}.map.edge.example.net`;
}

/** The origin that an application has from the start. */
export function firstOrigin(seed: number, application: number, origin_type: string): Origin {
  const digits = hexDigits(keyOf(seed, `origin ${application}`), 32);
  const origin_id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { name: 'Default Origin', origin_type, origin_id };
}

/** What the platform sets for a new zone; the times are in seconds. */
export const ZONE_DEFAULTS = {
  nameservers: ['ns1.edge.example.net', 'ns2.edge.example.net', 'ns3.edge.example.net'],
  expiry: 1_209_600,
  nx_ttl: 3600,
  refresh: 43_200,
  retry: 7200,
  soa_ttl: 3600,
};

/** Lists that the platform provides: origin shield addresses, and exit nodes of anonymizing networks. */
export const SYSTEM_LISTS = { originShield: 187, anonymizers: 2 } as const;

const EDITED = { last_editor: 'operator@example.com', last_modified: '2026-02-12T14:07:26.871995Z' };
const PROVIDED = { last_editor: 'products@example.net', last_modified: '2019-12-11T18:15:29.073687Z' };

function addCertificates(account: Account): void {
  const pem = (kind: string) => `-----BEGIN ${kind}-----\nc2FuZGJveA==\n-----END ${kind}-----`;
  const [used] = [
    ['*.shop.example.com', Date.UTC(2028, 2, 24, 20, 9)],
    ['Self-signed Certificate', null],
  ].map(([name, until]) =>
    account.certificates.add({
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
  const add = (fields: z.input<typeof firewallBody>) =>
    account.firewalls.add({
      ...firewallBody.parse({ network_protection_enabled: true, ...fields }),
      ...EDITED,
    });
  const domains = [...account.domains].slice(0, 2).map(({ id }) => id);
  add({ name: 'Public sites', domains, waf_enabled: true });
  add({ name: 'Prepared', edge_functions_enabled: true });
}

function addFirewallRulesets(account: Account): void {
  const add = (used_by: number[], fields: z.input<typeof firewallRulesetBody>) =>
    account.firewallRulesets.add({
      ...firewallRulesetBody.parse({ ip_blocking_addresses: ['192.0.2.0/24'], ...fields }),
      used_by,
    });
  const used = [...account.applications].slice(0, 1).map(({ id }) => id);
  add(used, { name: 'Bloqueio de Países', geo_block: 'blacklist', geo_countries: ['CHN', 'PRK', 'RUS'] });
  add([], {
    name: 'Signed downloads',
    block_access_by_referer: true,
    accepted_domains: [{ url: '*.example.com' }],
    require_secure_token: true,
    secret: 'download-signing-secret',
  });
}

function addWafRulesets(account: Account): void {
  const families = {
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [family, true])),
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [`${family}_sensitivity`, 'medium'])),
  } as Omit<WafRuleset, 'id' | 'name' | 'mode' | 'active'>;
  const whitelist = 'BasicRule wl:1 "mz:$ARGS_VAR:q|$URL:/search";';
  account.wafRulesets.add({
    name: 'WAF of the shop',
    mode: 'blocking',
    active: true,
    ...families,
    whitelist,
  });
  account.wafRulesets.add({
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

/** Configurations of products that have no resource of their own. */
function addOthers(account: Account): void {
  const others = [
    ['streams', 'access-log-to-storage'],
    ['streams', 'waf-events-to-siem'],
    ['buckets', 'video-archive'],
    ['channels', 'live-news'],
    ['channels', 'live-sports'],
  ] as const;
  for (const [kind, name] of others) account.otherConfigurations.add({ kind, name, active: true });
}

/** Each function runs at another domain while there are enough of them. */
function addFunctions(account: Account, count: number): void {
  const domains = [...account.domains];
  for (let index = 0; index < count; index++) {
    const domain = domains[index * 2];
    account.functions.add({
      name: `${domain?.name ?? `spare-${index + 1}`}-headers`,
      language: 'javascript',
      code: 'addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));',
      json_args: { signing_key: hexDigits(keyOf(index, 'json_args'), 16) },
      function_to_run: '',
      initiator_type: 'edge_application',
      active: true,
      last_editor: 'operator@example.com',
      modified: '2025-12-27T19:44:04.427738Z',
      domains: domain === undefined ? [] : [domain.id],
    });
  }
}

function addZone(account: Account, index: number, records: number): void {
  const domain = index === 0 ? 'example.com' : `zone-${index + 1}.example.org`;
  const { id } = account.zones.add({
    name: `Zone of ${domain}`,
    domain,
    is_active: true,
    ...ZONE_DEFAULTS,
  });
  for (let record = 0; record < records; record++) {
    const apex = record === 0;
    account.records.add({
      zone_id: id,
      record_type: apex ? 'ANAME' : 'CNAME',
      entry: apex ? '@' : `host-${record}`,
      answers_list: [`${hexDigits(keyOf(id, `record ${record}`), 7)}.map.edge.example.net`],
      ttl: apex ? 20 : 3600,
    });
  }
}

/** One that serves a hostname, one without any, and one that is staged. */
function addWorkloads(account: Account): void {
  const [application] = account.applications;
  const workloads = [
    ['shop-front', ['front.shop.example.com'], 'production'],
    ['landing-page', [], 'production'],
    ['shop-front-next', [], 'staging'],
  ] as const;
  for (const [name, domains, infrastructure] of workloads) {
    const id = account.workloads.nextId();
    account.workloads.put({
      id,
      name,
      domains: [...domains],
      workload_domain: `${id}.map.edge.example.net`,
      workload_domain_allow_access: true,
      infrastructure,
      application_id: application?.id ?? null,
      before: null,
      changed_at: 0,
    });
  }
}

const SITES = ['shop', 'news', 'video', 'api', 'static', 'login', 'blog', 'images', 'search', 'docs'];

/** A realistic account, the same for the same seed and size. @param changed called after each later change */
export function seedAccount(seed: number, size: AccountSize, changed: () => void): Account {
  let seeding = true;
  const account = emptyAccount(() => {
    if (!seeding) changed();
  });
  const sites = size.configurations + size.configurationsWithoutDomains;
  for (let site = 0; site < sites; site++) {
    addSite(account, seed, site, site < size.configurations ? size.domainsPerConfiguration : 0);
  }
  addFunctions(account, size.functions);
  for (let zone = 0; zone < size.zones; zone++) addZone(account, zone, size.recordsPerZone);
  addWorkloads(account);
  addOthers(account);
  addCertificates(account);
  addFirewalls(account);
  addFirewallRulesets(account);
  addWafRulesets(account);
  addNetworkLists(account);
  seeding = false;
  return account;
}

/** An application with its domains. Its name is recognised on every page and chart. */
function addSite(account: Account, seed: number, site: number, domains: number): void {
  const round = Math.floor(site / SITES.length);
  const name = `${SITES[site % SITES.length]}${round === 0 ? '' : `-${round + 1}`}`;
  const key = keyOf(seed, `application ${site}`);
  const application = account.applications.nextId();
  account.applications.put({
    id: application,
    ...applicationBody.parse({
      name,
      delivery_protocol: fraction(key, 1) < 0.8 ? 'http,https' : 'http',
      application_acceleration: fraction(key, 2) < 0.5,
      device_detection: fraction(key, 3) < 0.2,
      edge_functions: site % 2 === 0,
      image_optimization: site % 3 !== 1,
      load_balancer: site % 2 === 0,
    }),
    origins: [firstOrigin(seed, application, 'single_origin')],
  });
  for (let domain = 1; domain <= domains; domain++) {
    const id = account.domains.nextId();
    account.domains.put({
      id,
      ...domainBody.parse({
        name: domain === 1 ? name : `${name}-${domain}`,
        cnames: [`www${domain === 1 ? '' : domain}.${name}.example.com`],
        cname_access_only: domain > 1,
        edge_application_id: application,
      }),
      domain_name: platformHostname(seed, id),
    });
  }
}

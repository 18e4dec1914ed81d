import { z } from 'zod';
import {
  applicationBody,
  type Domain,
  domainBody,
  firewallBody,
  firewallRulesetBody,
  type Origin,
  WAF_FAMILIES,
  ZONE_DEFAULTS,
} from './account/items.ts';
import { type Account, emptyAccount } from './account/platform-account.ts';
import { fraction, hexDigits, keyOf } from './hash.ts';

const size = z.int().min(0).max(100_000);

/** Schema of the size of an account. */
export const sizeSchema = z.object({
  /** Number of edge applications, which are the configurations of content delivery. */
  configurations: size.default(3),
  domainsPerConfiguration: size.default(2),
  /** Number of additional edge applications without a domain, as new ones are. */
  configurationsWithoutDomains: size.default(0),
  functions: size.default(3),
  zones: size.default(2),
  recordsPerZone: size.default(6),
});

export type AccountSize = z.output<typeof sizeSchema>;

/** Returns the hostname that the platform generates for a domain. */
export function platformHostname(seed: number, domain: number): string {
  return `${hexDigits(keyOf(seed, `domain ${domain}`), 7)}.map.edge.example.net`;
}

/** Returns the origins that an application has from the start. */
export function originsOf(seed: number, application: number, origin_type = 'single_origin'): Origin[] {
  const digits = hexDigits(keyOf(seed, `origin ${application}`), 32);
  const origin_id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return [{ name: 'Default Origin', origin_type, origin_id }];
}

/** Ids of lists that the platform provides: origin shield addresses, and exit nodes of anonymizing networks. */
export const SYSTEM_LISTS = { originShield: 187, anonymizers: 2 } as const;

const EDITED = { last_editor: 'operator@example.com', last_modified: '2026-02-12T14:07:26.871995Z' };
const PROVIDED = { last_editor: 'products@example.net', last_modified: '2019-12-11T18:15:29.073687Z' };

/** Lists by id, with the type of their items. */
const LISTS = [
  [2, 'Anonymizing network exit nodes', 'ip_cidr', ['198.51.100.7', '203.0.113.9']],
  [187, 'Origin shield', 'ip_cidr', ['192.0.2.0/25', '198.51.100.0/25', '2001:db8::/48']],
  [1009, 'Offices', 'ip_cidr', ['203.0.113.0/28', '203.0.113.32/28']],
  [1010, 'Scrapers', 'asn', [64496, 64511]],
  [1011, 'Where we do not sell', 'countries', ['AQ', 'BV']],
] as const;

/** Configurations of products without a resource in the API. */
const OTHERS = [
  ['streams', 'access-log-to-storage'],
  ['streams', 'waf-events-to-siem'],
  ['buckets', 'video-archive'],
  ['channels', 'live-news'],
  ['channels', 'live-sports'],
] as const;

/** Workloads: one that serves a hostname, one without any, and one that is staged. */
const WORKLOADS = [
  ['shop-front', ['front.shop.example.com'], 'production'],
  ['landing-page', [], 'production'],
  ['shop-front-next', [], 'staging'],
] as const;

const SITES = ['shop', 'news', 'video', 'api', 'static', 'login', 'blog', 'images', 'search', 'docs'];

/** Returns a realistic account, the same for the same seed and size. @param changed called after each later change */
export function seedAccount(seed: number, size: AccountSize, changed: () => void): Account {
  let seeding = true;
  const account = emptyAccount(() => {
    if (!seeding) changed();
  });
  const sites = size.configurations + size.configurationsWithoutDomains;
  for (let site = 0; site < sites; site++)
    addSite(account, seed, site, site < size.configurations ? size.domainsPerConfiguration : 0);
  const domains = [...account.domains];
  for (let index = 0; index < size.functions; index++) addFunction(account, index, domains[index * 2]);
  for (let zone = 0; zone < size.zones; zone++) addZone(account, zone, size.recordsPerZone);
  addProtection(account);
  const application_id = [...account.applications][0]?.id ?? null;
  for (const [name, domains, infrastructure] of WORKLOADS) {
    const id = account.workloads.nextId();
    const address = { workload_domain: `${id}.map.edge.example.net`, workload_domain_allow_access: true };
    const deployed = { infrastructure, application_id, before: null, changed_at: 0 };
    account.workloads.put({ id, name, domains: [...domains], ...address, ...deployed });
  }
  for (const [kind, name] of OTHERS) account.otherConfigurations.add({ kind, name, active: true });
  for (const [id, name, list_type, items] of LISTS) {
    const author = Object.values<number>(SYSTEM_LISTS).includes(id) ? PROVIDED : EDITED;
    account.networkLists.put({ id, name, list_type, items_values: [...items], ...author });
  }
  seeding = false;
  return account;
}

/** Adds an application with its domains. */
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
    origins: originsOf(seed, application),
  });
  for (let domain = 1; domain <= domains; domain++) {
    const id = account.domains.nextId();
    const fields = domainBody.parse({
      name: domain === 1 ? name : `${name}-${domain}`,
      cnames: [`www${domain === 1 ? '' : domain}.${name}.example.com`],
      cname_access_only: domain > 1,
      edge_application_id: application,
    });
    account.domains.put({ id, ...fields, domain_name: platformHostname(seed, id) });
  }
}

/** Adds a function. Each function runs at another domain, as far as there are enough. */
function addFunction(account: Account, index: number, domain: Domain | undefined): void {
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

function addZone(account: Account, index: number, records: number): void {
  const domain = index === 0 ? 'example.com' : `zone-${index + 1}.example.org`;
  const { id } = account.zones.add({ name: `Zone of ${domain}`, domain, is_active: true, ...ZONE_DEFAULTS });
  for (let record = 0; record < records; record++) {
    const isApex = record === 0;
    account.records.add({
      zone_id: id,
      record_type: isApex ? 'ANAME' : 'CNAME',
      entry: isApex ? '@' : `host-${record}`,
      answers_list: [`${hexDigits(keyOf(id, `record ${record}`), 7)}.map.edge.example.net`],
      ttl: isApex ? 20 : 3600,
    });
  }
}

/** Adds certificates, firewalls and rule sets. */
function addProtection(account: Account): void {
  const { certificates, domains, firewalls, firewallRulesets, wafRulesets } = account;
  const pem = (kind: string) => `-----BEGIN ${kind}-----\nc2FuZGJveA==\n-----END ${kind}-----`;
  const pair = { certificate: pem('CERTIFICATE'), private_key: pem('RSA PRIVATE KEY') };
  const until = Date.UTC(2028, 2, 24, 20, 9);
  const used = certificates.add({ name: '*.shop.example.com', ...pair, valid_until: until });
  certificates.add({ name: 'Self-signed Certificate', ...pair, valid_until: null });
  const [domain] = domains;
  if (domain) domain.digital_certificate_id = used.id;

  const first = [...domains].slice(0, 2).map(({ id }) => id);
  for (const fields of [
    { name: 'Public sites', domains: first, waf_enabled: true },
    { name: 'Prepared', edge_functions_enabled: true },
  ])
    firewalls.add({ ...firewallBody.parse({ network_protection_enabled: true, ...fields }), ...EDITED });

  const ruleset = (fields: z.input<typeof firewallRulesetBody>) =>
    firewallRulesetBody.parse({ ip_blocking_addresses: ['192.0.2.0/24'], ...fields });
  firewallRulesets.add({
    ...ruleset({ name: 'Bloqueio de Países', geo_block: 'blacklist', geo_countries: ['CHN', 'PRK', 'RUS'] }),
    used_by: [...account.applications].slice(0, 1).map(({ id }) => id),
  });
  firewallRulesets.add({
    ...ruleset({
      name: 'Signed downloads',
      block_access_by_referer: true,
      accepted_domains: [{ url: '*.example.com' }],
      require_secure_token: true,
      secret: 'download-signing-secret',
    }),
    used_by: [],
  });

  const families = {
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [family, true])),
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [`${family}_sensitivity`, 'medium'])),
  };
  const whitelist = 'BasicRule wl:1 "mz:$ARGS_VAR:q|$URL:/search";';
  const onTrial = { file_upload: false, evading_tricks_sensitivity: 'low' };
  wafRulesets.add({ name: 'WAF of the shop', mode: 'blocking', active: true, ...families, whitelist });
  wafRulesets.add({ name: 'WAF on trial', mode: 'counting', active: true, ...families, ...onTrial });
}

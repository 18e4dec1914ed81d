import { type Account, emptyAccount } from './account.ts';
import type { Application } from './estate.ts';
import { fraction, hexDigits, keyOf } from './hash.ts';
import { platformHostname } from './resources/domains.ts';

/** How large the account is. */
export interface AccountSize {
  /** Edge applications, which are the configurations of content delivery. */
  readonly configurations: number;
  readonly domainsPerConfiguration: number;
  readonly functions: number;
  readonly zones: number;
  readonly recordsPerZone: number;
}

export const DEFAULT_SIZE: AccountSize = {
  configurations: 3,
  domainsPerConfiguration: 2,
  functions: 3,
  zones: 2,
  recordsPerZone: 6,
};

const SITES = [
  'shop',
  'news',
  'video',
  'api',
  'static',
  'login',
  'blog',
  'images',
  'search',
  'docs',
] as const;

/** What the account is about: names that can be told apart. */
function siteName(index: number): string {
  const name = SITES[index % SITES.length] ?? 'site';
  const round = Math.floor(index / SITES.length);
  return round === 0 ? name : `${name}-${round + 1}`;
}

/** A believable account: the same for the same seed and size. @param changed called after each later change */
export function seedAccount(seed: number, size: AccountSize, changed: () => void): Account {
  const state = { seeding: true };
  const account = emptyAccount(() => {
    if (!state.seeding) changed();
  });
  addApplications(account, seed, size);
  addFunctions(account, size);
  addZones(account, size);
  addOthers(account);
  state.seeding = false;
  return account;
}

function addApplications(account: Account, seed: number, size: AccountSize): void {
  for (let index = 0; index < size.configurations; index++) {
    const application = account.applications.put(newApplication(account, seed, index));
    for (let domain = 0; domain < size.domainsPerConfiguration; domain++) {
      const id = account.domains.nextId();
      const name = `${siteName(index)}${domain === 0 ? '' : `-${domain + 1}`}`;
      account.domains.put({
        id,
        name,
        cnames: [`${domain === 0 ? 'www' : `www${domain + 1}`}.${siteName(index)}.example.com`],
        cname_access_only: domain > 0,
        digital_certificate_id: null,
        edge_application_id: application.id,
        is_active: true,
        domain_name: platformHostname(seed, id),
      });
    }
  }
}

function newApplication(account: Account, seed: number, index: number): Application {
  const key = keyOf(seed, `application ${index}`);
  const digits = hexDigits(key, 32);
  const origin_id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return {
    id: account.applications.nextId(),
    name: siteName(index),
    delivery_protocol: fraction(key, 1) < 0.8 ? 'http,https' : 'http',
    active: true,
    application_acceleration: fraction(key, 2) < 0.5,
    caching: true,
    device_detection: fraction(key, 3) < 0.2,
    edge_functions: index % 2 === 0,
    image_optimization: index % 3 !== 1,
    load_balancer: index % 2 === 0,
    origins: [{ name: 'Default Origin', origin_type: 'single_origin', origin_id }],
  };
}

function addFunctions(account: Account, size: AccountSize): void {
  const domains = [...account.domains].map(({ id }) => id);
  for (let index = 0; index < size.functions; index++) {
    const domain = domains[index * 2];
    account.functions.put({
      id: account.functions.nextId(),
      name: `${siteName(index)}-headers`,
      language: 'javascript',
      code: 'addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));',
      json_args: { key: hexDigits(keyOf(index, 'json_args'), 16) },
      function_to_run: '',
      initiator_type: 'edge_application',
      active: true,
      last_editor: 'operator@example.com',
      modified: '2025-12-27T19:44:04.427738Z',
      domains: domain === undefined ? [] : [domain],
    });
  }
}

function addZones(account: Account, size: AccountSize): void {
  for (let index = 0; index < size.zones; index++) {
    const id = account.zones.nextId();
    const domain = index === 0 ? 'example.com' : `zone-${index + 1}.example.org`;
    account.zones.put({
      id,
      name: `Zone of ${domain}`,
      domain,
      is_active: true,
      nameservers: ['ns1.edge.example.net', 'ns2.edge.example.net', 'ns3.edge.example.net'],
      expiry: 1_209_600,
      nx_ttl: 3600,
      refresh: 43_200,
      retry: 7200,
      soa_ttl: 3600,
    });
    for (let record = 0; record < size.recordsPerZone; record++) {
      const apex = record === 0;
      account.records.put({
        id: account.records.nextId(),
        zone_id: id,
        record_type: apex ? 'ANAME' : 'CNAME',
        entry: apex ? '@' : `host-${record}`,
        answers_list: [`${hexDigits(keyOf(id, `record ${record}`), 7)}.map.edge.example.net`],
        ttl: apex ? 20 : 3600,
      });
    }
  }
}

/** Configurations of the products that have no resource of their own. */
function addOthers(account: Account): void {
  const others = [
    ['streams', 'access-log-to-storage'],
    ['streams', 'waf-events-to-siem'],
    ['channels', 'live-news'],
    ['channels', 'live-sports'],
    ['buckets', 'video-archive'],
  ] as const;
  for (const [kind, name] of others) {
    account.otherConfigurations.put({ id: account.otherConfigurations.nextId(), kind, name, active: true });
  }
}

import { z } from 'zod';

/** What a create or an overwrite of a domain sends; the same of others follows. */
export const domainBody = z.object({
  name: z.string().min(1),
  cnames: z.array(z.string().min(1)).default([]),
  cname_access_only: z.boolean().default(false),
  digital_certificate_id: z.int().nullable().default(null),
  edge_application_id: z.int(),
  is_active: z.boolean().default(true),
});
export type Domain = z.output<typeof domainBody> & { readonly id: number; readonly domain_name: string };

export interface Certificate {
  readonly id: number;
  name: string;
  /** Kept, never answered. */
  certificate: string;
  private_key: string;
  /** The end of its validity, ms since the epoch; not documented, shown only when the platform is set to. */
  valid_until: number | null;
}

export interface Origin {
  readonly name: string;
  readonly origin_type: string;
  readonly origin_id: string;
}

export const applicationBody = z.object({
  name: z.string().min(1),
  delivery_protocol: z.string().min(1).default('http'),
  active: z.boolean().default(true),
  application_acceleration: z.boolean().default(false),
  caching: z.boolean().default(true),
  device_detection: z.boolean().default(false),
  edge_functions: z.boolean().default(false),
  image_optimization: z.boolean().default(false),
  load_balancer: z.boolean().default(false),
});
export type Application = z.output<typeof applicationBody> & { readonly id: number; origins: Origin[] };

export const functionBody = z.object({
  name: z.string().min(1),
  language: z.string().min(1),
  code: z.string().min(1),
  initiator_type: z.string().min(1),
  active: z.boolean(),
  json_args: z.record(z.string(), z.unknown()).default({}),
  function_to_run: z.string().default(''),
});
/** With the domains at which it runs; the API shows only how many. */
export type EdgeFunction = z.output<typeof functionBody> & {
  readonly id: number;
  last_editor: string;
  modified: string;
  domains: number[];
};

/** What the edge serves of a workload. */
export interface WorkloadState {
  readonly domains: readonly string[];
  readonly workload_domain_allow_access: boolean;
}

export interface Workload {
  readonly id: number;
  name: string;
  domains: string[];
  readonly workload_domain: string;
  workload_domain_allow_access: boolean;
  readonly infrastructure: 'production' | 'staging';
  /** The application that its deployment names. */
  application_id: number | null;
  /** What was served before the latest change, and when (ms) that was made. */
  before: WorkloadState | null;
  changed_at: number;
}

const seconds = z.int().min(0);

/** Section 2.13: cache times in seconds, all of which an overwrite sends. */
export const errorResponsesBody = z.object(
  Object.fromEntries([400, 403, 404, 405, 414, 416, 501].map((code) => [`cache_error_${code}`, seconds])),
);
export type ErrorResponses = z.output<typeof errorResponsesBody> & { readonly id: number };

/** What protects content, with the fields of section 2 and no others unless said so. */

/** What the platform notes of a change. */
interface Edited {
  readonly id: number;
  last_editor: string;
  last_modified: string;
}

export const firewallBody = z.object({
  name: z.string().min(1),
  is_active: z.boolean().default(true),
  edge_functions_enabled: z.boolean().default(false),
  network_protection_enabled: z.boolean().default(false),
  waf_enabled: z.boolean().default(false),
  domains: z.array(z.int()).default([]),
});
export type Firewall = z.output<typeof firewallBody> & Edited;

/** Defaults of an overwrite are not documented: these switch everything off. */
export const firewallRulesetBody = z.object({
  name: z.string().min(1),
  block_access_by_referer: z.boolean().default(false),
  allow_blank_referer: z.boolean().default(false),
  accepted_domains: z.array(z.object({ url: z.string().min(1) })).default([]),
  geo_block: z.enum(['whitelist', 'blacklist', 'disabled']).default('disabled'),
  geo_countries: z.array(z.string().regex(/^[A-Z]{3}$/, 'Expected an ISO 3166-1 alpha-3 code.')).default([]),
  ip_blocking_rule: z.enum(['allow_from_all', 'deny_from_all']).default('allow_from_all'),
  ip_blocking_addresses: z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])).default([]),
  require_secure_token: z.boolean().default(false),
  secret: z.string().min(1).nullable().default(null),
  is_active: z.boolean().default(true),
});
export type FirewallRulesetFields = z.output<typeof firewallRulesetBody>;
/** With the edge applications that use it, which are never answered. */
export type FirewallRuleset = FirewallRulesetFields & { readonly id: number; used_by: number[] };

export const WAF_FAMILIES = [
  'sql_injection',
  'remote_file_inclusion',
  'directory_traversal',
  'cross_site_scripting',
  'evading_tricks',
  'file_upload',
  'unwanted_access',
  'identified_attack',
] as const;

export type WafFamily = (typeof WAF_FAMILIES)[number];

export type WafRuleset = {
  readonly id: number;
  name: string;
  mode: string;
  active: boolean;
  whitelist?: string;
} & Record<WafFamily, boolean> &
  Record<`${WafFamily}_sensitivity`, string>;

export const networkListBody = z.object({
  name: z.string().min(1),
  list_type: z.enum(['ip_cidr', 'asn', 'countries']),
  items_values: z.array(z.union([z.string(), z.int()])).default([]),
});
export type NetworkList = z.output<typeof networkListBody> & Edited;

/** DNS, and products without a resource of their own; the fields are those of section 2. */

export const zoneBody = z.object({
  name: z.string().min(1),
  domain: z.string().min(1),
  is_active: z.boolean().default(true),
});
export type Zone = z.output<typeof zoneBody> & {
  readonly id: number;
  readonly nameservers: string[];
  readonly expiry: number;
  readonly nx_ttl: number;
  readonly refresh: number;
  readonly retry: number;
  readonly soa_ttl: number;
};

export const recordBody = z.object({
  record_type: z.string().regex(/^[A-Z]{1,10}$/, 'Expected a type of record.'),
  entry: z.string().min(1),
  answers_list: z.array(z.string().min(1)).min(1),
  ttl: z.int().min(0).default(3600),
});
export type DnsRecord = z.output<typeof recordBody> & { readonly id: number; readonly zone_id: number };

/** A configuration of a product that the API has no resource for, such as a data stream. */
export interface OtherConfiguration {
  readonly id: number;
  readonly kind: 'streams' | 'channels' | 'buckets';
  name: string;
  active: boolean;
}

/** Resources of one kind by id, in the order in which they were created. */
export class Collection<Item extends { readonly id: number }> implements Iterable<Item> {
  readonly #items = new Map<number, Item>();
  readonly #changed: () => void;
  #nextId: number;

  /** @param changed called after every change, with what changed already in place */
  constructor(firstId: number, changed: () => void = () => {}) {
    this.#nextId = firstId;
    this.#changed = changed;
  }

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }

  get(id: number): Item | undefined {
    return this.#items.get(id);
  }

  /** An id that was never used. */
  nextId(): number {
    return this.#nextId++;
  }

  /** Adds the item, or replaces the one with its id. */
  put(item: Item): Item {
    this.#items.set(item.id, item);
    this.#nextId = Math.max(this.#nextId, item.id + 1);
    this.#changed();
    return item;
  }

  /** Puts an item with an id of its own. */
  add(fields: Omit<Item, 'id'>): Item {
    return this.put({ id: this.nextId(), ...fields } as Item);
  }

  /** Changes some fields of an item in place; `undefined` when there is none. */
  update(id: number, fields: Partial<Item>): Item | undefined {
    const item = this.#items.get(id);
    if (item === undefined) return undefined;
    Object.assign(item, fields);
    this.#changed();
    return item;
  }

  remove(id: number): boolean {
    const removed = this.#items.delete(id);
    if (removed) this.#changed();
    return removed;
  }
}

/** Everything the account owns. The API and tests change it through the same collections. */
export interface Account {
  readonly domains: Collection<Domain>;
  readonly certificates: Collection<Certificate>;
  readonly applications: Collection<Application>;
  readonly functions: Collection<EdgeFunction>;
  readonly firewalls: Collection<Firewall>;
  readonly firewallRulesets: Collection<FirewallRuleset>;
  readonly wafRulesets: Collection<WafRuleset>;
  readonly networkLists: Collection<NetworkList>;
  readonly zones: Collection<Zone>;
  readonly records: Collection<DnsRecord>;
  readonly workloads: Collection<Workload>;
  readonly otherConfigurations: Collection<OtherConfiguration>;
  /** By the id of their content delivery configuration; those never set have the defaults. */
  readonly errorResponses: Collection<ErrorResponses>;
}

/**
 * An account without anything; ids start where the platform's own seem to.
 * @param changed called after every change of what traffic depends on
 */
export function emptyAccount(changed: () => void): Account {
  return {
    domains: new Collection<Domain>(1_536_580_016, changed),
    certificates: new Collection<Certificate>(14),
    applications: new Collection<Application>(1_528_990_720, changed),
    functions: new Collection<EdgeFunction>(4184, changed),
    firewalls: new Collection<Firewall>(200),
    firewallRulesets: new Collection<FirewallRuleset>(534),
    wafRulesets: new Collection<WafRuleset>(3),
    networkLists: new Collection<NetworkList>(1009),
    zones: new Collection<Zone>(40_960, changed),
    records: new Collection<DnsRecord>(90_000),
    workloads: new Collection<Workload>(1_720_000_000),
    otherConfigurations: new Collection<OtherConfiguration>(1_610_000_000, changed),
    errorResponses: new Collection<ErrorResponses>(1),
  };
}

/** Removes an edge application with everything associated with it (specification section 3, rule 1). */
export function removeApplication(account: Account, id: number): void {
  for (const domain of [...account.domains]) {
    if (domain.edge_application_id === id) removeDomain(account, domain.id);
  }
  for (const ruleset of account.firewallRulesets) {
    ruleset.used_by = ruleset.used_by.filter((application) => application !== id);
  }
  for (const workload of account.workloads) {
    if (workload.application_id === id) workload.application_id = null;
  }
  account.errorResponses.remove(id);
  account.applications.remove(id);
}

/** Removes a domain, also from the firewalls and functions that name it. */
export function removeDomain(account: Account, id: number): void {
  for (const kind of [account.firewalls, account.functions]) {
    for (const item of kind) item.domains = item.domains.filter((domain) => domain !== id);
  }
  account.domains.remove(id);
}

/** Removes a hosted zone with its records. */
export function removeZone(account: Account, id: number): void {
  for (const record of [...account.records]) {
    if (record.zone_id === id) account.records.remove(record.id);
  }
  account.zones.remove(id);
}

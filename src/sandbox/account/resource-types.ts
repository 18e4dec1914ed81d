import { z } from 'zod';

/** What delivers content, with the fields of section 2 and no others unless said so. */

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
export const errorResponsesBody = z.object({
  cache_error_400: seconds,
  cache_error_403: seconds,
  cache_error_404: seconds,
  cache_error_405: seconds,
  cache_error_414: seconds,
  cache_error_416: seconds,
  cache_error_501: seconds,
});
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

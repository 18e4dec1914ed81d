import { z } from 'zod';

/** Body of a request that creates or overwrites a domain. */
export const domainBody = z.object({
  name: z.string().min(1),
  cnames: z.array(z.string().min(1)).default([]),
  cname_access_only: z.boolean().default(false),
  digital_certificate_id: z.int().nullable().default(null),
  edge_application_id: z.int(),
  is_active: z.boolean().default(true),
});
export type Domain = z.output<typeof domainBody> & { readonly id: number; readonly domain_name: string };

/** Returns the schema of PEM text. Line breaks may be encoded as a backslash and an n. */
function pem(kind: string) {
  const begin = `-----BEGIN ${kind}-----`;
  const end = `-----END ${kind}-----`;
  const framed = (text: string) => {
    const trimmed = text.replaceAll('\\n', '\n').trim();
    return trimmed.startsWith(begin) && trimmed.endsWith(end);
  };
  return z.string().refine(framed, `Expected PEM text from ${begin} to ${end}.`);
}

/** Schema of a certificate and its key, which are stored but never returned. */
export const certificateBody = z.object({
  name: z.string().min(1),
  certificate: pem('CERTIFICATE'),
  private_key: pem('RSA PRIVATE KEY'),
});
export type Certificate = z.output<typeof certificateBody> & {
  readonly id: number;
  /** End of its validity (ms since the epoch). It is not documented, and returned only if a setting enables it. */
  valid_until: number | null;
};

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

/** Schema of a new application. The origin's settings are not stored, except its type. */
export const newApplication = z
  .object({
    name: z.string().min(1),
    delivery_protocol: z.string().min(1).default('http'),
    origin_type: z.string().default('single_origin'),
    address: z.string().optional(),
    origin_protocol_policy: z.string().default('preserve'),
    host_header: z.string().optional(),
    browser_cache_settings: z.string().default('override'),
    browser_cache_settings_maximum_ttl: z.int().min(0).default(0),
    cdn_cache_settings: z.string().default('honor'),
    cdn_cache_settings_maximum_ttl: z.int().min(0).default(0),
  })
  .transform(({ name, delivery_protocol, origin_type }) => ({
    ...applicationBody.parse({ name, delivery_protocol }),
    origins: [{ origin_type, name: '', origin_id: '' }],
  }));
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
/** Edge function with the domains at which it runs; the API returns only their number. */
export type EdgeFunction = z.output<typeof functionBody> & {
  readonly id: number;
  last_editor: string;
  modified: string;
  domains: number[];
};

/** Configuration of a workload that the edge serves. */
export const workloadBody = z.object({
  domains: z.array(z.string().min(1)),
  workload_domain_allow_access: z.boolean(),
});
export type WorkloadState = z.output<typeof workloadBody>;

export type Workload = WorkloadState & {
  readonly id: number;
  name: string;
  readonly workload_domain: string;
  readonly infrastructure: 'production' | 'staging';
  /** Id of the application in the workload's deployment; null without one. */
  application_id: number | null;
  /** State before the latest change, and the time of the change (ms since the epoch). */
  before: WorkloadState | null;
  changed_at: number;
};

const seconds = z.int().min(0);

/** Schema of cache times in seconds (section 2.13). An overwrite sends all of them. */
export const errorResponsesBody = z.object(
  Object.fromEntries([400, 403, 404, 405, 414, 416, 501].map((code) => [`cache_error_${code}`, seconds])),
);
export type ErrorResponses = z.output<typeof errorResponsesBody> & { readonly id: number };

/** Author and time of a change. */
interface Edited {
  readonly id: number;
  last_editor: string;
  last_modified: string;
}

/** Schema of an IP address or a network. */
const address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

export const firewallBody = z.object({
  name: z.string().min(1),
  is_active: z.boolean().default(true),
  edge_functions_enabled: z.boolean().default(false),
  network_protection_enabled: z.boolean().default(false),
  waf_enabled: z.boolean().default(false),
  domains: z.array(z.int()).default([]),
});
export type Firewall = z.output<typeof firewallBody> & Edited;

/** Schema of a firewall rule set. The specification lists no defaults for an overwrite: these disable everything. */
export const firewallRulesetBody = z.object({
  name: z.string().min(1),
  block_access_by_referer: z.boolean().default(false),
  allow_blank_referer: z.boolean().default(false),
  accepted_domains: z.array(z.object({ url: z.string().min(1) })).default([]),
  geo_block: z.enum(['whitelist', 'blacklist', 'disabled']).default('disabled'),
  geo_countries: z.array(z.string().regex(/^[A-Z]{3}$/, 'Expected an ISO 3166-1 alpha-3 code.')).default([]),
  ip_blocking_rule: z.enum(['allow_from_all', 'deny_from_all']).default('allow_from_all'),
  ip_blocking_addresses: z.array(address).default([]),
  require_secure_token: z.boolean().default(false),
  secret: z.string().min(1).nullable().default(null),
  is_active: z.boolean().default(true),
});
/** Rule set with the edge applications that use it, which no response contains. */
export type FirewallRuleset = z.output<typeof firewallRulesetBody> & {
  readonly id: number;
  used_by: number[];
};

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

/** Schema of a WAF rule set. Each family is enabled or not, and has a sensitivity. */
export const wafBody = z.strictObject({
  name: z.string().min(1),
  mode: z.enum(['blocking', 'counting']),
  active: z.boolean(),
  ...Object.fromEntries(WAF_FAMILIES.map((family) => [family, z.boolean()])),
  ...Object.fromEntries(
    WAF_FAMILIES.map((family) => [
      `${family}_sensitivity`,
      z.enum(['lowest', 'low', 'medium', 'high', 'highest']),
    ]),
  ),
  whitelist: z.string().optional(),
});
export type WafRuleset = {
  readonly id: number;
  name: string;
  mode: string;
  active: boolean;
  whitelist?: string | undefined;
} & Record<string, unknown>;

export const networkListBody = z.object({
  name: z.string().min(1),
  list_type: z.enum(['ip_cidr', 'asn', 'countries']),
  items_values: z.array(z.union([z.string(), z.int()])).default([]),
});
/** Schema of an item, by type of list. */
export const LIST_ITEMS = {
  ip_cidr: address,
  asn: z.coerce.number().int().min(0).max(4_294_967_295),
  countries: z.string().regex(/^[A-Z]{2}$/),
} as const;

export type NetworkList = z.output<typeof networkListBody> & Edited;

export const zoneBody = z.object({
  name: z.string().min(1),
  domain: z.string().min(1),
  is_active: z.boolean().default(true),
});
export type Zone = z.output<typeof zoneBody> & typeof ZONE_DEFAULTS & { readonly id: number };

/** Defaults of a new zone; times are in seconds. */
export const ZONE_DEFAULTS = {
  nameservers: ['ns1.edge.example.net', 'ns2.edge.example.net', 'ns3.edge.example.net'],
  expiry: 1_209_600,
  nx_ttl: 3600,
  refresh: 43_200,
  retry: 7200,
  soa_ttl: 3600,
};

export const recordBody = z.object({
  record_type: z.string().regex(/^[A-Z]{1,10}$/, 'Expected a type of record.'),
  entry: z.string().min(1),
  answers_list: z.array(z.string().min(1)).min(1),
  ttl: z.int().min(0).default(3600),
});
export type DnsRecord = z.output<typeof recordBody> & { readonly id: number; readonly zone_id: number };

/** A configuration of a product without a resource in the API, such as a data stream. */
export interface OtherConfiguration {
  readonly id: number;
  readonly kind: 'streams' | 'channels' | 'buckets';
  name: string;
  active: boolean;
}

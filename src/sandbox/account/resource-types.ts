/** What delivers content, with the fields of section 2 and no others unless said so. */

export interface Domain {
  readonly id: number;
  name: string;
  cnames: string[];
  cname_access_only: boolean;
  digital_certificate_id: number | null;
  edge_application_id: number;
  is_active: boolean;
  readonly domain_name: string;
}

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

export interface Application {
  readonly id: number;
  name: string;
  delivery_protocol: string;
  active: boolean;
  application_acceleration: boolean;
  caching: boolean;
  device_detection: boolean;
  edge_functions: boolean;
  image_optimization: boolean;
  load_balancer: boolean;
  origins: Origin[];
}

export interface EdgeFunction {
  readonly id: number;
  name: string;
  language: string;
  code: string;
  json_args: Record<string, unknown>;
  function_to_run: string;
  initiator_type: string;
  active: boolean;
  last_editor: string;
  modified: string;
  /** Domains at which the function runs; the API shows only how many. */
  domains: number[];
}

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

/** Section 2.13: cache times in seconds. */
export const ERROR_RESPONSE_FIELDS = [
  'cache_error_400',
  'cache_error_403',
  'cache_error_404',
  'cache_error_405',
  'cache_error_414',
  'cache_error_416',
  'cache_error_501',
] as const;

export type ErrorResponses = { readonly id: number } & Record<(typeof ERROR_RESPONSE_FIELDS)[number], number>;

/** What protects content, with the fields of section 2 and no others unless said so. */

export interface Firewall {
  readonly id: number;
  name: string;
  last_editor: string;
  last_modified: string;
  is_active: boolean;
  edge_functions_enabled: boolean;
  network_protection_enabled: boolean;
  waf_enabled: boolean;
  domains: number[];
}

export interface FirewallRuleset {
  readonly id: number;
  name: string;
  block_access_by_referer: boolean;
  allow_blank_referer: boolean;
  accepted_domains: { url: string }[];
  geo_block: string;
  geo_countries: string[];
  ip_blocking_rule: string;
  ip_blocking_addresses: string[];
  require_secure_token: boolean;
  secret: string | null;
  is_active: boolean;
  /** Edge applications that use it; never answered. */
  used_by: number[];
}

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

export interface NetworkList {
  readonly id: number;
  name: string;
  list_type: string;
  items_values: (string | number)[];
  last_editor: string;
  last_modified: string;
}

/** DNS, and products without a resource of their own; the fields are those of section 2. */

export interface Zone {
  readonly id: number;
  name: string;
  domain: string;
  is_active: boolean;
  readonly nameservers: string[];
  readonly expiry: number;
  readonly nx_ttl: number;
  readonly refresh: number;
  readonly retry: number;
  readonly soa_ttl: number;
}

export interface DnsRecord {
  readonly id: number;
  readonly zone_id: number;
  record_type: string;
  entry: string;
  answers_list: string[];
  ttl: number;
}

/** A configuration of a product that the API has no resource for, such as a data stream. */
export interface OtherConfiguration {
  readonly id: number;
  readonly kind: 'streams' | 'channels' | 'buckets';
  name: string;
  active: boolean;
}

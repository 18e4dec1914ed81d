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

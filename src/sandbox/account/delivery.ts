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

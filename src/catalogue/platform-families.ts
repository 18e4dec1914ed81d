import type { Family } from './family.ts';

function gauge(name: string, help: string): Family {
  return { name, type: 'gauge', help };
}

/** Labels: account, product, configuration_id, configuration, active. */
export const EDGE_CONFIGURATION_INFO = gauge(
  'edge_configuration_info',
  'A configuration of a product, always 1; join it by configuration_id. API: configurations of a product.',
);

/** Labels: account, product, configuration_id, configuration, metric. */
export const EDGE_LAST_BUCKET = gauge(
  'edge_last_bucket_timestamp_seconds',
  'Start of the bucket that the gauges of an API metric show, as a Unix time.',
);

/** Labels: account, product, metric. */
export const EDGE_PRODUCT_LAST_BUCKET = gauge(
  'edge_product_last_bucket_timestamp_seconds',
  'Start of the bucket that the gauges of an API metric of a whole product show, as a Unix time.',
);

/** Labels: account. */
export const EDGE_UP = gauge(
  'edge_up',
  'Whether the platform itself answered the last operation of the account, and took its token: 1 or 0.',
);

/** Labels: account, scope. */
export const EDGE_RATELIMIT_LIMIT = gauge(
  'edge_api_ratelimit_limit',
  'Operations that the platform allows in one time frame. API: header X-ratelimit-limit.',
);

/** Labels: account, scope. */
export const EDGE_RATELIMIT_REMAINING = gauge(
  'edge_api_ratelimit_remaining',
  'Operations left in the current time frame. API: header X-ratelimit-remaining.',
);

/** Labels: account, scope. */
export const EDGE_RATELIMIT_RESET_TIMESTAMP = gauge(
  'edge_api_ratelimit_reset_timestamp_seconds',
  'End of the current time frame, as a Unix time. API: header X-ratelimit-reset.',
);

/** Labels: account. */
export const EDGE_TOKEN_EXPIRY_TIMESTAMP = gauge(
  'edge_token_expiry_timestamp_seconds',
  'When the token in use expires, as a Unix time; absent for tokens that the exporter did not create. API: tokens.',
);

/** Labels: account, product. */
export const PRODUCT_LISTED = gauge(
  'edge_exporter_product_listed',
  'Whether the configurations of a product that is to be read could be listed when that was last tried: 1 or 0.',
);

/** Labels: account, product. */
export const UNMATCHED_CONFIGURATIONS = gauge(
  'edge_exporter_unmatched_configurations',
  'Names and ids in configurations.include of a product that match none of its configurations.',
);

/** The families of an account itself: neither series of its metrics nor settings (those are beside their collectors). */
export const PLATFORM_FAMILIES: readonly Family[] = [
  EDGE_CONFIGURATION_INFO,
  EDGE_LAST_BUCKET,
  EDGE_PRODUCT_LAST_BUCKET,
  EDGE_UP,
  EDGE_RATELIMIT_LIMIT,
  EDGE_RATELIMIT_REMAINING,
  EDGE_RATELIMIT_RESET_TIMESTAMP,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
];

/** What the exporter says of its own work for an account. */
export const DISCOVERY_FAMILIES: readonly Family[] = [PRODUCT_LISTED, UNMATCHED_CONFIGURATIONS];

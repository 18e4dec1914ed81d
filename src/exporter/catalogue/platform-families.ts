import type { LabelledFamily } from './family.ts';

/** Families of an account itself. Families of settings are beside their collectors. */
export const PLATFORM_FAMILIES: LabelledFamily[] = [];

/** Families about the exporter's work for an account. */
export const DISCOVERY_FAMILIES: LabelledFamily[] = [];

/** Families of values learned over hours, exposed once known. */
export const LEARNED_FAMILIES: LabelledFamily[] = [];

/** Returns a function that declares gauges and adds them to the families, in order. */
function gaugesOf(families: LabelledFamily[]) {
  return (name: string, labels: readonly string[], help: string): LabelledFamily => {
    const family = { name, type: 'gauge', labels, help } as const;
    families.push(family);
    return family;
  };
}

const gauge = gaugesOf(PLATFORM_FAMILIES);
const ofDiscovery = gaugesOf(DISCOVERY_FAMILIES);
const learned = gaugesOf(LEARNED_FAMILIES);

export const EDGE_CONFIGURATION_INFO = gauge(
  'edge_configuration_info',
  ['account', 'product', 'configuration_id', 'configuration', 'active'],
  'A configuration of a product, always 1; join by configuration_id. API: configurations of a product.',
);

export const EDGE_CONFIGURATIONS = gauge(
  'edge_configurations',
  ['account', 'product'],
  'Number of active configurations of a product; 0 if it has none. API: configurations of a product.',
);

const OF_PRODUCT = ['account', 'product', 'metric'];

/** Returns the families of a timestamp of an API metric's data: one for configurations, one for whole products. */
function moment(stem: string, help: (metric: string) => string) {
  const family = (prefix: string, labels: readonly string[], metric: string) =>
    gauge(`${prefix}_${stem}_timestamp_seconds`, labels, help(metric));
  return {
    configuration: family(
      'edge',
      ['account', 'product', 'configuration_id', 'configuration', 'metric'],
      'an API metric',
    ),
    product: family('edge_product', OF_PRODUCT, 'an API metric of a whole product'),
  };
}

const DATA_UNTIL = moment(
  'data_until',
  (metric) =>
    `End of the newest bucket in the gauges of ${metric}, as a Unix time. time() minus this is the age of the data.`,
);
const COUNTED_UNTIL = moment(
  'counted_until',
  (metric) => `Unix time until which every bucket of ${metric} is counted or skipped.`,
);
const SEEN_UNTIL = moment(
  'seen_until',
  (metric) =>
    `End of the newest bucket of ${metric} with any data, as a Unix time: the bucket of …_at_least_per_minute and …_expected_per_minute.`,
);

/** Families of timestamps of an API metric's data, by scope. */
export const DATA_MOMENTS = { configuration: momentsOf('configuration'), product: momentsOf('product') };

function momentsOf(by: 'configuration' | 'product') {
  return {
    dataUntil: DATA_UNTIL[by],
    countedUntil: COUNTED_UNTIL[by],
    seenUntil: SEEN_UNTIL[by],
  };
}

const CATCHING_UP =
  'were more than five minutes behind their usual lag within the last five minutes, else 0. rate() is too high while they catch up.';

/** Families that are 1 while counters catch up, by scope. */
export const COUNTERS_CATCHING_UP = {
  configuration: gauge(
    'edge_totals_catching_up',
    ['account', 'product', 'configuration_id', 'configuration'],
    `1 if counters of a configuration ${CATCHING_UP}`,
  ),
  product: gauge(
    'edge_product_totals_catching_up',
    ['account', 'product'],
    `1 if counters of a whole product ${CATCHING_UP}`,
  ),
} as const;

export const EDGE_EXPECTED_AGE = gauge(
  'edge_expected_age_seconds',
  OF_PRODUCT,
  'Greatest age of the data of an API metric if all is well: publish delay, lag of the platform (at most 10 minutes), poll interval, and bucket width. Gauges of older data are withdrawn while the platform answers.',
);

export const EDGE_ACCOUNT_INFO = gauge(
  'edge_account_info',
  ['account', 'account_id'],
  "An account that is polled, always 1. account_id is a hash of the platform's address and the user name or token: two series with the same id poll the same account.",
);

export const EDGE_UP = gauge(
  'edge_up',
  ['account'],
  '1 if the platform answers reads of the account, 0 if it cannot be reached or refuses all of them (token, permission, path or quota).',
);

export const EDGE_DATA_AVAILABLE = gauge(
  'edge_data_available',
  ['account', 'product'],
  '1 if data of the product is current, 0 if some was never read or most is old. Absent if the account has none of it.',
);

export const EDGE_MISSING_BUCKETS = gauge(
  'edge_missing_buckets_ratio',
  ['account', 'product'],
  'Mean share of buckets, 0 to 1, that are missing in the platform’s last answers.',
);

export const EDGE_TROUBLE_INFO = gauge(
  'edge_trouble_info',
  ['account', 'cause'],
  'Cause of missing, late or endangered data of an account, as on the status page. Always 1, absent while nothing is wrong.',
);

export const EDGE_RATELIMIT_LIMIT = gauge(
  'edge_api_ratelimit_limit',
  ['account', 'scope'],
  'Operations that the platform allows per rate-limit window; assumed for GraphQL until its answers name a limit. API: header X-ratelimit-limit.',
);

export const EDGE_RATELIMIT_REMAINING = gauge(
  'edge_api_ratelimit_remaining',
  ['account', 'scope'],
  'Operations left in the current rate-limit window. API: header X-ratelimit-remaining.',
);

export const EDGE_RATELIMIT_RESET_TIMESTAMP = gauge(
  'edge_api_ratelimit_reset_timestamp_seconds',
  ['account', 'scope'],
  'End of the current rate-limit window, as a Unix time. API: header X-ratelimit-reset.',
);

export const EDGE_TOKEN_EXPIRY_TIMESTAMP = gauge(
  'edge_token_expiry_timestamp_seconds',
  ['account'],
  'Expiry of the token in use, as a Unix time. Absent for tokens that the exporter did not create. API: tokens.',
);

export const EDGE_TOKEN_RENEWAL_TIMESTAMP = gauge(
  'edge_token_renewal_timestamp_seconds',
  ['account'],
  'Unix time at which the exporter replaces the token in use. Absent for tokens that the exporter did not create.',
);

export const EDGE_SOURCE_INFO = gauge(
  'edge_source_info',
  ['account', 'collector', 'source'],
  'API that the series of a collector are read from, rest or graphql; always 1.',
);

export const EDGE_SOURCE_MISSING_FIELD_INFO = gauge(
  'edge_source_missing_field_info',
  ['account', 'collector', 'field'],
  'A GraphQL field that the platform does not have, as dataset.field, always 1. Its series are absent.',
);

export const PRODUCT_LISTED = ofDiscovery(
  'edge_exporter_product_listed',
  ['account', 'product'],
  '1 if the last attempt to list the configurations of a product succeeded, else 0.',
);

export const UNMATCHED_CONFIGURATIONS = ofDiscovery(
  'edge_exporter_unmatched_configurations',
  ['account', 'product'],
  'Names and ids in configurations.include that match no configuration of the product.',
);

export const UNREAD_CONFIGURATIONS = ofDiscovery(
  'edge_exporter_unread_configurations',
  ['account', 'product'],
  'Selected configurations that are not read: the API takes ids of domains, and they have none.',
);

export const RECONCILIATION_RATIO = learned(
  'edge_exporter_reconciliation_ratio',
  ['account', 'product'],
  'Counted total of past hours, relative to the platform’s present total of these hours; 1 is exact.',
);

export const PUBLISH_DELAY_SECONDS = learned(
  'edge_exporter_publish_delay_seconds',
  ['account', 'product', 'metric'],
  'Age at which buckets of an API metric are exposed as gauges, as configured or learned, measured against the platform’s newest bucket.',
);

export const SETTLE_DELAY_SECONDS = learned(
  'edge_exporter_settle_delay_seconds',
  ['account', 'product', 'metric'],
  'Age at which buckets of an API metric enter the counters, as configured or learned.',
);

export const BUCKET_COMPLETENESS_RATIO = learned(
  'edge_exporter_bucket_completeness_ratio',
  ['account', 'product', 'metric', 'age_seconds'],
  'Measured share of its final value that a bucket of an API metric has at an age.',
);

export const UPWARD_RESTATEMENT_RATIO = learned(
  'edge_exporter_upward_restatement_ratio',
  ['account', 'product', 'metric'],
  'Share of upward changes among the changes of buckets of an API metric over the last day. Lower bounds (…_at_least_per_minute) need 0.999.',
);

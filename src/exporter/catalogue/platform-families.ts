import type { LabelledFamily } from './family.ts';

/** The families of an account itself: neither series of its metrics nor settings (those are beside their collectors). */
export const PLATFORM_FAMILIES: LabelledFamily[] = [];

/** Families about the exporter's work for an account. */
export const DISCOVERY_FAMILIES: LabelledFamily[] = [];

/** Families of what is learned of the platform over hours; exposed once it is known. */
export const LEARNED_FAMILIES: LabelledFamily[] = [];

/** Declares gauges: each is added to the families, in the order of the declarations. */
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
  'Active configurations of a product, also where there are none. API: configurations of a product.',
);

const OF_PRODUCT = ['account', 'product', 'metric'];

/** A moment of the data of an API metric, by what is read: a family for configurations, and one for whole products. */
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
    `End of the newest bucket that the gauges of ${metric} show, as a Unix time: time() minus this is the age of the data.`,
);
const COUNTED_UNTIL = moment(
  'counted_until',
  (metric) => `Up to when every bucket of ${metric} is in its counters (or was skipped), as a Unix time.`,
);
const SEEN_UNTIL = moment(
  'seen_until',
  (metric) =>
    `End of the newest bucket of ${metric} that has any data, however incomplete, as a Unix time: what …_at_least_per_minute and …_expected_per_minute show.`,
);

/** The moments that the data of an API metric has, by what is read. */
export const DATA_MOMENTS = { configuration: momentsOf('configuration'), product: momentsOf('product') };

function momentsOf(by: 'configuration' | 'product') {
  return {
    dataUntil: DATA_UNTIL[by],
    countedUntil: COUNTED_UNTIL[by],
    seenUntil: SEEN_UNTIL[by],
  };
}

const CATCHING_UP =
  'are behind by more than five minutes beyond what is usual, or were within the last five minutes: 1 or 0. While they catch up, rate() over that time is too high.';

/** Families that are 1 while counters catch up, by scope. */
export const COUNTERS_CATCHING_UP = {
  configuration: gauge(
    'edge_totals_catching_up',
    ['account', 'product', 'configuration_id', 'configuration'],
    `Whether counters of a configuration ${CATCHING_UP}`,
  ),
  product: gauge(
    'edge_product_totals_catching_up',
    ['account', 'product'],
    `Whether counters of a whole product ${CATCHING_UP}`,
  ),
} as const;

export const EDGE_EXPECTED_AGE = gauge(
  'edge_expected_age_seconds',
  OF_PRODUCT,
  'Age that the data of an API metric reaches when all is well: publish delay, how late the platform’s newest buckets come (10 minutes at most), interval between polls that schedule and limit allow, and bucket width; what other clients take does not raise it. Older data is stale, and its gauges are withdrawn while the platform answers.',
);

export const EDGE_ACCOUNT_INFO = gauge(
  'edge_account_info',
  ['account', 'account_id'],
  "An account that is polled, always 1. account_id is a hash of the platform's address and of the user name, or else the token: the same id in two series means that two exporters, or two accounts of one, poll the same account.",
);

export const EDGE_UP = gauge(
  'edge_up',
  ['account'],
  'Whether the platform answers reads of the account: 0 where it cannot be reached or refuses all of them (token, permission, path or quota), 1 where the last poll of any job succeeded.',
);

export const EDGE_DATA_AVAILABLE = gauge(
  'edge_data_available',
  ['account', 'product'],
  'Whether a product’s data is in time: 1, or 0 where a part was never read or most is old; absent where the platform says that the account has none.',
);

export const EDGE_MISSING_BUCKETS = gauge(
  'edge_missing_buckets_ratio',
  ['account', 'product'],
  'Share of buckets, 0 to 1, that the platform’s last answers lack between others: the mean of all series of a product.',
);

export const EDGE_TROUBLE_INFO = gauge(
  'edge_trouble_info',
  ['account', 'cause'],
  'Why data of an account is missing, late or in danger, as the status page says it: always 1, absent while nothing is wrong.',
);

export const EDGE_RATELIMIT_LIMIT = gauge(
  'edge_api_ratelimit_limit',
  ['account', 'scope'],
  'Operations that the platform allows per rate-limit window; those that are assumed of GraphQL, until its answers name a limit. API: header X-ratelimit-limit.',
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
  'When the token in use expires, as a Unix time; absent for tokens that the exporter did not create. API: tokens.',
);

export const EDGE_TOKEN_RENEWAL_TIMESTAMP = gauge(
  'edge_token_renewal_timestamp_seconds',
  ['account'],
  'When the exporter replaces the token in use, as a Unix time: it is overdue where that is past; absent for tokens that the exporter did not create.',
);

export const EDGE_SOURCE_INFO = gauge(
  'edge_source_info',
  ['account', 'collector', 'source'],
  "Which of the platform's APIs the series of a collector are read by, rest or graphql; always 1.",
);

export const EDGE_SOURCE_MISSING_FIELD_INFO = gauge(
  'edge_source_missing_field_info',
  ['account', 'collector', 'field'],
  'A GraphQL field that the platform does not have, as dataset.field: series that come of it are absent; always 1.',
);

export const PRODUCT_LISTED = ofDiscovery(
  'edge_exporter_product_listed',
  ['account', 'product'],
  'Whether the last attempt to list the configurations of a product succeeded: 1 or 0.',
);

export const UNMATCHED_CONFIGURATIONS = ofDiscovery(
  'edge_exporter_unmatched_configurations',
  ['account', 'product'],
  'Names and ids in configurations.include that match no configuration of the product.',
);

export const UNREAD_CONFIGURATIONS = ofDiscovery(
  'edge_exporter_unread_configurations',
  ['account', 'product'],
  'Selected configurations that are not read because they have no domain, and the API takes the ids of domains.',
);

export const RECONCILIATION_RATIO = learned(
  'edge_exporter_reconciliation_ratio',
  ['account', 'product'],
  'What the counters added for a past hour, relative to what the platform reports for that hour now; 1 is exact.',
);

export const PUBLISH_DELAY_SECONDS = learned(
  'edge_exporter_publish_delay_seconds',
  ['account', 'product', 'metric'],
  "Age at which buckets of an API metric are shown as gauges, as configured or learned, before the end of the platform's newest bucket.",
);

export const SETTLE_DELAY_SECONDS = learned(
  'edge_exporter_settle_delay_seconds',
  ['account', 'product', 'metric'],
  'Age at which buckets of an API metric enter the counters, as configured or learned.',
);

export const BUCKET_COMPLETENESS_RATIO = learned(
  'edge_exporter_bucket_completeness_ratio',
  ['account', 'product', 'metric', 'age_seconds'],
  'Measured share of its final value that a bucket of an API metric has reached at an age.',
);

export const UPWARD_RESTATEMENT_RATIO = learned(
  'edge_exporter_upward_restatement_ratio',
  ['account', 'product', 'metric'],
  'Share of the changes of buckets of an API metric that were upwards, over the last day; lower bounds (…_at_least_per_minute) are shown from 0.999 on.',
);

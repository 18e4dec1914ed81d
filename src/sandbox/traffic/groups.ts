/** Code dimensions of `status_code`. `2xx` and the other classes contain the remaining codes of their class. */
export const STATUS_CODES = [
  '2xx',
  '200',
  '204',
  '206',
  '3xx',
  '301',
  '302',
  '304',
  '4xx',
  '400',
  '403',
  '404',
  '500',
  '502',
  '503',
  '5xx',
] as const;

export const METHODS = ['get', 'head', 'post', 'others'] as const;

/** Cache statuses. The last one is served from the cache (`saved`), the others need the origin (`missed`). */
export const CACHE_STATUSES = ['MISS', 'EXPIRED', 'BYPASS', 'HIT'] as const;

/** Regions of clients by country, the most frequent first. */
export const REGIONS = {
  Brazil: 'São Paulo',
  'United States': 'California',
  Argentina: 'Buenos Aires',
  Portugal: 'Lisbon',
  Mexico: 'Mexico City',
  Germany: 'Hesse',
  Chile: 'Santiago',
  Colombia: 'Bogota',
  India: 'Maharashtra',
  Japan: 'Tokyo',
} as const;

export const COUNTRIES = Object.keys(REGIONS);

/** Locations that serve the clients. */
export const LOCATIONS = ['gru-gru', 'rio-rio', 'mia-mia', 'lis-lis', 'fra-fra', 'nrt-nrt'] as const;

/** Types of DNS queries. */
export const QUERY_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT'] as const;

/**
 * Counts that belong together, as cells: integers that add up over buckets, domains and configurations. Volumes are in kilobytes
 * (10^3 bytes).
 */
export const GROUPS = {
  requests: ['total', 'http', 'https', 'saved', 'missed'],
  volume: ['total', 'http', 'https', 'saved', 'missed'],
  methods: METHODS,
  cache: CACHE_STATUSES,
  countries: COUNTRIES,
  locations: LOCATIONS,
  queryTypes: QUERY_TYPES,
  codes: STATUS_CODES,
  waf: ['requests', 'blocked', 'threats', 'xss', 'rfi', 'sql', 'others'],
  plain: ['count', 'kilobytes'],
  /** Levels at the end of a bucket, which do not add up. */
  levels: ['sources', 'kilobytes'],
} as const;

export type Group = keyof typeof GROUPS;

/** Average composition of a source's traffic. Each share is a share of its group's total. */
export const MIX = {
  https: 0.82,
  saved: 0.74,
  /** Shares of requests that the cache cannot answer. */
  missed: { MISS: 0.86, EXPIRED: 0.09 },
  countries: [0.58, 0.14, 0.07, 0.06, 0.04, 0.03, 0.03, 0.02, 0.02],
  locations: [0.48, 0.17, 0.15, 0.1, 0.07],
  queryTypes: [0.61, 0.29, 0.04, 0.03, 0.01],
  methods: { get: 0.93, head: 0.02, post: 0.045 },
  codes: {
    '2xx': 0.0002,
    '204': 0.0006,
    '206': 0.001,
    '3xx': 0.0001,
    '301': 0.0168,
    '302': 0.0004,
    '304': 0.107,
    '4xx': 0.0003,
    '400': 0.0004,
    '403': 0.0017,
    '404': 0.0213,
    '500': 0.0001,
    '502': 0.0001,
    '503': 0.0002,
    '5xx': 0.0002,
  },
  inspected: 0.9,
  threats: 0.002,
  blocked: 0.93,
  families: { xss: 0.27, rfi: 0.08, sql: 0.4 },
} as const;

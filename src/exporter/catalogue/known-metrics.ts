import type { Labels } from './family.ts';
import { BY_VALUE, OTHER } from './products.ts';

/**
 * Quantity that a value measures, independent of API metric and dimension. Values of one meaning can be summed over every label;
 * overlapping values have another meaning.
 */
export interface Meaning {
  /** The family's name without namespace, and for additive meanings without `_per_minute` and `_total`. */
  readonly stem: string;
  /** True if values of consecutive buckets add up (counts, volumes); false for levels, rates and ratios. */
  readonly additive: boolean;
  /** Unit of the platform's value, which determines its conversion to a base unit. */
  readonly unit: 'count' | 'seconds' | 'volume' | 'rate' | 'percent';
  /** Description of the quantity, as the beginning of a sentence. */
  readonly text: string;
  /** Labels of its lower bounds; undefined if none are exposed. */
  readonly boundedBy?: readonly string[];
}

/** Meaning of one dimension of an API metric, with the labels that distinguish it from others of the meaning. */
export interface LabelledMeaning {
  readonly meaning: Meaning;
  readonly labels: Labels;
}

/** An API metric that the catalogue knows. */
export interface KnownMetric {
  readonly dimensions: ReadonlyMap<string, LabelledMeaning>;
  /** Returns the meaning of a dimension that follows a pattern instead of being listed; undefined for other dimensions. */
  readonly pattern?: (dimension: string) => LabelledMeaning | undefined;
  /** Dimension of a series without a name; default: `total`, or the only dimension. */
  readonly unnamed?: string;
  /** Name of a dimension that is not documented. */
  readonly undocumented?: string;
}

/** Returns a meaning of a number of events in a bucket. */
export function count(stem: string, text: string): Meaning {
  return { stem, additive: true, unit: 'count', text };
}

/** Returns the meaning with lower bounds and estimates of its newest buckets, for alerts. */
export function bounded(meaning: Meaning, boundedBy: readonly string[]): Meaning {
  return { ...meaning, boundedBy };
}

/** Returns a meaning of time spent in a bucket; `stem` contains `seconds`. */
export function seconds(stem: string, text: string): Meaning {
  return { stem, additive: true, unit: 'seconds', text };
}

/** Returns a meaning of data moved in a bucket; `stem` contains `bytes`. */
export function volume(stem: string, text: string): Meaning {
  return { stem, additive: true, unit: 'volume', text };
}

/** Returns a meaning of a level, rate or ratio, whose consecutive buckets do not add up. */
export function level(stem: string, unit: Meaning['unit'], text: string): Meaning {
  return { stem, additive: false, unit, text };
}

/** Returns a metric whose dimensions each have a meaning, with at most one label that distinguishes them. */
export function known(...readings: readonly (readonly [dimension: string, Meaning, Labels?])[]): KnownMetric {
  return { dimensions: new Map(readings.map(([name, meaning, labels = {}]) => [name, { meaning, labels }])) };
}

/**
 * Returns the labels of a dimension of the status code metric: `404` is `{class: '4xx', code: '404'}`. The platform's `4xx`
 * contains only the codes of its class that it does not list by number, hence `{class: '4xx', code: 'other'}`. Dimensions therefore
 * add up to all responses, and those of a class to the class. Undefined if the dimension is not a status code.
 */
export function statusCodeLabels(dimension: string): Labels | undefined {
  const match = /^(\d)(\d\d|xx)$/.exec(dimension);
  if (match === null) return undefined;
  return { class: `${match[1]}xx`, code: match[2] === 'xx' ? 'other' : dimension };
}

const HTTP: Labels = { scheme: 'http' };
const HTTPS: Labels = { scheme: 'https' };
const SAVED: Labels = { cache: 'saved' };
const MISSED: Labels = { cache: 'missed' };
const CACHE = 'served from the edge cache (saved) or fetched from the origin (missed)';

const RESPONSES = bounded(
  count('responses', 'Responses by class and status code; code="other" is the rest of a class'),
  ['class'],
);
const BY_METHOD = count('requests_by_method', 'Requests by HTTP method');
const BY_FAMILY = count('waf_threats_by_family', 'Threats that the WAF detected, by family of attack');

const METHODS = new Set(['get', 'head', 'post', 'put', 'delete', 'options', 'patch', 'trace', 'connect']);

function response(dimension: string): LabelledMeaning | undefined {
  const labels = statusCodeLabels(dimension);
  return labels && { meaning: RESPONSES, labels };
}

const UPSTREAM_SECONDS = seconds('upstream_response_seconds', 'Total seconds that origins took to respond');
const UPSTREAM_RESPONSES = count(
  'upstream_responses',
  'Responses of origins by class and status code; code="other" is the rest of a class, class="other" is anything but a status code',
);

function upstream(dimension: string): LabelledMeaning | undefined {
  if (dimension === 'seconds') return { meaning: UPSTREAM_SECONDS, labels: {} };
  const isOther = dimension === 'other';
  const labels = isOther ? { class: 'other', code: 'other' } : statusCodeLabels(dimension);
  return labels && { meaning: UPSTREAM_RESPONSES, labels };
}

function byMethod(dimension: string): LabelledMeaning | undefined {
  if (dimension === 'others') return { meaning: BY_METHOD, labels: { method: 'other' } };
  if (!METHODS.has(dimension)) return undefined;
  return { meaning: BY_METHOD, labels: { method: dimension.toUpperCase() } };
}

/** Status codes with their own dimensions. Other codes count in the rest of their class. */
export const CODES = ['200', '204', '206', '301', '302', '304', '400', '403', '404', '500', '502', '503'];
export const CLASSES = ['2xx', '3xx', '4xx', '5xx'];

/** Most frequent types of DNS queries; other types are counted together. */
export const QUERY_TYPES = [
  ...'A AAAA ANY CAA CNAME DNSKEY DS HTTPS MX NS PTR SOA SRV SVCB TXT'.split(' '),
  OTHER,
];

/** Returns a metric whose dimensions all follow a pattern; documented ones are listed too. */
function patterned(
  documented: readonly string[],
  pattern: (dimension: string) => LabelledMeaning | undefined,
): KnownMetric {
  const readings = documented.flatMap((name) => {
    const reading = pattern(name);
    return reading ? [[name, reading] as const] : [];
  });
  return { dimensions: new Map(readings), pattern };
}

const JUDGED: Readonly<Record<string, string>> = {
  waf: 'Requests in which the WAF found an attack',
  bot: 'Requests that the bot manager judged',
};

function byValue(metric: string, label: string): readonly [string, KnownMetric] {
  const [of = ''] = metric.split('_');
  const what = JUDGED[of] ?? 'Requests';
  const meaning = count(metric, `${what}, by ${label.replace('_', ' ')}; ${label}="other" is the rest`);
  return [metric, patterned([OTHER], (value) => ({ meaning, labels: { [label]: value } }))];
}

function byCache(total: Meaning, cache: Meaning): KnownMetric {
  return known(['total', total], ['saved', cache, SAVED], ['missed', cache, MISSED]);
}

function bySchemeAndCache(total: Meaning, scheme: Meaning, cache: Meaning): KnownMetric {
  return known(
    ['total', total],
    ['http', scheme, HTTP],
    ['https', scheme, HTTPS],
    ['saved', cache, SAVED],
    ['missed', cache, MISSED],
  );
}

const REQUESTS = bySchemeAndCache(
  bounded(count('requests', 'Requests answered by the edge'), []),
  count('requests_by_scheme', 'Requests by scheme of the URL'),
  count('requests_by_cache', `Requests ${CACHE}`),
);

const DATA_TRANSFERRED = bySchemeAndCache(
  volume('data_transferred_bytes', 'Bytes transferred by the edge'),
  volume('data_transferred_bytes_by_scheme', 'Bytes transferred, by scheme of the URL'),
  volume('data_transferred_bytes_by_cache', `Bytes transferred, ${CACHE}`),
);

function offload(stem: string, what: string): readonly [string, Meaning] {
  return [
    'offload',
    level(`${stem}_offload_ratio`, 'percent', `Share of ${what} served from the edge cache, 0 to 1`),
  ];
}

/** Metrics of configurations' traffic: requests, responses, threats, data, and cache ratios. */
export const TRAFFIC_METRICS: ReadonlyMap<string, KnownMetric> = new Map([
  ['requests', REQUESTS],
  ['cdn_requests', REQUESTS],
  ['status_code', patterned([...CODES, ...CLASSES], response)],
  ['http_method', patterned(['get', 'head', 'post', 'others'], byMethod)],
  [
    'waf',
    known(
      ['requests', count('waf_requests', 'Requests that the WAF inspected')],
      ['blocked', bounded(count('waf_blocked', 'Requests that the WAF blocked'), [])],
      ['threats', bounded(count('waf_threats', 'Threats that the WAF detected, blocked or not'), [])],
      ['xss', BY_FAMILY, { family: 'xss' }],
      ['rfi', BY_FAMILY, { family: 'rfi' }],
      ['sql', BY_FAMILY, { family: 'sql' }],
      ['others', BY_FAMILY, { family: 'other' }],
    ),
  ],
  [
    'requests_per_second',
    byCache(
      level('requests_per_second', 'count', 'Requests per second, averaged over the bucket'),
      level(
        'requests_by_cache_per_second',
        'count',
        `Requests per second ${CACHE}, averaged over the bucket`,
      ),
    ),
  ],
  ['data_transferred', DATA_TRANSFERRED],
  ['data_transferred_total', DATA_TRANSFERRED],
  [
    'bandwidth',
    byCache(
      level('bandwidth_bytes_per_second', 'rate', 'Bandwidth'),
      level('bandwidth_by_cache_bytes_per_second', 'rate', `Bandwidth of data ${CACHE}`),
    ),
  ],
  [
    'request_duration',
    known(
      ['seconds', seconds('request_duration_seconds', 'Total seconds that requests took at the edge')],
      ['requests', count('timed_requests', 'Requests whose duration was measured')],
    ),
  ],
  ['upstream_responses', patterned(['seconds', ...CODES, ...CLASSES, OTHER], upstream)],
  ...Object.entries(BY_VALUE).map(([metric, label]) => byValue(metric, label)),
  ['requests_offloaded', known(offload('requests', 'requests'))],
  ['requests_per_second_offloaded', known(offload('requests_per_second', 'requests per second'))],
  ['bandwidth_offloaded', known(offload('bandwidth', 'bandwidth'))],
  [
    'data_offloaded',
    {
      // Only the ratio is documented. A volume with another name of the same metric occurs in practice.
      ...known(offload('data', 'transferred bytes'), [
        'total',
        volume('data_offloaded_bytes', 'Bytes served from the edge cache'),
      ]),
      unnamed: 'offload',
      undocumented: 'total',
    },
  ],
]);

/** Returns a metric that has a single dimension. */
function single(meaning: Meaning): KnownMetric {
  return known(['total', meaning]);
}

const BY_INITIATOR = count('function_invocations_by_initiator', 'Invocations of edge functions by initiator');
const BY_TYPE = count(
  'dns_queries_by_type',
  'Queries answered by the DNS service, by type; type="other" is the rest',
);

/** Metrics of the other products: functions, images, DNS, storage, streaming. Each has its own unit per bucket. */
export const SERVICE_METRICS: ReadonlyMap<string, KnownMetric> = new Map([
  ['invocations', single(count('function_invocations', 'Invocations of edge functions'))],
  [
    'function_compute',
    known(
      ['seconds', seconds('function_compute_seconds', 'Total compute seconds of edge functions')],
      ['application', BY_INITIATOR, { initiator: 'application' }],
      ['firewall', BY_INITIATOR, { initiator: 'firewall' }],
    ),
  ],
  ['idns_queries_by_type', patterned(QUERY_TYPES, (type) => ({ meaning: BY_TYPE, labels: { type } }))],
  ['idns_queries', single(count('dns_queries', 'Queries answered by the DNS service'))],
  ['hosted_zones', single(level('hosted_zones', 'count', 'DNS zones hosted'))],
  [
    'images_processed',
    {
      ...known(
        ['requests', count('images_processed', 'Images processed')],
        ['throughput', level('images_throughput_bytes_per_second', 'rate', 'Throughput of image processing')],
      ),
      unnamed: 'requests',
    },
  ],
  [
    'image_delivery',
    known(
      ['seconds', seconds('image_duration_seconds', 'Total seconds that requests for images took')],
      ['requests', count('timed_images', 'Requests for images whose duration was measured')],
      ['bytes', count('image_bytes', 'Bytes of images sent')],
    ),
  ],
  ['used_space', single(level('used_space_bytes', 'volume', 'Bytes held in storage'))],
  [
    'data_streaming_data_streamed',
    single(volume('data_streamed_bytes', 'Bytes of log data streamed to the configured receivers')),
  ],
  [
    'data_streaming_requests',
    single(count('data_streaming_requests', 'Requests made to the receivers of log data')),
  ],
  [
    'data_streaming_lines',
    single(count('data_streamed_lines', 'Lines of log data streamed to the receivers')),
  ],
  [
    'l2_data_transferred',
    single(volume('l2_caching_data_transferred_bytes', 'Bytes transferred by the second cache layer')),
  ],
  [
    'load_balancer_data_transferred',
    single(volume('load_balancer_data_transferred_bytes', 'Bytes transferred by load balancers')),
  ],
  [
    'live_streaming_data_transferred',
    single(volume('live_streaming_data_transferred_bytes', 'Bytes of live streams transferred')),
  ],
  [
    'data_ingested',
    known(
      ['total', volume('data_ingested_bytes', 'Bytes of live streams ingested')],
      [
        'bandwidth',
        level('data_ingested_bandwidth_bytes_per_second', 'rate', 'Bandwidth of live stream ingest'),
      ],
    ),
  ],
  [
    'data_packaged',
    known(
      ['total', volume('data_packaged_bytes', 'Bytes of media packaged')],
      ['bandwidth', level('data_packaged_bandwidth_bytes_per_second', 'rate', 'Bandwidth of packaged media')],
    ),
  ],
  [
    'connected_users',
    known(
      ['average', level('connected_users_average', 'count', 'Users connected, on average over the bucket')],
      [
        'max',
        level('connected_users_max', 'count', 'Highest number of users connected at once in the bucket'),
      ],
    ),
  ],
]);

/** Weights of metrics' freshness: attacks and errors before volumes, volumes before averages. */
const WEIGHTS: Readonly<Record<string, number>> = {
  waf: 4,
  status_code: 4,
  requests: 2,
  cdn_requests: 2,
  requests_per_second: 2,
  bandwidth: 2,
  invocations: 2,
  idns_queries: 2,
};

/** Returns the weight of a metric of the platform. */
export function weightOf(metric: string): number {
  return WEIGHTS[metric] ?? 1;
}

import { CLASSES, CODES, QUERY_TYPES } from '../catalogue/known-metrics.ts';
import { OTHER, type Product } from '../catalogue/products.ts';

/** Factors from the unit of a field to the base unit of its family: bytes, bytes per second, or a ratio. */
export const UNITS = {
  count: 1,
  seconds: 1,
  milliseconds: 0.001,
  bytes: 1,
  'bits a second': 1 / 8,
  percent: 0.01,
} as const;

/** Fields of a row from which a dimension of a REST metric is computed. */
export interface DimensionFields {
  /** Names of the fields; their values are added. */
  readonly fields: readonly string[];
  readonly unit: keyof typeof UNITS;
  /** True if the sum is divided by the seconds of a bucket. */
  readonly isRate?: true;
  /** Difference in meaning from the REST API. */
  readonly note?: string;
}

/** Dataset and fields that correspond to a metric of a product. */
export interface MetricFields {
  readonly dataset: string;
  /** Field with the id of a configuration, as in the REST API. */
  readonly key: string;
  /** Measure to sum, for datasets without calculated fields. The response calls the result `sum`. */
  readonly summed?: string;
  /** Field that breaks down the rows of a time and configuration further. */
  readonly split?: Split;
  readonly dimensions: ReadonlyMap<string, DimensionFields>;
}

/** Prefix of properties of a merged row that are not parts. */
export const MARK = '\0';

/** Field that breaks rows down, with the parts to which each of its values adds. */
export interface Split {
  readonly by: string;
  readonly parts: readonly string[];
  /** True if the field may have any value: the largest values have their own series, the rest is `other`. */
  readonly isOpen?: true;
  /** Returns the parts to which a value adds; undefined if the field cannot have the value. */
  readonly partsOf: (value: unknown) => readonly string[] | undefined;
}

type Given = readonly [dimension: string, fields: string, note?: string];

function dimensionsOf(
  unit: DimensionFields['unit'],
  ...given: readonly Given[]
): [string, DimensionFields][] {
  return given.map(([dimension, fields, note]) => [
    dimension,
    { fields: fields.split(' + '), unit, ...(note !== undefined && { note }) },
  ]);
}

function rates(...given: readonly Given[]): [string, DimensionFields][] {
  return dimensionsOf('count', ...given).map(([dimension, fields]) => [
    dimension,
    { ...fields, isRate: true, note: 'divided by the seconds of a bucket' },
  ]);
}

const REQUESTS = dimensionsOf(
  'count',
  ['total', 'requestsTotal'],
  ['http', 'httpRequestsTotal'],
  ['https', 'httpsRequestsTotal'],
  ['saved', 'savedRequests'],
  ['missed', 'missedRequests'],
);

const BYTES = 'bytes, where REST has megabytes; REST alone has http and https';

const DATA_TRANSFERRED = dimensionsOf(
  'bytes',
  ['total', 'dataTransferredTotal', BYTES],
  ['saved', 'savedData', BYTES],
  ['missed', 'missedData', BYTES],
);

const OTHER_CODES = 'the other codes of the class, as with REST';

/** Metrics of visitor traffic. */
const TRAFFIC: Readonly<Record<string, readonly [string, DimensionFields][]>> = {
  requests: REQUESTS,
  cdn_requests: REQUESTS,
  status_code: dimensionsOf(
    'count',
    ...CODES.map((code): Given => [code, `requestsStatusCode${code}`]),
    ...CLASSES.map((code): Given => [code, `requestsStatusCode${code}`, OTHER_CODES]),
  ),
  http_method: dimensionsOf(
    'count',
    ['get', 'requestsHttpMethodGet'],
    ['head', 'requestsHttpMethodHead'],
    ['post', 'requestsHttpMethodPost'],
    ['others', 'requestsHttpMethodOthers'],
  ),
  waf: dimensionsOf(
    'count',
    ['requests', 'wafRequestsAllowed + wafRequestsBlocked + wafRequestsThreat'],
    ['blocked', 'wafRequestsBlocked'],
    [
      'threats',
      'wafRequestsBlocked + wafRequestsThreat',
      'wafRequestsThreat counts threats in learning mode only; detections are both',
    ],
    ['xss', 'wafRequestsXssAttacks'],
    ['rfi', 'wafRequestsRfiAttacks'],
    ['sql', 'wafRequestsSqlAttacks'],
    ['others', 'wafRequestsOthersAttacks'],
  ),
  requests_per_second: rates(
    ['total', 'requestsTotal'],
    ['saved', 'savedRequests'],
    ['missed', 'missedRequests'],
  ),
  data_transferred: DATA_TRANSFERRED,
  data_transferred_total: DATA_TRANSFERRED,
  bandwidth: dimensionsOf(
    'bits a second',
    ['total', 'bandwidthTotal'],
    ['saved', 'bandwidthSavedData'],
    ['missed', 'bandwidthMissedData'],
  ),
  requests_offloaded: dimensionsOf('percent', ['offload', 'requestsOffloaded']),
  requests_per_second_offloaded: dimensionsOf('percent', [
    'offload',
    'requestsOffloaded',
    'the share of requests, which is that of requests per second',
  ]),
  data_offloaded: dimensionsOf('percent', ['offload', 'offload']),
  bandwidth_offloaded: dimensionsOf('percent', ['offload', 'bandwidthOffload']),
};

/** Returns the requests of a dataset per value of a field. */
function splitBy(split: Split, dataset: string, key: string): MetricFields {
  const dimensions = new Map(dimensionsOf('count', ...split.parts.map((part): Given => [part, part])));
  return { dataset, key, summed: 'requests', split, dimensions };
}

const UPSTREAM_PARTS = [...CODES, ...CLASSES, 'other'];

/** Returns a sum over a dataset per configuration, or per value of another key. */
function summed(
  dataset: string,
  measure: string,
  unit: DimensionFields['unit'],
  dimension = 'total',
  key = 'configurationId',
): MetricFields {
  return { dataset, key, summed: measure, dimensions: new Map(dimensionsOf(unit, [dimension, 'sum'])) };
}

function queryPartsOf(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'string') return value === null ? ['other'] : undefined;
  return [QUERY_TYPES.includes(value) ? value : 'other'];
}

const QUERIES: Split = { by: 'qtype', parts: QUERY_TYPES, partsOf: queryPartsOf };

/** Metrics of the other products, by name. */
const SERVICES: ReadonlyMap<string, readonly MetricFields[]> = new Map(
  Object.entries({
    invocations: [summed('functionsMetrics', 'invocations', 'count', 'total', 'functionId')],
    function_compute: [
      summed('functionsMetrics', 'computeTime', 'milliseconds', 'seconds', 'functionId'),
      {
        dataset: 'functionsMetrics',
        key: 'functionId',
        dimensions: new Map(
          dimensionsOf(
            'count',
            ['application', 'applicationInvocations'],
            ['firewall', 'firewallInvocations'],
          ),
        ),
      },
    ],
    idns_queries: [summed('dnsQueriesMetrics', 'requests', 'count', 'total', 'zoneId')],
    idns_queries_by_type: [splitBy(QUERIES, 'dnsQueriesMetrics', 'zoneId')],
    images_processed: [summed('imagesProcessedMetrics', 'requests', 'count', 'requests')],
    image_delivery: [
      summed('imagesProcessedMetrics', 'requestTime', 'seconds', 'seconds'),
      summed('imagesProcessedMetrics', 'requests', 'count', 'requests'),
      summed('imagesProcessedMetrics', 'bytesSent', 'bytes', 'bytes'),
    ],
    data_streaming_data_streamed: [summed('dataStreamedMetrics', 'dataStreamed', 'bytes')],
    data_streaming_requests: [summed('dataStreamedMetrics', 'requests', 'count')],
    data_streaming_lines: [summed('dataStreamedMetrics', 'streamedLines', 'count')],
    l2_data_transferred: [
      {
        dataset: 'tieredCacheMetrics',
        key: 'configurationId',
        dimensions: new Map(dimensionsOf('bytes', ['total', 'dataTransferredTotal', BYTES])),
      },
    ],
  }),
);

/**
 * Returns the parts for the status of an origin's response, and for several attempts that of the last. Returns none if the edge
 * answered without the origin.
 */
function upstreamPartsOf(value: unknown): readonly string[] | undefined {
  if (value === null || value === '' || value === '-' || value === 0) return [];
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const [, code = ''] = /(?:^|\D)(\d{3})\D*$/.exec(String(value)) ?? [];
  const others = `${code[0]}xx`;
  return [CODES.includes(code) ? code : CLASSES.includes(others) ? others : 'other'];
}

const UPSTREAM: Split = { by: 'upstreamStatus', parts: UPSTREAM_PARTS, partsOf: upstreamPartsOf };

/**
 * Returns a label for an arbitrary value of a field: `none` if the value is empty, and undefined if it is neither text nor number.
 * Names of built-in object properties, which only probing clients send, become `other`.
 */
function labelOf(value: unknown): string | undefined {
  if (value === null || value === '' || value === '-') return 'none';
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const label = String(value).replaceAll(MARK, '').slice(0, LONGEST_VALUE).replace(LONE_SURROGATES, '\uFFFD');
  return label === '' || label === 'toJSON' || label in {} ? OTHER : label;
}

/** Unpaired surrogates, which remain where a text was truncated. In UTF-8 all of them are encoded alike. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

const LONGEST_VALUE = 200;

function open(by: string, hasNone = true, dataset = 'workloadMetrics'): MetricFields {
  const partsOf = (given: unknown) => {
    const value = labelOf(given);
    if (value === undefined) return undefined;
    return value === 'none' && !hasNone ? [] : [value];
  };
  return splitBy({ by, parts: [OTHER], partsOf, isOpen: true }, dataset, 'configurationId');
}

const WORKLOADS = { dataset: 'workloadMetrics', key: 'configurationId' };

const TRAFFIC_METRICS: ReadonlyMap<string, readonly MetricFields[]> = new Map(
  Object.entries({
    ...Object.fromEntries(
      Object.entries(TRAFFIC).map(([metric, dimensions]) => [
        metric,
        [{ ...WORKLOADS, dimensions: new Map(dimensions) }],
      ]),
    ),
    request_duration: [
      summed('workloadMetrics', 'requestTime', 'seconds', 'seconds'),
      { ...WORKLOADS, dimensions: new Map(dimensionsOf('count', ['requests', 'requestsTotal'])) },
    ],
    upstream_responses: [
      summed('workloadMetrics', 'upstreamResponseTime', 'seconds', 'seconds'),
      splitBy(UPSTREAM, 'workloadMetrics', 'configurationId'),
    ],
    requests_by_country: [open('geolocCountryName')],
    requests_by_host: [open('host')],
    requests_by_location: [open('sourceLocPop')],
    requests_by_cache_status: [open('upstreamCacheStatus')],
    waf_requests_by_attack_family: [open('wafAttackFamily', false)],
    bot_requests_by_action: [open('action', true, 'botManagerMetrics')],
    bot_requests_by_category: [open('botCategory', true, 'botManagerMetrics')],
  }),
);

/**
 * Returns the datasets and fields of a metric of a product, one entry per group of dimensions in the same rows. Returns none if no
 * dataset has the metric.
 */
export function fieldsOf(
  { slug, metrics, onlyElsewhere = [] }: Product,
  metric: string,
): readonly MetricFields[] {
  const isTraffic = slug === 'content_delivery' || slug === 'edge_applications';
  if (isTraffic) return TRAFFIC_METRICS.get(metric) ?? [];
  return metrics.includes(metric) || onlyElsewhere.includes(metric) ? (SERVICES.get(metric) ?? []) : [];
}

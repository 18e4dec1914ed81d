import type { Labels } from './family.ts';
import {
  bounded,
  count,
  type KnownMetric,
  known,
  level,
  type Meaning,
  type Reading,
  volume,
} from './meaning.ts';
import { DIMENSIONS } from './products.ts';
import { statusCodeLabels } from './status-codes.ts';

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

function response(dimension: string): Reading | undefined {
  const labels = statusCodeLabels(dimension);
  return labels && { meaning: RESPONSES, labels };
}

function byMethod(dimension: string): Reading | undefined {
  if (dimension === 'others') return { meaning: BY_METHOD, labels: { method: 'other' } };
  if (!METHODS.has(dimension)) return undefined;
  return { meaning: BY_METHOD, labels: { method: dimension.toUpperCase() } };
}

/** A metric whose dimensions all follow a pattern; those that the platform documents are listed as well. */
function patterned(metric: string, pattern: (dimension: string) => Reading | undefined): KnownMetric {
  const documented = DIMENSIONS[metric] ?? [];
  const readings = documented.flatMap((name) => {
    const reading = pattern(name);
    return reading ? [[name, reading] as const] : [];
  });
  return { dimensions: new Map(readings), pattern };
}

function byCache(total: Meaning, cache: Meaning): KnownMetric {
  return known(['total', total], ['saved', cache, SAVED], ['missed', cache, MISSED]);
}

function bySchemeAndCache(total: Meaning, scheme: Meaning, cache: Meaning): KnownMetric {
  const { dimensions } = byCache(total, cache);
  return {
    dimensions: new Map([
      ...dimensions,
      ...known(['http', scheme, HTTP], ['https', scheme, HTTPS]).dimensions,
    ]),
  };
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

/** What visitors of the configurations cause: requests, responses, threats, data, and what the cache saves of them. */
export const TRAFFIC_METRICS: ReadonlyMap<string, KnownMetric> = new Map([
  ['requests', REQUESTS],
  ['cdn_requests', REQUESTS],
  ['status_code', patterned('status_code', response)],
  ['http_method', patterned('http_method', byMethod)],
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
  ['requests_offloaded', known(offload('requests', 'requests'))],
  ['requests_per_second_offloaded', known(offload('requests_per_second', 'requests per second'))],
  ['bandwidth_offloaded', known(offload('bandwidth', 'bandwidth'))],
  [
    'data_offloaded',
    {
      // Documented is the ratio only; a volume by another name of the same metric has been seen in the field.
      ...known(offload('data', 'transferred bytes'), [
        'total',
        volume('data_offloaded_bytes', 'Bytes served from the edge cache'),
      ]),
      unnamed: 'offload',
    },
  ],
]);

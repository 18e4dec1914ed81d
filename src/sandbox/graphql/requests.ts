import type { Account } from '../account/platform-account.ts';
import { fraction, hash } from '../hash.ts';
import { CACHE_STATUSES, COUNTRIES, GROUPS, LOCATIONS, METHODS, REGIONS } from '../traffic/groups.ts';
import type { Span } from '../traffic/traffic.ts';
import {
  type Calculated,
  type Dimension,
  each,
  eachWith,
  type Facts,
  factsNamed,
  ofAspect,
  percent,
  type Quantity,
  total,
  type Value,
} from './dataset.ts';
import { alike, aspectOf, type BucketCells, dividedLike, type Population, type Unit } from './population.ts';

/**
 * Codes of `status_code`. Errors come first and refusals last, in the order of missed and blocked requests, because origins fail
 * and the WAF refuses.
 */
export const CODES = '500 502 503 5xx 404 400 4xx 206 204 2xx 301 302 3xx 304 200 403'.split(' ');

/** Status code of a request with another code of a class. */
const OTHERS: Readonly<Record<string, number>> = { '2xx': 202, '3xx': 307, '4xx': 429, '5xx': 504 };

const NUMBERS = CODES.map((code) => OTHERS[code] ?? Number(code));

/** Spelling of attack families in responses. */
export const FAMILY_NAMES = [null, '$OTHERS', '$SQL', '$RFI', '$XSS'] as const;

const waf = (cells: BucketCells, name: (typeof GROUPS.waf)[number]) =>
  cells.cell('waf', GROUPS.waf.indexOf(name));

/** Requests, as counted in `requests`, `status_code`, `http_method` and `waf` of the REST analytics. */
export const REQUESTS: Population = {
  name: 'requests',
  whole: (cells) => cells.cell('requests', 0),
  aspects: [
    aspectOf('status', 'codes', CODES, 1),
    aspectOf('cache', 'cache', CACHE_STATUSES, 1),
    {
      name: 'verdict',
      values: ['uninspected', 'allowed', 'learning', 'blocked'],
      turns: 1,
      parts: (cells, whole) => {
        const [inspected, threats] = [waf(cells, 'requests'), waf(cells, 'threats')];
        const blocked = waf(cells, 'blocked');
        return [whole - inspected, inspected - threats, threats - blocked, blocked];
      },
    },
    {
      name: 'family',
      values: ['none', 'others', 'sql', 'rfi', 'xss'],
      turns: 1,
      parts: (cells, whole) => [
        whole - waf(cells, 'threats'),
        ...(['others', 'sql', 'rfi', 'xss'] as const).map((family) => waf(cells, family)),
      ],
    },
    aspectOf('scheme', 'requests', ['http', 'https'], 3),
    aspectOf('method', 'methods', METHODS, 5),
    aspectOf('country', 'countries', COUNTRIES, 7),
    aspectOf('location', 'locations', LOCATIONS, 11),
  ],
};

const HIT = CACHE_STATUSES.indexOf('HIT');

/** Cache statuses that need the origin. */
export const MISSED = CACHE_STATUSES.slice(0, HIT);

/** Kilobytes, as counted by scheme and cache in `data_transferred`. Other divisions follow the requests. */
export const KILOBYTES: Population = {
  name: 'kilobytes',
  whole: (cells) => cells.cell('volume', 0),
  aspects: REQUESTS.aspects.map((aspect) => {
    const { name, values, turns } = aspect;
    if (name === 'scheme') return aspectOf('scheme', 'volume', values, turns);
    if (name === 'cache') return { name, values, turns, parts: cachedVolume };
    if (name !== 'verdict' && name !== 'family')
      return alike(aspect, REQUESTS, name === 'status' ? CODES.indexOf('200') : 0);
    // A blocked request has no body.
    const parts = (_: BucketCells, whole: number) => values.map((__, index) => (index === 0 ? whole : 0));
    return { name, values, turns, parts };
  }),
};

function cachedVolume(cells: BucketCells): readonly number[] {
  const missed = MISSED.map((_, index) => cells.cell('cache', index));
  const saved = cells.cell('volume', GROUPS.volume.indexOf('saved'));
  return [...dividedLike(missed, cells.cell('volume', GROUPS.volume.indexOf('missed')), 0), saved];
}

const isMissed = (unit: Unit) => unit('cache') !== HIT;
const numberOf = (unit: Unit) => NUMBERS[unit('status')] ?? 0;
const UPSTREAM = ['cache', 'status'];

/** Returns a dimension of requests to the origin, derived from the status of its response. */
function ofUpstream(type: Dimension['type'], of: (status: number) => Value): Dimension {
  return { type, aspects: UPSTREAM, value: (_, unit) => (isMissed(unit) ? of(numberOf(unit)) : null) };
}

const PROXY_STATUSES: Readonly<Record<number, string>> = {
  500: 'http_response_incomplete',
  502: 'connection_refused',
  503: 'destination_unavailable',
  504: 'connection_timeout',
};

/** Dimensions of every dataset of requests. */
export const REQUEST_DIMENSIONS: Readonly<Record<string, Dimension>> = {
  ...factsNamed('configurationId', 'host'),
  status: ofAspect('status', NUMBERS),
  upstreamStatus: ofUpstream('Int', (status) => status),
  upstreamCacheStatus: ofAspect('cache', CACHE_STATUSES),
  requestMethod: ofAspect('method', ['GET', 'HEAD', 'POST', 'OPTIONS']),
  scheme: ofAspect('scheme', ['http', 'https']),
  serverProtocol: ofAspect('scheme', ['HTTP/1.1', 'HTTP/2.0']),
  sslProtocol: ofAspect('scheme', [null, 'TLSv1.3']),
  geolocCountryName: ofAspect('country', COUNTRIES),
  geolocRegionName: ofAspect('country', Object.values(REGIONS)),
  sourceLocPop: ofAspect('location', LOCATIONS),
  remoteAddressClass: ofAspect('verdict', ['residential', 'residential', 'hosting', 'hosting']),
  proxyStatus: ofUpstream('String', (status) => PROXY_STATUSES[status] ?? null),
};

/** Duration (ms) of a request at the edge, to which the origin of a source adds its own. */
const EDGE_MS = 12;
const FAILED_MS = 2500;
/** Additional time (ms) of a slow origin (an incident). */
const SLOWED_MS = 3000;

/** Returns the origin's time (ms) for a request that the cache could not answer: longer if the origin fails or is slow. */
function originMs(unit: Unit, facts: Facts): number {
  if (!isMissed(unit)) return 0;
  const failed = numberOf(unit) >= 500 ? FAILED_MS : 0;
  return Number(facts['originMs']) + failed + SLOWED_MS * Number(facts['slowed'] ?? 0);
}

const seconds = (ms: Quantity['each']): Quantity => ({
  of: 'requests',
  aspects: UPSTREAM,
  each: ms,
  per: 1000,
});

/** Number of bytes in a kilobyte, and the number of these that belong to requests: a twentieth. The rest is responses. */
const BYTES = 1000;
const IN = 50;
export const bytes = each('kilobytes', BYTES);
export const savedBytes = eachWith(KILOBYTES, 'cache', ['HIT'], BYTES);
export const missedBytes = eachWith(KILOBYTES, 'cache', MISSED, BYTES);

/** Measures of every dataset of requests; times in seconds. */
export const REQUEST_MEASURES: Readonly<Record<string, Quantity>> = {
  requests: each('requests'),
  bytesSent: each('kilobytes', BYTES - IN),
  requestLength: each('kilobytes', IN),
  requestTime: seconds((unit, facts) => EDGE_MS + originMs(unit, facts)),
  upstreamResponseTime: seconds(originMs),
  upstreamBytesReceived: missedBytes,
};

/** Volumes, in bytes. */
export const VOLUME_FIELDS: Readonly<Record<string, Calculated>> = {
  dataTransferredIn: total(each('kilobytes', IN)),
  dataTransferredOut: total(each('kilobytes', BYTES - IN)),
  dataTransferredTotal: total(bytes),
  offload: percent(savedBytes, bytes),
};

/** Returns the properties of a domain's requests. The host is the domain's first name. */
export function deliveryFacts({ domains }: Account, { source, configuration }: Span): Facts {
  const domain = domains.get(source.id);
  return {
    configurationId: String(configuration),
    host: domain?.cnames[0] ?? domain?.domain_name ?? null,
    originMs: 60 + Math.floor(240 * fraction(hash(7, source.id), 1)),
  };
}

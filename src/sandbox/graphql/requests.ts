import type { Account } from '../account/account.ts';
import { fraction, hash } from '../hash.ts';
import { CACHE_STATUSES, COUNTRIES, GROUPS, LOCATIONS, METHODS, REGIONS } from '../traffic/groups.ts';
import type { Span } from '../traffic/traffic.ts';
import {
  type Calculated,
  type Dimension,
  each,
  eachWith,
  type Facts,
  fact,
  ofAspect,
  percent,
  type Quantity,
  total,
} from './dataset.ts';
import {
  type Aspect,
  alike,
  aspectOf,
  type BucketCells,
  dividedLike,
  type Population,
  type Unit,
} from './population.ts';

/**
 * The codes of `status_code`, and the number of a request with it: of the other codes of a class, one of them. Errors come
 * first and refusals last, as what was missed comes first and what was blocked last: origins fail, and the WAF refuses.
 */
const STATUSES = [
  ['500', 500],
  ['502', 502],
  ['503', 503],
  ['5xx', 504],
  ['404', 404],
  ['400', 400],
  ['4xx', 429],
  ['206', 206],
  ['204', 204],
  ['2xx', 202],
  ['301', 301],
  ['302', 302],
  ['3xx', 307],
  ['304', 304],
  ['200', 200],
  ['403', 403],
] as const;

export const CODES = STATUSES.map(([code]) => code);
export const VERDICTS = ['uninspected', 'allowed', 'learning', 'blocked'] as const;
export const FAMILIES = ['none', 'others', 'sql', 'rfi', 'xss'] as const;

/** How the platform writes the family of an attack. */
export const FAMILY_NAMES = [null, '$OTHERS', '$SQL', '$RFI', '$XSS'] as const;

const waf = (cells: BucketCells, name: (typeof GROUPS.waf)[number]) =>
  cells.cell('waf', GROUPS.waf.indexOf(name));

/** Requests, as `requests`, `status_code`, `http_method` and `waf` of the REST analytics count them. */
export const REQUESTS: Population = {
  name: 'requests',
  whole: (cells) => cells.cell('requests', 0),
  aspects: [
    aspectOf('status', 'codes', CODES, 1),
    aspectOf('cache', 'cache', CACHE_STATUSES, 1),
    {
      name: 'verdict',
      values: VERDICTS,
      turns: 1,
      parts: (cells, whole) => {
        const [inspected, threats, blocked] = [
          waf(cells, 'requests'),
          waf(cells, 'threats'),
          waf(cells, 'blocked'),
        ];
        return [whole - inspected, inspected - threats, threats - blocked, blocked];
      },
    },
    {
      name: 'family',
      values: FAMILIES,
      turns: 1,
      parts: (cells, whole) => [
        whole - waf(cells, 'threats'),
        waf(cells, 'others'),
        waf(cells, 'sql'),
        waf(cells, 'rfi'),
        waf(cells, 'xss'),
      ],
    },
    aspectOf('scheme', 'requests', ['http', 'https'], 3),
    aspectOf('method', 'methods', METHODS, 5),
    aspectOf('country', 'countries', COUNTRIES, 7),
    aspectOf('location', 'locations', LOCATIONS, 11),
  ],
};

const PLACE_OF_200 = CODES.indexOf('200');

/** Kilobytes, as `data_transferred` counts them by scheme and cache; otherwise they go with the requests. */
export const KILOBYTES: Population = {
  name: 'kilobytes',
  whole: (cells) => cells.cell('volume', 0),
  aspects: REQUESTS.aspects.map((requests): Aspect => {
    const { name, values, turns } = requests;
    if (name === 'scheme') return aspectOf('scheme', 'volume', ['http', 'https'], turns);
    if (name === 'verdict' || name === 'family') {
      // What is blocked has no body to speak of.
      return {
        name,
        values,
        turns,
        parts: (_, whole) => values.map((__, index) => (index === 0 ? whole : 0)),
      };
    }
    if (name === 'cache') return { name, values, turns, parts: cachedVolume };
    return alike(requests, REQUESTS, name === 'status' ? PLACE_OF_200 : 0);
  }),
};

function cachedVolume(cells: BucketCells): readonly number[] {
  const missed = CACHE_STATUSES.map((_, index) => cells.cell('cache', index)).slice(0, HIT);
  const saved = cells.cell('volume', GROUPS.volume.indexOf('saved'));
  return [...dividedLike(missed, cells.cell('volume', GROUPS.volume.indexOf('missed')), 0), saved];
}

const HIT = CACHE_STATUSES.indexOf('HIT');
const isMissed = (unit: Unit) => unit('cache') !== HIT;
const numberOf = (unit: Unit) => STATUSES[unit('status')]?.[1] ?? 0;
const UPSTREAM = ['cache', 'status'];

const PROXY_STATUSES: Readonly<Record<number, string>> = {
  500: 'http_response_incomplete',
  502: 'connection_refused',
  503: 'destination_unavailable',
  504: 'connection_timeout',
};

/** Dimensions of every dataset of requests. */
export const REQUEST_DIMENSIONS: readonly Dimension[] = [
  fact('configurationId'),
  fact('host'),
  ofAspect(
    'status',
    'status',
    STATUSES.map(([, number]) => number),
  ),
  {
    name: 'upstreamStatus',
    type: 'Int',
    aspects: UPSTREAM,
    value: (_, unit) => (isMissed(unit) ? numberOf(unit) : null),
  },
  ofAspect('upstreamCacheStatus', 'cache', CACHE_STATUSES),
  ofAspect('requestMethod', 'method', ['GET', 'HEAD', 'POST', 'OPTIONS']),
  ofAspect('scheme', 'scheme', ['http', 'https']),
  ofAspect('serverProtocol', 'scheme', ['HTTP/1.1', 'HTTP/2.0']),
  ofAspect('sslProtocol', 'scheme', [null, 'TLSv1.3']),
  ofAspect('geolocCountryName', 'country', COUNTRIES),
  ofAspect('geolocRegionName', 'country', Object.values(REGIONS)),
  ofAspect('sourceLocPop', 'location', LOCATIONS),
  ofAspect('remoteAddressClass', 'verdict', ['residential', 'residential', 'hosting', 'hosting']),
  {
    name: 'proxyStatus',
    type: 'String',
    aspects: UPSTREAM,
    value: (_, unit) => (isMissed(unit) ? (PROXY_STATUSES[numberOf(unit)] ?? null) : null),
  },
];

/** How long a request takes, in ms: what the edge needs, and what a source's origin does. */
const EDGE_MS = 12;
const FAILED_MS = 2500;
/** How much longer a slow origin takes (an incident). */
const SLOWED_MS = 3000;

/** What the origin needs for a request that the cache could not answer: longer when it fails, or is slow. */
function originMs(unit: Unit, facts: Facts): number {
  if (!isMissed(unit)) return 0;
  const failed = numberOf(unit) >= 500 ? FAILED_MS : 0;
  return Number(facts['originMs']) + failed + SLOWED_MS * Number(facts['slowed'] ?? 0);
}

/** What the cache could not answer alone. */
export const MISSED = CACHE_STATUSES.slice(0, -1);

/** Bytes of a kilobyte; the twentieth part of them came in with the requests. */
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
  requestTime: {
    of: 'requests',
    aspects: UPSTREAM,
    each: (unit, facts) => EDGE_MS + originMs(unit, facts),
    per: 1000,
  },
  upstreamResponseTime: {
    of: 'requests',
    aspects: UPSTREAM,
    each: (unit, facts) => originMs(unit, facts),
    per: 1000,
  },
  upstreamBytesReceived: missedBytes,
};

/** Volumes, in bytes. */
export const VOLUME_FIELDS: Readonly<Record<string, Calculated>> = {
  dataTransferredIn: total(each('kilobytes', IN)),
  dataTransferredOut: total(each('kilobytes', BYTES - IN)),
  dataTransferredTotal: total(bytes),
  offload: percent(savedBytes, bytes),
};

/** The first name under which a domain is served. */
function hostOf({ domains }: Account, { source }: Span): string | null {
  const domain = domains.get(source.id);
  return domain === undefined ? null : (domain.cnames[0] ?? domain.domain_name);
}

/** What is known of a domain's requests. */
export function deliveryFacts(account: Account, span: Span): Facts {
  return {
    configurationId: String(span.configuration),
    host: hostOf(account, span),
    originMs: 60 + Math.floor(240 * fraction(hash(7, span.source.id), 1)),
  };
}

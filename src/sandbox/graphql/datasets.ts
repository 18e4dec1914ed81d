import { fraction, hash, hexDigits } from '../hash.ts';
import { LOCATIONS, METHODS, QUERY_TYPES } from '../traffic/groups.ts';
import {
  type Calculated,
  type Dataset,
  type Dimension,
  each,
  eachWith,
  fact,
  ofAspect,
  percent,
  perSecond,
  productNamed,
  type Quantity,
  total,
  type Value,
} from './dataset.ts';
import { type Aspect, alike, aspectOf, dividedLike, type Population } from './population.ts';
import {
  bytes,
  CODES,
  deliveryFacts,
  type FAMILIES,
  FAMILY_NAMES,
  KILOBYTES,
  MISSED,
  missedBytes,
  REQUEST_DIMENSIONS,
  REQUEST_MEASURES,
  REQUESTS,
  savedBytes,
  type VERDICTS,
  VOLUME_FIELDS,
} from './requests.ts';

const WAF_DIMENSIONS: readonly Dimension[] = [
  ofAspect('wafAttackFamily', 'family', FAMILY_NAMES),
  ofAspect('wafBlock', 'verdict', [null, '0', '0', '1']),
  ofAspect('wafLearning', 'verdict', [null, '0', '1', '0']),
];

const requests = each('requests');
const scheme = (value: string) => eachWith(REQUESTS, 'scheme', [value]);
const saved = eachWith(REQUESTS, 'cache', ['HIT']);
const missed = eachWith(REQUESTS, 'cache', MISSED);
const verdict = (value: (typeof VERDICTS)[number]) => total(eachWith(REQUESTS, 'verdict', [value]));
const family = (value: (typeof FAMILIES)[number]) => total(eachWith(REQUESTS, 'family', [value]));

/** Bits of a byte. */
const BITS = 8;
const bandwidth = (quantity: Quantity): Calculated => ({
  quantities: [quantity],
  value: ([sum = 0], seconds) => (sum * BITS) / seconds,
});

function codeFields(): Record<string, Calculated> {
  return Object.fromEntries(
    CODES.map((code) => [`requestsStatusCode${code}`, total(eachWith(REQUESTS, 'status', [code]))]),
  );
}

function methodFields(): Record<string, Calculated> {
  const names = { get: 'Get', head: 'Head', post: 'Post', others: 'Others' } as const;
  return Object.fromEntries(
    METHODS.map((method) => [
      `requestsHttpMethod${names[method]}`,
      total(eachWith(REQUESTS, 'method', [method])),
    ]),
  );
}

/** `workloadMetrics`: what content delivery and the WAF count. */
const WORKLOADS: Dataset = {
  names: ['workloadMetrics', 'httpMetrics'],
  product: productNamed('edge_applications'),
  populations: [REQUESTS, KILOBYTES],
  dimensions: [...REQUEST_DIMENSIONS, ...WAF_DIMENSIONS],
  measures: REQUEST_MEASURES,
  fields: {
    requestsTotal: total(requests),
    edgeRequestsTotal: total(requests),
    httpRequestsTotal: total(scheme('http')),
    httpsRequestsTotal: total(scheme('https')),
    savedRequests: total(saved),
    missedRequests: total(missed),
    requestsOffloaded: percent(saved, requests),
    requestsTotalPerSecond: perSecond(requests),
    edgeRequestsTotalPerSecond: perSecond(requests),
    savedRequestsPerSecond: perSecond(saved),
    missedRequestsPerSecond: perSecond(missed),
    requestsPerSecondOffloaded: percent(saved, requests),
    ...methodFields(),
    ...codeFields(),
    ...VOLUME_FIELDS,
    savedData: total(savedBytes),
    missedData: total(missedBytes),
    bandwidthTotal: bandwidth(bytes),
    bandwidthSavedData: bandwidth(savedBytes),
    bandwidthMissedData: bandwidth(missedBytes),
    bandwidthOffload: percent(savedBytes, bytes),
    wafRequestsAllowed: verdict('allowed'),
    wafRequestsBlocked: verdict('blocked'),
    wafRequestsThreat: verdict('learning'),
    wafRequestsXssAttacks: family('xss'),
    wafRequestsRfiAttacks: family('rfi'),
    wafRequestsSqlAttacks: family('sql'),
    wafRequestsOthersAttacks: family('others'),
  },
  facts: deliveryFacts,
};

/** The dimensions of requests without some. */
function requestDimensions(...without: readonly string[]): readonly Dimension[] {
  return REQUEST_DIMENSIONS.filter(({ name }) => !without.includes(name));
}

/** What the caches between edge and origin serve. */
const TIERED_CACHE: Dataset = {
  names: ['tieredCacheMetrics', 'l2CacheMetrics'],
  product: productNamed('l2_caching'),
  populations: [REQUESTS, KILOBYTES],
  dimensions: requestDimensions('remoteAddressClass', 'geolocCountryName', 'geolocRegionName', 'sslProtocol'),
  measures: REQUEST_MEASURES,
  fields: VOLUME_FIELDS,
  facts: deliveryFacts,
};

const IMAGES: Dataset = {
  names: ['imagesProcessedMetrics'],
  product: productNamed('image_processor'),
  populations: [REQUESTS, KILOBYTES],
  dimensions: requestDimensions('serverProtocol', 'sslProtocol', 'proxyStatus'),
  measures: REQUEST_MEASURES,
  fields: {},
  facts: deliveryFacts,
};

/** What a product counts, however it calls it. */
const COUNTED: Population = {
  name: 'counted',
  whole: (cells) => cells.cell('plain', 0),
  aspects: [aspectOf('location', 'locations', LOCATIONS, 1)],
};

/** The kilobytes of what is counted. */
const MOVED: Population = {
  name: 'moved',
  whole: (cells) => cells.cell('plain', 1),
  aspects: COUNTED.aspects.map((aspect) => alike(aspect, COUNTED)),
};

const LOCATION = ofAspect('sourceLocPop', 'location', LOCATIONS);

/** How a function is started. */
const INITIATORS = { application: 1, firewall: 2 } as const;

const startedBy = (initiator: number): Quantity => ({
  of: 'counted',
  aspects: [],
  each: (_, facts) => (facts['initiatorType'] === initiator ? 1 : 0),
});

/** A function's instance is the function at one domain; `configurationId` is that of the domain's application. */
const FUNCTIONS: Dataset = {
  names: ['functionsMetrics', 'edgeFunctionsMetrics'],
  product: productNamed('edge_functions'),
  populations: [COUNTED],
  dimensions: [
    fact('configurationId'),
    fact('functionId'),
    fact('functionInstanceId'),
    fact('functionLanguage'),
    fact('initiatorType', 'Int'),
    LOCATION,
  ],
  measures: {
    invocations: each('counted'),
    computeTime: { of: 'counted', aspects: [], each: (_, facts) => Number(facts['computeMs']) },
  },
  fields: {
    applicationInvocations: total(startedBy(INITIATORS.application)),
    firewallInvocations: total(startedBy(INITIATORS.firewall)),
  },
  facts({ domains, functions }, { source, configuration }) {
    const used = functions.get(configuration);
    const application = domains.get(source.id)?.edge_application_id;
    const initiator = used?.initiator_type === 'edge_firewall' ? 'firewall' : 'application';
    return {
      configurationId: application === undefined ? null : String(application),
      functionId: String(configuration),
      functionInstanceId: String(hash(configuration, source.id)),
      functionLanguage: used?.language ?? null,
      initiatorType: INITIATORS[initiator],
      computeMs: 1 + Math.floor(40 * fraction(hash(8, configuration), 1)),
    };
  },
};

const DNS_QUERIES: Dataset = {
  names: ['dnsQueriesMetrics', 'edgeDnsQueriesMetrics', 'idnsQueriesMetrics'],
  product: productNamed('intelligent_dns'),
  populations: [
    { ...COUNTED, aspects: [...COUNTED.aspects, aspectOf('queryType', 'queryTypes', QUERY_TYPES, 5)] },
  ],
  dimensions: [fact('zoneId'), ofAspect('qtype', 'queryType', QUERY_TYPES), LOCATION],
  measures: { requests: each('counted') },
  fields: {},
  facts: (_, { configuration }) => ({ zoneId: String(configuration) }),
};

const ENDPOINTS = ['http_post', 's3', 'kafka', 'elasticsearch'] as const;

/** How many lines a request carries to the endpoint of a stream. */
const LINES = 25;

const DATA_STREAMED: Dataset = {
  names: ['dataStreamedMetrics'],
  product: productNamed('data_streaming'),
  populations: [COUNTED, MOVED],
  dimensions: [fact('configurationId'), fact('endpointType'), LOCATION],
  measures: {
    requests: each('counted'),
    dataStreamed: each('moved', 1000),
    streamedLines: each('counted', LINES),
  },
  fields: {},
  facts: (_, { configuration }) => ({
    configurationId: String(configuration),
    endpointType: ENDPOINTS[configuration % ENDPOINTS.length] ?? null,
  }),
};

/** Sessions that are open, as a share of the requests of a minute. */
const users = (share: number): Calculated => ({
  quantities: [each('counted')],
  value: ([sum = 0], seconds) => Math.round((sum * share * 60) / seconds),
});

const CONNECTED_USERS: Dataset = {
  names: ['connectedUsersMetrics'],
  product: productNamed('live_streaming'),
  populations: [COUNTED],
  dimensions: [fact('host')],
  measures: {},
  fields: { uniqueSessions: users(0.3), uniqueSessionsTotal: users(0.42) },
  facts: ({ otherConfigurations }, { configuration }) => ({
    host: `${otherConfigurations.get(configuration)?.name ?? configuration}.live.example.net`,
  }),
};

/** An aspect that the REST analytics know nothing of: few values have most of the units. */
function longTail(name: string, values: readonly string[], turns: number): Aspect {
  const shares = values.map((_, index) => Math.floor(10_000 / (index + 1)));
  return { name, values, turns, parts: (_, whole) => dividedLike(shares, whole, 0) };
}

const PATHS = Array.from({ length: 40 }, (_, index) =>
  index === 0
    ? '/'
    : `/${['products', 'images', 'api', 'search'][index % 4]}/${hexDigits(hash(9, index), 6)}`,
);
const ADDRESSES = Array.from({ length: 60 }, (_, index) => `198.51.100.${index + 1}`);
const AGENTS = ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla/5.0 (iPhone)', 'curl/8.5.0', 'ExampleBot/2.1'];
const REFERERS = ['-', 'https://www.example.com/', 'https://search.example.net/'];
const NETWORKS = ['64496', '64500', '64511'];

const UNITS: Population = {
  ...REQUESTS,
  aspects: [
    ...REQUESTS.aspects,
    longTail('path', PATHS, 3),
    longTail('address', ADDRESSES, 5),
    longTail('agent', AGENTS, 7),
    longTail('referer', REFERERS, 11),
    longTail('network', NETWORKS, 13),
  ],
};

/** `workloadBreakdownMetrics`: dimensions of many values, in hours. */
const BREAKDOWN: Dataset = {
  names: ['workloadBreakdownMetrics'],
  product: productNamed('edge_applications'),
  isCoarse: true,
  populations: [UNITS],
  dimensions: [
    ...REQUEST_DIMENSIONS.filter(({ name }) => name === 'configurationId' || name === 'host'),
    ofAspect('requestPath', 'path', PATHS),
    ofAspect('remoteAddress', 'address', ADDRESSES),
    ofAspect('httpUserAgent', 'agent', AGENTS),
    ofAspect('httpReferer', 'referer', REFERERS),
    ofAspect('geolocAsn', 'network', NETWORKS),
  ],
  measures: {},
  fields: {
    requests: total(each('requests')),
    blockedRequests: total(eachWith(REQUESTS, 'verdict', ['blocked'])),
    wafThreatRequests: total(eachWith(REQUESTS, 'verdict', ['learning'])),
  },
  facts: deliveryFacts,
};

/** What a bot is taken for, by the verdict of the WAF, the second by the method: monitors ask for heads. */
const BOTS: readonly (readonly [name: string, byVerdict: readonly Value[], ofHead: Value])[] = [
  ['classified', ['legitimate', 'legitimate', 'bad bot', 'bad bot'], 'good bot'],
  ['action', ['allow', 'allow', 'allow', 'deny'], 'allow'],
  ['botCategory', [null, null, 'scanner', 'scanner'], 'monitor'],
];

function ofBots(): readonly Dimension[] {
  const heads = REQUESTS.aspects.find(({ name }) => name === 'method')?.values.indexOf('head');
  return BOTS.map(([name, byVerdict, ofHead]) => ({
    name,
    type: 'String',
    aspects: ['verdict', 'method'],
    value: (_, unit) => {
      const found = byVerdict[unit('verdict')] ?? null;
      return unit('method') === heads && unit('verdict') < 2 ? ofHead : found;
    },
  }));
}

/** `botManagerMetrics`, of accounts that have subscribed to it. */
const BOT_MANAGER: Dataset = {
  names: ['botManagerMetrics'],
  product: productNamed('edge_applications'),
  populations: [REQUESTS],
  dimensions: [
    ...REQUEST_DIMENSIONS.filter(({ name }) =>
      ['configurationId', 'host', 'geolocCountryName', 'requestMethod'].includes(name),
    ),
    ...ofBots(),
  ],
  measures: { requests },
  fields: {},
  facts: deliveryFacts,
};

/** Every dataset of the metrics endpoint. */
export const DATASETS: readonly Dataset[] = [
  WORKLOADS,
  TIERED_CACHE,
  IMAGES,
  FUNCTIONS,
  DNS_QUERIES,
  DATA_STREAMED,
  CONNECTED_USERS,
  BOT_MANAGER,
  BREAKDOWN,
];

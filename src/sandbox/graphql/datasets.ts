import { fraction, hash, hexDigits } from '../hash.ts';
import { LOCATIONS, METHODS, QUERY_TYPES } from '../traffic/groups.ts';
import {
  type Calculated,
  type Dataset,
  type Dimension,
  each,
  eachWith,
  factsNamed,
  ofAspect,
  percent,
  perSecond,
  productNamed,
  total,
  type Value,
} from './dataset.ts';
import { type Aspect, alike, aspectOf, dividedLike, type Population } from './population.ts';
import {
  bytes,
  CODES,
  deliveryFacts,
  FAMILY_NAMES,
  KILOBYTES,
  MISSED,
  missedBytes,
  REQUEST_DIMENSIONS,
  REQUEST_MEASURES,
  REQUESTS,
  savedBytes,
  VOLUME_FIELDS,
} from './requests.ts';

const requests = each('requests');
const saved = eachWith(REQUESTS, 'cache', ['HIT']);
const missed = eachWith(REQUESTS, 'cache', MISSED);
const BITS_OF_A_BYTE = 8;

/** Returns fields that count the requests with each value of an aspect. */
function countedBy(
  aspect: string,
  values: readonly string[],
  nameOf: (value: string) => string,
): Readonly<Record<string, Calculated>> {
  return Object.fromEntries(
    values.map((value) => [nameOf(value), total(eachWith(REQUESTS, aspect, [value]))]),
  );
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Returns some of the dimensions of requests. */
function requestDimensions(isWanted: (name: string) => boolean): Readonly<Record<string, Dimension>> {
  return Object.fromEntries(Object.entries(REQUEST_DIMENSIONS).filter(([name]) => isWanted(name)));
}

/** Properties that all datasets of requests share. */
const DELIVERY = {
  product: productNamed('edge_applications'),
  populations: [REQUESTS, KILOBYTES],
  measures: REQUEST_MEASURES,
  fields: {},
  facts: deliveryFacts,
} satisfies Partial<Dataset>;

/** Dataset of content delivery and the WAF. */
const WORKLOADS: Dataset = {
  ...DELIVERY,
  names: ['workloadMetrics', 'httpMetrics'],
  dimensions: {
    ...REQUEST_DIMENSIONS,
    wafAttackFamily: ofAspect('family', FAMILY_NAMES),
    wafBlock: ofAspect('verdict', [null, '0', '0', '1']),
    wafLearning: ofAspect('verdict', [null, '0', '1', '0']),
  },
  fields: {
    requestsTotal: total(requests),
    edgeRequestsTotal: total(requests),
    ...countedBy('scheme', ['http', 'https'], (scheme) => `${scheme}RequestsTotal`),
    savedRequests: total(saved),
    missedRequests: total(missed),
    requestsOffloaded: percent(saved, requests),
    requestsTotalPerSecond: perSecond(requests),
    edgeRequestsTotalPerSecond: perSecond(requests),
    savedRequestsPerSecond: perSecond(saved),
    missedRequestsPerSecond: perSecond(missed),
    requestsPerSecondOffloaded: percent(saved, requests),
    ...countedBy('method', METHODS, (method) => `requestsHttpMethod${capitalized(method)}`),
    ...countedBy('status', CODES, (code) => `requestsStatusCode${code}`),
    ...VOLUME_FIELDS,
    savedData: total(savedBytes),
    missedData: total(missedBytes),
    bandwidthTotal: perSecond(bytes, BITS_OF_A_BYTE),
    bandwidthSavedData: perSecond(savedBytes, BITS_OF_A_BYTE),
    bandwidthMissedData: perSecond(missedBytes, BITS_OF_A_BYTE),
    bandwidthOffload: percent(savedBytes, bytes),
    ...countedBy('verdict', ['allowed', 'blocked'], (verdict) => `wafRequests${capitalized(verdict)}`),
    ...countedBy('verdict', ['learning'], () => 'wafRequestsThreat'),
    ...countedBy(
      'family',
      ['xss', 'rfi', 'sql', 'others'],
      (family) => `wafRequests${capitalized(family)}Attacks`,
    ),
  },
};

/** Dataset of the caches between edge and origin. */
const TIERED_CACHE: Dataset = {
  ...DELIVERY,
  names: ['tieredCacheMetrics', 'l2CacheMetrics'],
  product: productNamed('l2_caching'),
  dimensions: requestDimensions((name) => !/^(remoteAddressClass|geoloc.*|sslProtocol)$/.test(name)),
  fields: VOLUME_FIELDS,
};

const IMAGES: Dataset = {
  ...DELIVERY,
  names: ['imagesProcessedMetrics'],
  product: productNamed('image_processor'),
  dimensions: requestDimensions((name) => !/^(serverProtocol|sslProtocol|proxyStatus)$/.test(name)),
};

/** Population of the units that a product counts, such as requests. */
const COUNTED: Population = {
  name: 'counted',
  whole: (cells) => cells.cell('plain', 0),
  aspects: [aspectOf('location', 'locations', LOCATIONS, 1)],
};

/** Population of the kilobytes of the counted units. */
const MOVED: Population = {
  name: 'moved',
  whole: (cells) => cells.cell('plain', 1),
  aspects: COUNTED.aspects.map((aspect) => alike(aspect, COUNTED)),
};

const sourceLocPop = ofAspect('location', LOCATIONS);

/** Initiators of functions, with their weights. */
const INITIATORS = { application: 1, firewall: 2 } as const;

const startedBy = (initiator: number): Calculated =>
  total({
    of: 'counted',
    aspects: [],
    each: (_, facts) => (facts['initiatorType'] === initiator ? 1 : 0),
  });

/** Dataset of functions. An instance is a function at one domain; `configurationId` is that of the domain's application. */
const FUNCTIONS: Dataset = {
  names: ['functionsMetrics', 'edgeFunctionsMetrics'],
  product: productNamed('edge_functions'),
  populations: [COUNTED],
  dimensions: {
    ...factsNamed('configurationId', 'functionId', 'functionInstanceId', 'functionLanguage'),
    initiatorType: { type: 'Int', aspects: [], value: (facts) => facts['initiatorType'] ?? null },
    sourceLocPop,
  },
  measures: {
    invocations: each('counted'),
    computeTime: { of: 'counted', aspects: [], each: (_, facts) => Number(facts['computeMs']) },
  },
  fields: {
    applicationInvocations: startedBy(INITIATORS.application),
    firewallInvocations: startedBy(INITIATORS.firewall),
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
  dimensions: { ...factsNamed('zoneId'), qtype: ofAspect('queryType', QUERY_TYPES), sourceLocPop },
  measures: { requests: each('counted') },
  fields: {},
  facts: (_, { configuration }) => ({ zoneId: String(configuration) }),
};

const ENDPOINTS = ['http_post', 's3', 'kafka', 'elasticsearch'] as const;

/** Number of lines in a request to the endpoint of a stream. */
const LINES = 25;

const DATA_STREAMED: Dataset = {
  names: ['dataStreamedMetrics'],
  product: productNamed('data_streaming'),
  populations: [COUNTED, MOVED],
  dimensions: { ...factsNamed('configurationId', 'endpointType'), sourceLocPop },
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

/** Returns a field with the open sessions, as a share of the requests of a minute. */
const users = (share: number): Calculated => ({
  quantities: [each('counted')],
  value: ([sum = 0], seconds) => Math.round((sum * share * 60) / seconds),
});

const CONNECTED_USERS: Dataset = {
  names: ['connectedUsersMetrics'],
  product: productNamed('live_streaming'),
  populations: [COUNTED],
  dimensions: factsNamed('host'),
  measures: {},
  fields: { uniqueSessions: users(0.3), uniqueSessionsTotal: users(0.42) },
  facts: ({ otherConfigurations }, { configuration }) => ({
    host: `${otherConfigurations.get(configuration)?.name ?? configuration}.live.example.net`,
  }),
};

const PATHS = Array.from({ length: 40 }, (_, index) =>
  index === 0
    ? '/'
    : `/${['products', 'images', 'api', 'search'][index % 4]}/${hexDigits(hash(9, index), 6)}`,
);

/** Dimensions that REST analytics lack: their values, and the number of units after which they take turns. */
const LONG_TAILS: Readonly<Record<string, readonly [values: readonly string[], turns: number]>> = {
  requestPath: [PATHS, 3],
  remoteAddress: [Array.from({ length: 60 }, (_, index) => `198.51.100.${index + 1}`), 5],
  httpUserAgent: [
    ['Mozilla/5.0 (X11; Linux x86_64)', 'Mozilla/5.0 (iPhone)', 'curl/8.5.0', 'ExampleBot/2.1'],
    7,
  ],
  httpReferer: [['-', 'https://www.example.com/', 'https://search.example.net/'], 11],
  geolocAsn: [['64496', '64500', '64511'], 13],
};

/** A few values have most of the units. */
const LONG_TAIL_ASPECTS = Object.entries(LONG_TAILS).map(([name, [values, turns]]): Aspect => {
  const shares = values.map((_, index) => Math.floor(10_000 / (index + 1)));
  return { name, values, turns, parts: (_, whole) => dividedLike(shares, whole, 0) };
});

/** Dataset of dimensions with many values, in buckets of an hour. */
const BREAKDOWN: Dataset = {
  ...DELIVERY,
  names: ['workloadBreakdownMetrics'],
  isCoarse: true,
  populations: [{ ...REQUESTS, aspects: [...REQUESTS.aspects, ...LONG_TAIL_ASPECTS] }],
  dimensions: {
    ...factsNamed('configurationId', 'host'),
    ...Object.fromEntries(LONG_TAIL_ASPECTS.map(({ name, values }) => [name, ofAspect(name, values)])),
  },
  measures: {},
  fields: {
    requests: total(requests),
    ...countedBy('verdict', ['blocked'], () => 'blockedRequests'),
    ...countedBy('verdict', ['learning'], () => 'wafThreatRequests'),
  },
};

/** Returns a dimension with the bot's category or action, from the WAF's verdict and the method: monitors send HEAD. */
function ofBots(byVerdict: readonly Value[], ofHead: Value): Dimension {
  const head = METHODS.indexOf('head');
  return {
    type: 'String',
    aspects: ['verdict', 'method'],
    value: (_, unit) =>
      unit('method') === head && unit('verdict') < 2 ? ofHead : (byVerdict[unit('verdict')] ?? null),
  };
}

/** Dataset that only accounts with a subscription have. */
const BOT_MANAGER: Dataset = {
  ...DELIVERY,
  names: ['botManagerMetrics'],
  populations: [REQUESTS],
  dimensions: {
    ...requestDimensions((name) => /^(configurationId|host|geolocCountryName|requestMethod)$/.test(name)),
    classified: ofBots(['legitimate', 'legitimate', 'bad bot', 'bad bot'], 'good bot'),
    action: ofBots(['allow', 'allow', 'allow', 'deny'], 'allow'),
    botCategory: ofBots([null, null, 'scanner', 'scanner'], 'monitor'),
  },
  measures: { requests },
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

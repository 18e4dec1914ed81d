import { fraction, hash } from '../hash.ts';
import { LOCATIONS, QUERY_TYPES } from '../traffic/groups.ts';
import {
  type Calculated,
  type Dataset,
  type Dimension,
  each,
  fact,
  ofAspect,
  productNamed,
  type Quantity,
  total,
} from './dataset.ts';
import { alike, aspectOf, type Population } from './population.ts';
import {
  deliveryFacts,
  KILOBYTES,
  REQUEST_DIMENSIONS,
  REQUEST_MEASURES,
  REQUESTS,
  VOLUME_FIELDS,
} from './requests.ts';

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

/** What the platform counts of products other than content delivery. */
export const SERVICES: readonly Dataset[] = [
  TIERED_CACHE,
  IMAGES,
  FUNCTIONS,
  DNS_QUERIES,
  DATA_STREAMED,
  CONNECTED_USERS,
];

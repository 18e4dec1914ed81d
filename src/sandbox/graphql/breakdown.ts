import { hash, hexDigits } from '../hash.ts';
import {
  type Dataset,
  type Dimension,
  each,
  eachWith,
  ofAspect,
  productNamed,
  type Quantity,
  total,
  type Value,
} from './dataset.ts';
import { type Aspect, dividedLike, type Population } from './population.ts';
import { deliveryFacts, REQUEST_DIMENSIONS, REQUESTS } from './requests.ts';

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
export const BREAKDOWN: Dataset = {
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

const requests: Quantity = each('requests');

/** `botManagerMetrics`, of accounts that have subscribed to it. */
export const BOT_MANAGER: Dataset = {
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

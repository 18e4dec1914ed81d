import { METHODS } from '../traffic/groups.ts';
import {
  type Calculated,
  type Dataset,
  type Dimension,
  each,
  eachWith,
  ofAspect,
  percent,
  perSecond,
  productNamed,
  type Quantity,
  total,
} from './dataset.ts';
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
export const WORKLOADS: Dataset = {
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

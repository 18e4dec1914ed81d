import { expect, it } from 'vitest';
import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import { inLongSuite } from '../long-suite.ts';
import { SCHEDULE, type Truth, throughTroubles, wrongCounters } from './graphql-truth.ts';
import { simulate } from './simulation.ts';

type Value = Parameters<Exclude<Truth['dimension'], string>>[0];

const CODES = ['200', '204', '206', '301', '302', '304', '400', '403', '404', '500', '502', '503'];
const IMAGES = { dataset: 'imagesProcessedMetrics' };
const FUNCTIONS = { dataset: 'functionsMetrics', key: 'functionId' };

function codeOf(status: Value): string | undefined {
  if (status === null) return undefined;
  return CODES.includes(String(status)) ? String(status) : `${String(status)[0]}xx`;
}

function byValue(by: string, isWhole = true, dataset = 'workloadMetrics'): readonly Truth[] {
  const dimension = (value: Value, told: ReadonlySet<string>) => {
    if (value === null && !isWhole) return undefined;
    const name = String(value ?? 'none');
    return told.has(name) ? name : 'other';
  };
  return [{ dataset, sum: 'requests', by, dimension }];
}

interface Scenario {
  readonly name: string;
  readonly sandbox: object;
  /** Products of the metrics API, and metrics of content delivery as a whole. */
  readonly products: object;
  readonly wholes: readonly string[];
  readonly truths: Readonly<Record<string, readonly Truth[]>>;
  /** Number of series of each counter at the end; 0 stands for any number. */
  readonly shown: Readonly<Record<string, number>>;
  readonly buckets: number;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'seconds and responses of origins, beside REST',
    sandbox: { configurations: 3, domainsPerConfiguration: 2 },
    products: { edge_applications: { metrics: ['status_code', 'request_duration', 'upstream_responses'] } },
    wholes: ['upstream_responses'],
    truths: {
      request_duration: [
        { sum: 'requestTime', dimension: 'seconds' },
        { field: 'requestsTotal', dimension: 'requests' },
      ],
      upstream_responses: [
        { sum: 'upstreamResponseTime', dimension: 'seconds' },
        { sum: 'requests', by: 'upstreamStatus', dimension: codeOf },
      ],
    },
    // One series for each configuration and each code. Missing rows mean zero.
    shown: {
      request_duration_seconds: 3,
      timed_requests: 3,
      upstream_response_seconds: 3,
      upstream_responses: 3 * 17,
      product_upstream_responses: 17,
    },
    buckets: 3 * 2 * 2 * 60,
  },
  {
    name: 'what functions compute, what DNS is asked for, images and lines',
    sandbox: { configurations: 2, domainsPerConfiguration: 2 },
    products: {
      edge_functions: { address_by: 'configuration', metrics: ['function_compute'] },
      intelligent_dns: { metrics: ['idns_queries_by_type'] },
      image_processor: { metrics: ['image_delivery'] },
      data_streaming: { metrics: ['data_streaming_lines'] },
    },
    wholes: [],
    truths: {
      function_compute: [
        { ...FUNCTIONS, sum: 'computeTime', dimension: 'seconds', scale: 0.001 },
        { ...FUNCTIONS, field: 'applicationInvocations', dimension: 'application' },
        { ...FUNCTIONS, field: 'firewallInvocations', dimension: 'firewall' },
      ],
      idns_queries_by_type: [
        { dataset: 'dnsQueriesMetrics', key: 'zoneId', sum: 'requests', by: 'qtype', dimension: String },
      ],
      image_delivery: [
        { ...IMAGES, sum: 'requestTime', dimension: 'seconds' },
        { ...IMAGES, sum: 'requests', dimension: 'requests' },
        { ...IMAGES, sum: 'bytesSent', dimension: 'bytes' },
      ],
      data_streaming_lines: [{ dataset: 'dataStreamedMetrics', sum: 'streamedLines', dimension: 'total' }],
    },
    shown: {
      data_streamed_lines: 0,
      dns_queries_by_type: 2 * 16,
      function_compute_seconds: 0,
      image_duration_seconds: 0,
      timed_images: 0,
      image_bytes: 0,
    },
    buckets: 4 * 60,
  },
  {
    name: 'the largest countries, hosts and so on, and all others together',
    sandbox: { configurations: 2, domainsPerConfiguration: inLongSuite(5, 4), graphqlMissing: [] },
    products: {
      edge_applications: {
        top: 3,
        metrics: [
          'requests_by_country',
          'requests_by_host',
          'requests_by_location',
          'requests_by_cache_status',
          'waf_requests_by_attack_family',
        ],
      },
    },
    wholes: ['requests_by_country', 'bot_requests_by_action', 'bot_requests_by_category'],
    truths: {
      requests_by_country: byValue('geolocCountryName'),
      requests_by_host: byValue('host'),
      requests_by_location: byValue('sourceLocPop'),
      requests_by_cache_status: byValue('upstreamCacheStatus'),
      waf_requests_by_attack_family: byValue('wafAttackFamily', false),
      bot_requests_by_action: byValue('action', true, 'botManagerMetrics'),
      bot_requests_by_category: byValue('botCategory', true, 'botManagerMetrics'),
    },
    // At most three values per dimension, and the sum of the rest.
    shown: { requests_by_country: 2 * 4, product_requests_by_country: 11, requests_by_host: 2 * 4 },
    buckets: 6 * 2 * 60,
  },
];

const TROUBLES: readonly FaultSettings[] = [
  {},
  { late_data: { minutes: 12 } },
  { repeated_rows: { probability: 0.3 }, wrong_types: { probability: 0.3, share: 0.05 } },
  { conflicting_rows: { probability: 0.5, share: 0.1 }, graphql_errors: { probability: 0.3 } },
  {},
];

it.each(SCENARIOS)('GraphQL: $name are counted exactly, through troubles and kills', async (scenario) => {
  const { products, wholes, truths, shown, buckets } = scenario;
  const content_delivery = { by: ['product'], metrics: wholes };
  const simulation = await simulate({
    sandbox: { graphqlRateLimit: 400, ...scenario.sandbox },
    account: {
      collectors: {
        metrics: { schedule: SCHEDULE, products },
        ...(wholes.length > 0 && { analytics: { schedule: SCHEDULE, products: { content_delivery } } }),
      },
    },
  });
  const { sandbox, state } = simulation;
  const ever = new Set<string>();
  const ended = await throughTroubles(simulation, TROUBLES, (seen) => {
    for (const key of seen.keys()) if (key.startsWith('["edge_requests_by_')) ever.add(key);
  });
  for (const [name, series] of Object.entries(shown)) {
    if (series === 0) expect(ended.shown(`edge_${name}_total`), name).toBeGreaterThan(0);
    else expect(ended.shown(`edge_${name}_total`), name).toBe(series);
  }
  // No series disappears after it was exposed once.
  for (const key of ever) expect([...ended.samples.keys()], key).toContain(key);
  expect(ended.decreases).toEqual([]);
  await simulation.stop();
  // By then, the platform has made all its later changes.
  await simulation.minutes(120);
  const counted = await wrongCounters(sandbox, state, truths);
  expect(counted.wrong).toEqual([]);
  expect(counted.buckets).toBeGreaterThan(buckets);
  for (const metric of Object.keys(truths))
    expect([...counted.seen].filter((name) => name.startsWith(metric)).length, metric).toBeGreaterThan(0);
});

import { expect, it } from 'vitest';
import { SCHEDULE, type Truth, throughTroubles, wrongCounters } from './graphql-truth.ts';
import { simulate } from './simulation.ts';

const IMAGES = { dataset: 'imagesProcessedMetrics' };
const FUNCTIONS = { dataset: 'functionsMetrics', key: 'functionId' };

/** By name of the metric: what the platform's GraphQL says of it. */
const TRUTHS: Readonly<Record<string, readonly Truth[]>> = {
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
};

it('counts what functions compute, what DNS is asked for, images and lines exactly by GraphQL, through troubles and kills', async () => {
  const simulation = await simulate({
    sandbox: { configurations: 2, domainsPerConfiguration: 2, graphqlRateLimit: 400 },
    account: {
      collectors: {
        metrics: {
          schedule: SCHEDULE,
          products: {
            edge_functions: { address_by: 'configuration', metrics: ['function_compute'] },
            intelligent_dns: { metrics: ['idns_queries_by_type'] },
            image_processor: { metrics: ['image_delivery'] },
            data_streaming: { metrics: ['data_streaming_lines'] },
          },
        },
      },
    },
  });
  const { sandbox, state } = simulation;
  const { shown, decreases } = await throughTroubles(simulation, [
    {},
    { late_data: { minutes: 12 } },
    { repeated_rows: { probability: 0.3 }, graphql_errors: { probability: 0.3 } },
    {},
  ]);
  const configurations = shown('edge_data_streamed_lines_total');
  expect(configurations).toBeGreaterThan(0);
  expect(shown('edge_dns_queries_by_type_total') % 16).toBe(0);
  for (const name of ['function_compute_seconds', 'image_duration_seconds', 'timed_images', 'image_bytes'])
    expect(shown(`edge_${name}_total`), name).toBeGreaterThan(0);
  expect(decreases).toEqual([]);
  await simulation.stop();
  await simulation.minutes(120);
  const { wrong, buckets, seen } = await wrongCounters(sandbox, state, TRUTHS);
  expect(wrong).toEqual([]);
  expect(buckets).toBeGreaterThan(4 * 60);
  for (const name of ['function_compute.seconds', 'idns_queries_by_type.AAAA', 'image_delivery.bytes'])
    expect([...seen], name).toContain(name);
});

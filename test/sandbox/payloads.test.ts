import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, startBench } from './client.ts';
import { BASIC } from './conformance.ts';

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../payloads/${name}.json`, import.meta.url), 'utf8'));

const ANSWERS: readonly (readonly [payload: string, send: string, version: number])[] = [
  ['analytics_configurations', 'GET /analytics/products/1441740010/configurations', 1],
  ['digital_certificates_list_v3', 'GET /digital_certificates', 3],
  ['domains_get_v3', 'GET /domains/1536580017', 3],
  ['edge_applications_get_v3', 'GET /edge_applications/1528990720', 3],
  ['edge_applications_list_v3', 'GET /edge_applications?page_size=2', 3],
  ['edge_firewall_get_v3', 'GET /edge_firewall/200', 3],
  ['edge_firewall_rulesets_get_v1', 'GET /edge_firewall/rulesets/534', 1],
  ['edge_functions_list_v3', 'GET /edge_functions', 3],
  ['intelligent_dns_list_v3', 'GET /intelligent_dns', 3],
  ['network_lists_get_v3_asn', 'GET /network_lists/1010', 3],
  ['network_lists_list_v3', 'GET /network_lists', 3],
  ['tokens_post_v1', 'POST /tokens', 1],
  ['tokens_post_v3', 'POST /tokens', 3],
  ['waf_rulesets_get_v2', 'GET /waf/rulesets/3', 2],
];

function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (typeof value !== 'object' || value === null) return typeof value;
  const entries = Object.entries(value).filter(([name]) => !VARIABLE.has(name));
  return Object.fromEntries(entries.map(([name, item]) => [name, shape(item)]));
}

const VARIABLE = new Set([
  'links',
  'json_args',
  'cnames',
  'accepted_domains',
  'ip_blocking_addresses',
  'domains',
]);

describe('the shape of an answer is the recorded one', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ tokenTimestamps: 'recorded' });
  });
  afterAll(() => bench.close());

  it.each(ANSWERS)('%s', async (payload, send, version) => {
    const [method = '', path = ''] = send.split(' ');
    const headers = path === '/tokens' ? BASIC : {};
    const answer = await bench.call(method, path, { version, headers });
    expect(shape(answer.json())).toEqual(shape(recorded(payload)));
  });

  it('analytics_metadata, to the letter', async () => {
    const answer = await bench.get('/analytics/metadata', 1);
    expect(answer.text).toBe(JSON.stringify(recorded('analytics_metadata')));
  });

  it.each([
    ['analytics_aggregate_metric_dimension', '/aggregate/metrics/data_transferred/dimensions/total'],
    [
      'analytics_configuration_metric_dimension',
      '/configurations/1528990720/metrics/data_transferred/dimensions/total',
    ],
  ])('%s', async (payload, path) => {
    const document = recorded(payload);
    const [[, ids]] = Object.entries(document as Record<string, object>) as [[string, object]];
    const [id = ''] = Object.keys(ids);
    const asked = id === '1441740010' ? path : path.replace(/\d{10}/, '1528990720');
    const answer = await bench.get(`/analytics/products/1441740010${asked}?date_from=last-30-days`, 1);
    const normal = (text: string) => JSON.parse(text.replaceAll('1453750337', '1528990720'));
    expect(shape(answer.json())).toEqual(shape(normal(JSON.stringify(document))));
  });

  it('intelligent_dns_records_list_v3, when later fields are shown', async () => {
    bench.sandbox.settings.laterFields = 'present';
    const { results } = (await bench.get('/intelligent_dns/40960/records')).json() as { results: object };
    const { results: expected } = recorded('intelligent_dns_records_list_v3') as {
      results: { records: object[] };
    };
    expect(Object.keys(results)).toEqual(Object.keys(expected));
    expect(results).toMatchObject({
      records: expect.arrayContaining([expect.objectContaining(typesOf(expected.records[0]))]),
    });
    bench.sandbox.settings.laterFields = 'absent';
  });
});

function typesOf(record: object | undefined): object {
  const constructors = { string: String, number: Number, object: Array } as const;
  const types = Object.entries(record ?? {}).map(([name, value]) => [
    name,
    expect.any(constructors[typeof value as 'string']),
  ]);
  return Object.fromEntries(types);
}

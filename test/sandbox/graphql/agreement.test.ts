import { describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../../src/sandbox/faults/faults.ts';
import { type Bench, NOON, startBench } from '../client.ts';
import { documentOf, rowsOf } from './ask.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DELIVERY = '/analytics/products/1441740010/configurations';

type Field = readonly [dimension: string, fields: string, factor?: number];

const CODES = ['200', '204', '206', '301', '302', '304', '400', '403', '404', '500', '502', '503'];

const SHARED: Readonly<Record<string, readonly Field[]>> = {
  requests: [
    ['total', 'requestsTotal'],
    ['http', 'httpRequestsTotal'],
    ['https', 'httpsRequestsTotal'],
    ['saved', 'savedRequests'],
    ['missed', 'missedRequests'],
  ],
  data_transferred: [
    ['total', 'dataTransferredTotal', 1e6],
    ['saved', 'savedData', 1e6],
    ['missed', 'missedData', 1e6],
  ],
  bandwidth: [
    ['total', 'bandwidthTotal'],
    ['saved', 'bandwidthSavedData'],
    ['missed', 'bandwidthMissedData'],
  ],
  requests_per_second: [
    ['total', 'requestsTotalPerSecond'],
    ['saved', 'savedRequestsPerSecond'],
    ['missed', 'missedRequestsPerSecond'],
  ],
  requests_offloaded: [['offload', 'requestsOffloaded']],
  requests_per_second_offloaded: [['offload', 'requestsPerSecondOffloaded']],
  data_offloaded: [['offload', 'offload']],
  bandwidth_offloaded: [['offload', 'bandwidthOffload']],
  http_method: ['Get', 'Head', 'Post', 'Others'].map(
    (method): Field => [method.toLowerCase(), `requestsHttpMethod${method}`],
  ),
  status_code: [...CODES, '2xx', '3xx', '4xx', '5xx'].map(
    (code): Field => [code, `requestsStatusCode${code}`],
  ),
  waf: [
    ['requests', 'wafRequestsAllowed+wafRequestsBlocked+wafRequestsThreat'],
    ['blocked', 'wafRequestsBlocked'],
    ['threats', 'wafRequestsBlocked+wafRequestsThreat'],
    ['xss', 'wafRequestsXssAttacks'],
    ['rfi', 'wafRequestsRfiAttacks'],
    ['sql', 'wafRequestsSqlAttacks'],
    ['others', 'wafRequestsOthersAttacks'],
  ],
};

describe('the GraphQL analytics show the traffic of the REST analytics', () => {
  let bench: Bench;

  async function both(configuration: number, metric: string, begin: number, end: number) {
    const shared = SHARED[metric] ?? [];
    const minute = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z');
    const window = `date_from=${minute(begin)}&date_to=${minute(end)}`;
    const answer = await bench.get(`${DELIVERY}/${configuration}/metrics/${metric}?${window}`, 1);
    const { configurations } = answer.json() as {
      configurations: Record<string, Record<string, Record<string, [number, number][]>>>;
    };
    const series = configurations[configuration]?.[metric] ?? {};
    const fields = [...new Set(shared.flatMap(([, names]) => names.split('+')))];
    const filter = `configurationIdEq: "${configuration}"`;
    const rows = await rowsOf(bench, documentOf({ fields, begin, end, filter }));
    const byTime = new Map(rows.map((row) => [Date.parse(String(row['ts'])), row]));
    const rest = shared.map(([dimension]) => (series[dimension] ?? []).map(([time, value]) => [time, value]));
    const times = (series[shared[0]?.[0] ?? ''] ?? []).map(([time]) => time);
    expect([...byTime.keys()].every((time) => times.includes(time))).toBe(true);
    const graphql = shared.map(([, names, factor = 1]) =>
      times.map((time) => [
        time,
        names.split('+').reduce((sum, name) => sum + Number(byTime.get(time)?.[name] ?? 0), 0) / factor,
      ]),
    );
    return { rest, graphql, rows: rows.length };
  }

  const configurations = () => [...bench.sandbox.account.applications].map(({ id }) => id);

  it.each(Object.keys(SHARED))('%s: the same in every settled minute of an hour', async (metric) => {
    bench = await startBench({ graphqlRateLimit: 1000 });
    for (const configuration of configurations()) {
      const { rest, graphql, rows } = await both(
        configuration,
        metric,
        NOON - 20_000 - 2 * HOUR,
        NOON - 20_000 - HOUR,
      );
      expect(graphql).toEqual(rest);
      expect(rows).toBe(60);
    }
  });

  const LATE: readonly (readonly [string, FaultSettings])[] = [
    ['settling', {}],
    ['late', { late_data: { minutes: 4 } }],
    ['late and settling late', { late_data: { minutes: 4, settling: 'late' } }],
    ['restated', { late_restatement: { minutes: 13, factor: 2 } }],
    ['lost', { missing_data: { from: NOON - 30 * MINUTE, to: NOON - 10 * MINUTE } }],
    ['wide', { wide_buckets: { minutes: 5, part: 'older' } }],
  ];

  it.each(LATE)('what is %s looks the same in both', async (_, faults) => {
    bench = await startBench({ faults, graphqlRateLimit: 1000 });
    const begin = NOON - 20_000 - 44 * MINUTE; // 11:50
    for (const age of [0, 20_000, 3 * MINUTE]) {
      bench.time = NOON + age;
      for (const metric of ['requests', 'status_code', 'waf']) {
        const { rest, graphql, rows } = await both(
          configurations()[0] ?? 0,
          metric,
          begin,
          begin + 45 * MINUTE,
        );
        expect(graphql).toEqual(rest);
        expect(rows).toBeGreaterThan(5);
      }
    }
  });

  const SERVICES = [
    [
      1531930033,
      'invocations',
      'total',
      'functionsMetrics',
      'functionId',
      'aggregate: {sum: invocations}',
      1,
    ],
    [1563390045, 'idns_queries', 'total', 'dnsQueriesMetrics', 'zoneId', 'aggregate: {sum: requests}', 1],
    [
      1441110021,
      'images_processed',
      'requests',
      'imagesProcessedMetrics',
      'configurationId',
      'aggregate: {sum: requests}',
      1,
    ],
    [
      1498670028,
      'data_streaming_requests',
      'total',
      'dataStreamedMetrics',
      'configurationId',
      'aggregate: {sum: requests}',
      1,
    ],
    [
      1498670028,
      'data_streaming_data_streamed',
      'total',
      'dataStreamedMetrics',
      'configurationId',
      'aggregate: {sum: dataStreamed}',
      1e6,
    ],
    [1564082375, 'l2_data_transferred', 'total', 'tieredCacheMetrics', 'configurationId', '', 1e6],
  ] as const;

  it.each(SERVICES)(
    'product %i, %s: the same in every minute of every configuration',
    async (product, metric, dimension, dataset, key, more, factor) => {
      bench = await startBench({ graphqlRateLimit: 1000, metricsIds: 'configuration' });
      const begin = NOON - 20_000 - 20 * MINUTE;
      const end = NOON;
      const field = more === '' ? 'dataTransferredTotal' : 'sum';
      const rows = await rowsOf(
        bench,
        documentOf({ dataset, groupBy: ['ts', key], fields: [field], begin, end, more }),
      );
      const path = `/metrics/products/${product}/configurations`;
      const list = (await bench.get(path, 2)).json() as { id: number }[];
      for (const { id } of list) {
        const window = 'date_from=2026-11-20T12:14Z&date_to=now';
        const series = (await bench.get(`${path}/${id}/metrics/${metric}?${window}`, 2)).json() as Record<
          string,
          [number, number][]
        >;
        const shown = (series[dimension] ?? []).filter(([, value]) => value !== 0);
        const own = rows.filter((row) => row[key] === String(id) && row[field] !== 0);
        expect(own.map((row) => [Date.parse(String(row['ts'])), Number(row[field]) / factor])).toEqual(shown);
      }
      expect(list.length).toBeGreaterThan(0);
    },
  );
});

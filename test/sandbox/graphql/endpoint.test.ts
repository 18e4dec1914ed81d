import { afterEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { type Bench, basic, NOON, startBench } from '../client.ts';
import { ask, documentOf, PATH, rowsOf } from './ask.ts';

const MINUTE = 60_000;
const WINDOW = { begin: NOON - 20_000 - 30 * MINUTE, end: NOON - 20_000 - 20 * MINUTE };
const SIMPLE = documentOf({ ...WINDOW, fields: ['requestsTotal'] });

describe('the endpoint of the GraphQL analytics', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  const start = async (options: SandboxOptions = {}) => {
    bench = await startBench(options);
  };
  const outcome = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await ask(bench, query, {}, headers);
    return [answer.status, answer.text === '' ? '' : answer.json()];
  };

  it('answers the documented example, at both paths', async () => {
    await start();
    const query = `query HttpCalculatedWAFThreatsAndRequests {
      httpMetrics(
        limit: 1000
        filter: { tsRange: {begin:"2026-11-20T12:00:00" end:"2026-11-20T12:03:00"} }
        groupBy: [ts]
        orderBy: [ts_ASC]
      ) { ts wafRequestsThreat }
    }`;
    const expected = ['12:00', '12:01', '12:02'].map((minute) => ({
      ts: `2026-11-20T${minute}:00Z`,
      wafRequestsThreat: expect.any(Number),
    }));
    for (const path of [PATH, `/v4${PATH}`]) {
      const answer = await bench.call('POST', path, { body: { query } });
      expect([answer.status, answer.json()]).toEqual([200, { data: { httpMetrics: expected } }]);
    }
  });

  it('takes variables, aliases, fragments and directives, and several datasets at once', async () => {
    await start();
    const query = `
      query Named($begin: DateTime!, $end: DateTime!, $ids: [String!], $brief: Boolean!) {
        one: workloadMetrics(groupBy: [ts], filter: {tsRange: {begin: $begin, end: $end}, configurationIdIn: $ids}) { ...counts }
        two: dnsQueriesMetrics(aggregate: {sum: requests}, filter: {tsRange: {begin: $begin, end: $end}}) { queries: sum }
      }
      fragment counts on WorkloadMetrics { __typename time: ts requestsTotal savedRequests @skip(if: $brief) }`;
    const [application] = bench.sandbox.account.applications;
    const variables = {
      begin: new Date(WINDOW.begin).toISOString(),
      end: new Date(WINDOW.begin + MINUTE).toISOString(),
      ids: [String(application?.id)],
      brief: true,
    };
    const answer = await ask(bench, query, variables);
    const row = {
      __typename: 'WorkloadMetrics',
      time: '2026-11-20T12:04:00Z',
      requestsTotal: expect.any(Number),
    };
    expect(answer.json()).toEqual({ data: { one: [row], two: [{ queries: expect.any(Number) }] } });
  });

  it('takes what it may be asked by introspection', async () => {
    await start();
    const query = '{ __schema { queryType { fields { name } } types { name fields { name } } } }';
    const { data } = (await ask(bench, query)).json() as {
      data: {
        __schema: {
          queryType: { fields: { name: string }[] };
          types: { name: string; fields: { name: string }[] | null }[];
        };
      };
    };
    const names = data.__schema.queryType.fields.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['workloadMetrics', 'httpMetrics', 'functionsMetrics', 'dnsQueriesMetrics']),
    );
    expect(names).not.toContain('botManagerMetrics');
    const type = data.__schema.types.find(({ name }) => name === 'WorkloadMetrics');
    expect(type?.fields?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ts', 'configurationId', 'requestsTotal', 'sum']),
    );
  });

  it('lacks the datasets and fields that an account does not have', async () => {
    await start({
      graphqlMissing: ['workloadMetrics.requestsTotal', 'dnsQueriesMetrics', 'workloadMetrics.host'],
    });
    const unknown = (text: string) => [400, { detail: expect.stringContaining(text) }];
    expect(await outcome(SIMPLE)).toEqual(
      unknown('Cannot query field "requestsTotal" on type "WorkloadMetrics".'),
    );
    expect(await outcome(documentOf({ ...WINDOW, dataset: 'idnsQueriesMetrics', groupBy: ['ts'] }))).toEqual(
      unknown('Cannot query field "idnsQueriesMetrics" on type "Query".'),
    );
    expect(await outcome(documentOf({ ...WINDOW, groupBy: ['host'] }))).toEqual(unknown('"host"'));
    bench.sandbox.settings.graphqlMissing = [];
    expect((await ask(bench, SIMPLE)).status).toBe(200);
  });

  const CODES = '2xx 200 204 206 3xx 301 302 304 4xx 400 403 404 500 502 503 5xx'.split(' ');
  const tooMany = [
    ...CODES.map((code) => `requestsStatusCode${code}`),
    ...['Get', 'Head', 'Post', 'Others'].map((method) => `requestsHttpMethod${method}`),
    ...[
      'requestsTotal',
      'httpRequestsTotal',
      'httpsRequestsTotal',
      'savedRequests',
      'missedRequests',
      'requestsOffloaded',
    ],
    ...[
      'dataTransferredIn',
      'dataTransferredOut',
      'dataTransferredTotal',
      'savedData',
      'missedData',
      'offload',
    ],
    ...['bandwidthTotal', 'bandwidthSavedData', 'bandwidthMissedData', 'bandwidthOffload'],
  ];

  it('lets 37 fields be selected, what is aggregated not counted', async () => {
    await start();
    expect(tooMany).toHaveLength(36);
    const most = documentOf({ ...WINDOW, groupBy: ['ts'], fields: tooMany });
    expect((await ask(bench, most)).status).toBe(200);
    const more = documentOf({ ...WINDOW, groupBy: ['ts', 'configurationId'], fields: tooMany });
    expect(await outcome(more)).toEqual([400, { detail: '38 fields are selected, but at most 37 can be.' }]);
  });

  const WRONG: readonly (readonly [what: string, query: string, detail: string])[] = [
    ['no GraphQL', 'select *', 'Syntax Error'],
    ['an unknown dataset', '{ trafficMetrics { ts } }', 'Cannot query field "trafficMetrics"'],
    [
      'an unknown field',
      SIMPLE.replace('{ ts', '{ ts latency'),
      'Cannot query field "latency" on type "WorkloadMetrics".',
    ],
    [
      'an unknown filter',
      SIMPLE.replace('filter: {', 'filter: {statusAround: 3 '),
      'Field "statusAround" is not defined',
    ],
    [
      'a filter of another type',
      SIMPLE.replace('filter: {', 'filter: {statusEq: "5" '),
      'Int cannot represent non-integer value: "5"',
    ],
    ['an unknown dimension', SIMPLE.replace('groupBy: [', 'groupBy: [moon '), 'Value "moon" does not exist'],
    ['no time window', '{ workloadMetrics(groupBy: [ts]) { ts } }', 'a time window is required'],
    [
      'half a time window',
      '{ workloadMetrics(groupBy: [ts], filter: {tsGt: "2026-11-20"}) { ts } }',
      'a time window is required',
    ],
    [
      'no date',
      SIMPLE.replace('2026-11-20T12:04', '2026-11-31T12:04'),
      'DateTime cannot represent an invalid date-time',
    ],
    ['two time zones', SIMPLE.replace('12:04:00.000Z', '09:04:00-03:00'), 'one time zone'],
    ['too many rows', SIMPLE.replace('10000', '10001'), 'limit: it must be between 0 and 10000, not 10001.'],
    ['a negative limit', SIMPLE.replace('10000', '-1'), 'limit: it must be between 0 and 10000, not -1.'],
    ['a negative offset', SIMPLE.replace('limit', 'offset: -1 limit'), 'offset: it must not be negative'],
    [
      'a dimension that is not grouped by',
      SIMPLE.replace('{ ts', '{ host ts'),
      'host: it is selected, but not in groupBy.',
    ],
    [
      'an order by what is not there',
      SIMPLE.replace('ts_ASC', 'host_ASC'),
      'orderBy: host is neither selected nor in groupBy.',
    ],
    ['a sum of nothing', SIMPLE.replace('{ ts', '{ sum ts'), 'sum: it needs aggregate'],
    [
      'a calculated field with aggregate',
      SIMPLE.replace('limit', 'aggregate: {sum: requests} limit'),
      'cannot be selected with aggregate',
    ],
    [
      'an unknown measure',
      SIMPLE.replace('limit', 'aggregate: {sum: requestsTotal} limit'),
      'Value "requestsTotal" does not exist',
    ],
    [
      'a variable that is not given',
      SIMPLE.replace('query', 'query ($ids: [String!]!)').replace(
        'filter: {',
        'filter: {configurationIdIn: $ids ',
      ),
      'Variable "$ids" of required type',
    ],
    ['a mutation', 'mutation { purge }', 'mutation'],
    ['nothing', '', 'Must provide query string.'],
  ];

  it.each(WRONG)('refuses %s, with what is wrong as detail', async (_, query, text) => {
    await start();
    expect(await outcome(query)).toEqual([400, { detail: expect.stringContaining(text) }]);
  });

  it('refuses what is no JSON, and takes it whatever its type is said to be', async () => {
    await start();
    const send = async (body: string, type: string) => {
      const headers = { authorization: 'Token sandbox-token', 'content-type': type };
      const answer = await fetch(bench.url + PATH, { method: 'POST', headers, body });
      return [answer.status, await answer.json()];
    };
    expect(await send('{', 'application/json')).toEqual([400, { detail: 'JSON parse error.' }]);
    expect(await send('[1]', 'application/json')).toEqual([400, { detail: 'Must provide query string.' }]);
    expect(await send(JSON.stringify({ query: SIMPLE }), 'text/plain')).toEqual([200, expect.anything()]);
  });

  it('wants a token that is good, of a user who may read analytics', async () => {
    const users = [{ username: 'a@example.com', password: 'secret' }];
    await start({
      users,
      tokens: [{ token: 'sandbox-token' }, { token: 'other', permissions: ['View Domains'] }],
    });
    const created = await bench.call('POST', '/tokens', {
      headers: { authorization: basic('a@example.com', 'secret') },
    });
    const { token } = created.json() as { token: string };
    const missing = [401, { detail: 'Authentication credentials were not provided.' }];
    expect((await ask(bench, SIMPLE, {}, { authorization: `token ${token}` })).status).toBe(200);
    expect(await outcome(SIMPLE, { authorization: 'Bearer sandbox-token' })).toEqual(missing);
    expect(await outcome(SIMPLE, { authorization: '' })).toEqual(missing);
    expect(await outcome(SIMPLE, { authorization: 'Token nobody' })).toEqual([
      401,
      { detail: 'Invalid Token' },
    ]);
    bench.time += 2 * 86_400_000;
    expect(await outcome(SIMPLE, { authorization: `Token ${token}` })).toEqual([
      401,
      { detail: 'The authorization token has expired.' },
    ]);
    expect(await outcome(SIMPLE, { authorization: 'Token other' })).toEqual([
      404,
      { detail: 'The following resource could not be found.' },
    ]);
  });

  it('answers 204 without a body where there is nothing', async () => {
    await start();
    for (const path of [
      '/events/graphql',
      '/billing/graphql',
      '/v4/events/graphql',
      '/v4/elsewhere',
      '/v4/metrics/other',
    ]) {
      const answer = await bench.call('POST', path, { body: { query: SIMPLE } });
      expect([path, answer.status, answer.text]).toEqual([path, 204, '']);
    }
    bench.sandbox.settings.graphql = 'absent';
    expect(await outcome(SIMPLE)).toEqual([204, '']);
    bench.sandbox.settings.graphql = 'forbidden';
    expect(await outcome(SIMPLE)).toEqual([404, { detail: 'The following resource could not be found.' }]);
  });

  it('is asked by POST alone', async () => {
    await start();
    const answer = await bench.get(PATH);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('has a quota of its own, counted by client address, of which headers tell nothing', async () => {
    await start({ graphqlRateLimit: 2, tokens: [{ token: 'sandbox-token' }, { token: 'second' }] });
    const first = await ask(bench, SIMPLE);
    expect([...first.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    expect((await ask(bench, SIMPLE)).status).toBe(200);
    const refused = [429, { detail: 'You have reached the request rate limit!' }];
    expect(await outcome(SIMPLE)).toEqual(refused);
    expect(await outcome(SIMPLE, { authorization: 'Token second' })).toEqual(refused);
    expect((await bench.get('/analytics/metadata', 1)).status).toBe(200);
    bench.time += MINUTE;
    expect((await ask(bench, SIMPLE)).status).toBe(200);
  });

  it('shows the quota in headers where that is set, or shares that of REST', async () => {
    await start({ graphqlRateLimit: 2, graphqlRateHeaders: 'sent', retryAfter: 'reset' });
    const remaining = async () => (await ask(bench, SIMPLE)).headers.get('x-ratelimit-remaining');
    expect([await remaining(), await remaining(), await remaining()]).toEqual(['1', '0', '0']);
    expect((await ask(bench, SIMPLE)).headers.get('retry-after')).toBe('60');
    bench.sandbox.settings.graphqlQuota = 'shared';
    const before = Number((await bench.get('/analytics/metadata', 1)).headers.get('x-ratelimit-remaining'));
    expect(await remaining()).toBe(String(before - 1));
  });

  it('goes on where REST has no analytics any more', async () => {
    await start({ restAnalytics: 'absent' });
    const paths = [
      '/analytics/metadata',
      '/analytics/products/1441740010/configurations',
      '/metrics/products/1441740010/configurations',
    ];
    for (const path of paths) {
      expect((await bench.get(path, path.startsWith('/analytics') ? 1 : 2)).status).toBe(404);
    }
    expect((await bench.get('/domains')).status).toBe(200);
    expect((await rowsOf(bench, SIMPLE)).length).toBeGreaterThan(0);
  });

  it('fails where too much would be read', async () => {
    await start({ graphqlReadLimit: 50 });
    const failed = [500, { detail: 'More than 50 rows would be read. Choose a shorter time window.' }];
    expect(await outcome(SIMPLE)).toEqual(failed);
    const short = documentOf({ begin: WINDOW.begin, end: WINDOW.begin + MINUTE, fields: ['requestsTotal'] });
    expect((await ask(bench, short)).status).toBe(200);
  });
});

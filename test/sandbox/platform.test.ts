import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { NOON, startBench } from './client.ts';
import { LIST_PATHS } from './list-paths.ts';

const WAF = '/metrics/products/1441740010/configurations/1536580016/metrics/waf';

describe('a list', () => {
  it('is read in full by following the links', async () => {
    const bench = await startBench({ configurations: 12 });
    const seen: number[] = [];
    let next: string | null = '/domains?page_size=7&order_by=name&sort=desc';
    while (next !== null) {
      const page = (await bench.get(next)).json() as {
        links: { next: string | null };
        results: { id: number }[];
      };
      seen.push(...page.results.map(({ id }) => id));
      next = page.links.next?.slice(bench.url.length) ?? null;
    }
    expect(seen).toHaveLength(24);
    expect(new Set(seen)).toEqual(new Set([...bench.sandbox.account.domains].map(({ id }) => id)));
  });

  it('is answered below /v4 as without it', async () => {
    const bench = await startBench();
    for (const [path, version] of LIST_PATHS) {
      const [plain, prefixed] = [await bench.get(path, version), await bench.get(`/v4${path}`, version)];
      expect(prefixed.text, path).toBe(plain.text.replaceAll(`${bench.url}/`, `${bench.url}/v4/`));
      expect((await bench.get(`/v4${path}`, 9)).status, path).toBe(406);
    }
  });
});

it('the names of headers are in the letter case that is set', async () => {
  const bench = await startBench({ headerCase: 'documented' });
  const names = () =>
    new Promise<string[]>((resolve, reject) => {
      const headers = { accept: 'application/json; version=3', authorization: 'Token sandbox-token' };
      request(`${bench.url}/domains`, { headers, agent: false }, (answer) =>
        resolve(answer.resume().rawHeaders),
      )
        .on('error', reject)
        .end();
    });
  expect(await names()).toContain('X-ratelimit-remaining');
  bench.sandbox.settings.headerCase = 'recorded';
  expect(await names()).toContain('X-RateLimit-Remaining');
});

it('an attack that is let happen is in the truth, and in the answers', async () => {
  const bench = await startBench();
  const path = '/_sandbox/truth?api=metrics&product=1441740010&configuration=1536580016&metric=waf';
  const threats = async () => {
    const truth = (await bench.get(`${path}&from=${NOON}&to=2026-11-20T12:36:00Z`)).json();
    return (truth as { threats: [number, number][] }).threats;
  };
  const before = await threats();
  const body = {
    kind: 'waf_attack',
    configuration: 1536580016,
    from: NOON - 20_000,
    to: '2026-11-20T13:00:00Z',
    per_minute: 600,
  };
  expect((await bench.call('POST', '/_sandbox/events', { body })).status).toBe(201);
  const after = before.map(([time, value]) => [time, value + 600]);
  expect(await threats()).toEqual(after);
  expect((await bench.get('/_sandbox/events')).json()).toHaveLength(1);
  bench.time += 3_600_000;
  const window = 'date_from=2026-11-20T12:34Z&date_to=2026-11-20T12:36Z';
  expect((await bench.get(`${WAF}?${window}`, 2)).json()).toMatchObject({ threats: after });
});

it('series are the truth where they are settled, and lower where they are not', async () => {
  const bench = await startBench();
  const read = async (path: string, version: number) =>
    (await bench.get(`${path}?date_from=last-hour`, version)).json();
  const truth = (api: 'analytics' | 'metrics', configuration: number | 'product') => {
    const [from, to] = [NOON - 3_600_000, NOON];
    return bench.sandbox.truth({ api, product: 1441740010, configuration, metric: 'waf', from, to });
  };
  const nested = '/analytics/products/1441740010';
  const whole = (await read(`${nested}/aggregate/metrics/waf`, 1)) as {
    products: { 1441740010: { waf: Record<string, [number, number][]> } };
  };
  const shown = whole.products[1441740010].waf;
  const all = truth('analytics', 'product');
  expect(Object.keys(shown)).toEqual(Object.keys(all));
  const points = shown['requests'] ?? [];
  expect(points.slice(0, -11)).toEqual(all['requests']?.slice(0, -11));
  expect(points.at(-1)?.[1]).toBeLessThan(0.5 * (all['requests']?.at(-1)?.[1] ?? 0));
  expect(points.at(-2)?.[1]).toBeLessThan(all['requests']?.at(-2)?.[1] ?? 0);
  bench.time += 3_600_000;
  const window = `date_from=2026-11-20T11:34Z&date_to=2026-11-20T12:34Z`;
  const of = async (path: string, version: number) => (await bench.get(`${path}?${window}`, version)).json();
  const settled = (api: 'analytics' | 'metrics', configuration: number) => {
    const [from, to] = [Date.UTC(2026, 10, 20, 11, 34), Date.UTC(2026, 10, 20, 12, 34)];
    return bench.sandbox.truth({ api, product: 1441740010, configuration, metric: 'waf', from, to });
  };
  expect(await of(WAF, 2)).toEqual(settled('metrics', 1536580016));
  expect(await of(`${nested}/configurations/1528990720/metrics/waf`, 1)).toEqual({
    configurations: { 1528990720: { waf: settled('analytics', 1528990720) } },
  });
});

describe('GraphQL', () => {
  it('lets 37 fields be selected, what is aggregated not counted', async () => {
    const bench = await startBench();
    const type = '{__type(name: "WorkloadMetrics") {fields {name}}}';
    const answer = (await bench.call('POST', '/metrics/graphql', { body: { query: type } })).json();
    const { data } = answer as { data: { __type: { fields: { name: string }[] } } };
    const names = data.__type.fields.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['ts', 'configurationId', 'requestsTotal', 'sum']));
    const calculated = names.slice(names.indexOf('requestsTotal'), -1);
    const select = async (count: number) => {
      const filter = '{tsRange: {begin: "2026-11-20T12:00", end: "2026-11-20T12:01"}}';
      const query = `{workloadMetrics(filter: ${filter}) {${calculated.slice(0, count).join(' ')}}}`;
      return bench.call('POST', '/metrics/graphql', { body: { query } });
    };
    expect((await select(37)).status).toBe(200);
    expect((await select(38)).json()).toEqual({ detail: '38 fields are selected, but at most 37 can be.' });
  });

  it('names its datasets by introspection', async () => {
    const bench = await startBench();
    const query = '{__schema {queryType {fields {name}}}}';
    const { text } = await bench.call('POST', '/metrics/graphql', { body: { query } });
    const names = [...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
    const some = ['workloadMetrics', 'httpMetrics', 'functionsMetrics', 'dnsQueriesMetrics'];
    expect(names).toEqual(expect.arrayContaining(some));
    expect(names).not.toContain('botManagerMetrics');
  });
});

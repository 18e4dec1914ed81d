import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, startBench } from '../client.ts';
import { LIST_PATHS } from '../list-paths.ts';

interface Page {
  count: number;
  total_pages: number;
  links: { previous: string | null; next: string | null };
  results: { id: number; name: string }[];
}

describe('a list', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ configurations: 12, maxPageSize: 20 });
  });
  afterAll(() => bench.close());

  const page = async (query: string) => (await bench.get(`/domains${query}`)).json() as Page;

  it('shows ten items a page unless told', async () => {
    const first = await page('');
    expect(first).toMatchObject({ count: 24, total_pages: 3, schema_version: 3 });
    expect(first.results).toHaveLength(10);
    expect(first.links).toEqual({ previous: null, next: `${bench.url}/domains?page=2&page_size=10` });
  });

  it('is read in full by following the links', async () => {
    const seen: number[] = [];
    let next: string | null = `${bench.url}/domains?page_size=7&order_by=name&sort=desc`;
    while (next !== null) {
      const current: Page = await page(next.slice(`${bench.url}/domains`.length));
      seen.push(...current.results.map(({ id }) => id));
      next = current.links.next;
    }
    expect(new Set(seen)).toEqual(new Set([...bench.sandbox.account.domains].map(({ id }) => id)));
    expect(seen).toHaveLength(24);
  });

  it('orders by a field, ascending unless told', async () => {
    const names = async (query: string) => (await page(query)).results.map(({ name }) => name);
    const ascending = await names('?order_by=name&page_size=20');
    expect(ascending).toEqual(ascending.toSorted());
    const descending = await names('?order_by=name&sort=desc&page_size=20');
    expect(descending).toEqual(descending.toSorted().reverse());
    const [first] = (await page('?sort=desc')).results;
    expect(first?.id).toBe(1536580016 + 23);
  });

  it('cuts a page size that is too large', async () => {
    expect((await page('?page_size=5000')).results).toHaveLength(20);
    expect((await page('?page_size=5000')).links.next).toContain('page_size=20');
  });

  it.each(['page=0', 'page=x', 'page_size=0', 'order_by=colour', 'sort=up'])(
    'answers 400 to %s',
    async (query) => {
      const answer = await bench.get(`/domains?${query}`);
      expect([answer.status, Object.keys(answer.json() as object)]).toEqual([400, [query.split('=')[0]]]);
    },
  );

  it('has no page after the last', async () => {
    expect((await bench.get('/domains?page=4')).status).toBe(404);
    expect((await page('?page=3')).links).toEqual({
      previous: `${bench.url}/domains?page=2&page_size=10`,
      next: null,
    });
  });
});

describe('below /v4', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench();
  });
  afterAll(() => bench.close());

  it.each(LIST_PATHS)('%s is answered as without it', async (path, version) => {
    const [plain, prefixed] = [await bench.get(path, version), await bench.get(`/v4${path}`, version)];
    expect([prefixed.status, prefixed.text]).toEqual([
      200,
      plain.text.replaceAll(`${bench.url}/`, `${bench.url}/v4/`),
    ]);
    expect((await bench.get(`/v4${path}`, 9)).status).toBe(406);
  });

  it('series, details, writes and refusals are as well', async () => {
    const [{ id } = { id: 0 }] = [...bench.sandbox.account.domains];
    const series = `/metrics/products/1441740010/configurations/${id}/metrics/status_code?date_from=last-hour`;
    for (const [path, version] of [
      [`/domains/${id}`, 3],
      ['/domains/1', 3],
      ['/network_lists/2', 3],
      [series, 2],
    ] as const) {
      const plain = await bench.get(path, version);
      const prefixed = await bench.get(`/v4${path}`, version);
      expect([path, prefixed.status, prefixed.text]).toEqual([path, plain.status, plain.text]);
    }
    expect(
      (await bench.call('PATCH', `/v4/domains/${id}`, { body: { is_active: false } })).json(),
    ).toMatchObject({
      results: { id, is_active: false },
    });
    expect((await bench.call('POST', '/v4/waf/rulesets', { body: {}, version: 2 })).status).toBe(405);
    expect((await bench.get('/v4/domains', 3, { authorization: 'Token other' })).status).toBe(401);
    expect((await bench.get('/v4/workspace/workloads/1720000000')).status).toBe(405);
  });

  it('tokens are made and revoked without one, and are masked where requests are told', async () => {
    const authorization = `Basic ${Buffer.from('operator@example.com:sandbox').toString('base64')}`;
    const created = await bench.call('POST', '/v4/tokens', { headers: { authorization } });
    const { token } = created.json() as { token: string };
    const revoked = await bench.call('DELETE', `/v4/tokens/${token}`, { headers: { authorization } });
    expect([created.status, revoked.status]).toEqual([201, 204]);
    expect(bench.sandbox.requests.recent.at(-1)?.path).toBe('/v4/tokens/:token');
  });

  it('is 204 for a path that the specification names nowhere, and 404 elsewhere', async () => {
    for (const path of [
      '/v4/elsewhere',
      '/v4/workspace/workloads',
      '/v4/metrics/other',
      '/v4/_sandbox/faults',
    ]) {
      const { status, text } = await bench.get(path);
      expect([path, status, text]).toEqual([path, 204, '']);
    }
    bench.sandbox.settings.restAnalytics = 'absent';
    expect((await bench.get('/v4/analytics/metadata', 1)).status).toBe(204);
    expect((await bench.get('/analytics/metadata', 1)).status).toBe(404);
    expect((await bench.get('/v5/domains')).status).toBe(404);
    expect((await bench.get('/workspace/workloads/1720000000')).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, startBench } from '../client.ts';

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

import { afterEach, expect, it } from 'vitest';
import { type Bench, startBench } from '../client.ts';

const WAF = '/analytics/products/1441740010/aggregate/metrics/waf?date_from=last-hour';
const ADDED = '/analytics/products/1441740013/aggregate/metrics/cache_status?date_from=last-hour';

let bench: Bench;
afterEach(() => bench.close());

it('the metadata of analytics lists metrics beyond the documented ones, which are served for every product', async () => {
  bench = await startBench({ analyticsMetricsAdded: { cache_status: ['hit', 'miss'] } });
  expect((await bench.get('/analytics/metadata', 1)).json()).toMatchObject({ cache_status: ['hit', 'miss'] });
  const { products } = (await bench.get(ADDED, 1)).json() as {
    products: Record<string, { cache_status: Record<'hit' | 'miss', [number, number][]> }>;
  };
  const { hit, miss } = products[1441740013]?.cache_status ?? { hit: [], miss: [] };
  expect(hit.length).toBeGreaterThan(50);
  expect(hit.some(([, value]) => value > 0)).toBe(true);
  expect(miss).toEqual(hit);
});

it('a documented metric may be gone from the metadata: it is not served any more either', async () => {
  bench = await startBench();
  expect((await bench.get(WAF, 1)).status).toBe(200);
  bench.sandbox.settings.analyticsMetricsMissing = ['waf'];
  expect((await bench.get('/analytics/metadata', 1)).json()).not.toHaveProperty('waf');
  expect((await bench.get(WAF, 1)).status).toBe(404);
});

import { afterEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { type Bench, NOON, startBench } from '../client.ts';

const APPLICATION = 1528990720;
const DOMAIN = 1536580016;
const OLD = `date_from=2026-11-20T11:00Z&date_to=2026-11-20T11:03Z`;
const ANALYTICS = '/analytics/products/1441740010';
const METRICS = '/metrics/products/1441740010/configurations';

describe('a read of series', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  const analytics = async (path: string, options: SandboxOptions = {}) => {
    bench = await startBench(options);
    return (await bench.get(path, 1)).json();
  };
  const metrics = async (path: string, options: SandboxOptions = {}) => {
    bench = await startBench(options);
    return (await bench.get(path, 2)).json();
  };
  const truth = (api: 'analytics' | 'metrics', configuration: number | 'product', metric: string) =>
    bench.sandbox.truth({
      api,
      product: 1441740010,
      configuration,
      metric,
      from: Date.UTC(2026, 10, 20, 11),
      to: Date.UTC(2026, 10, 20, 11, 3),
    });

  it('of the product is named by product and metric', async () => {
    const body = await analytics(`${ANALYTICS}/aggregate/metrics/waf?${OLD}`);
    expect(body).toEqual({ products: { 1441740010: { waf: truth('analytics', 'product', 'waf') } } });
  });

  it('of a configuration holds all dimensions, named by configuration and metric', async () => {
    const body = await analytics(`${ANALYTICS}/configurations/${APPLICATION}/metrics/status_code?${OLD}`);
    const series = truth('analytics', APPLICATION, 'status_code');
    expect(Object.keys(series)).toHaveLength(16);
    expect(body).toEqual({ configurations: { [APPLICATION]: { status_code: series } } });
  });

  it('of a dimension holds that one only', async () => {
    const body = await analytics(`${ANALYTICS}/aggregate/metrics/requests/dimensions/saved?${OLD}`);
    const { saved } = truth('analytics', 'product', 'requests');
    expect(saved).toHaveLength(3);
    expect(body).toEqual({ products: { 1441740010: { requests: { saved } } } });
  });

  it('lists configurations as a bare array, with domains in the metrics API only', async () => {
    const listed = { id: APPLICATION, name: 'shop', active: true };
    expect(await analytics(`${ANALYTICS}/configurations`)).toContainEqual(listed);
    await bench.close();
    expect(await metrics(METRICS)).toContainEqual({ ...listed, domains: [DOMAIN, DOMAIN + 1] });
  });

  it('takes the id of a domain in the metrics API, or as it is set', async () => {
    const path = (id: number) => `${METRICS}/${id}/metrics/waf?${OLD}`;
    const body = await metrics(path(DOMAIN));
    expect(body).toEqual(truth('metrics', DOMAIN, 'waf'));
    expect((await bench.get(path(APPLICATION), 2)).status).toBe(404);
    bench.sandbox.settings.metricsIds = 'configuration';
    expect((await bench.get(path(APPLICATION), 2)).json()).toEqual(truth('metrics', APPLICATION, 'waf'));
    expect((await bench.get(path(DOMAIN), 2)).status).toBe(404);
    bench.sandbox.settings.metricsIds = 'both';
    expect((await bench.get(path(DOMAIN), 2)).status).toBe(200);
  });

  it('of the metrics API has the shape that is set', async () => {
    const path = `${METRICS}/${DOMAIN}/metrics/requests_per_second?${OLD}`;
    const body = await metrics(path, { metricsShape: 'bare' });
    const series = truth('metrics', DOMAIN, 'requests_per_second');
    expect(body).toEqual(series['total']);
    bench.sandbox.settings.metricsShape = 'nested';
    const nested = { configurations: { [DOMAIN]: { requests_per_second: series } } };
    expect((await bench.get(path, 2)).json()).toEqual(nested);
    const missed = await bench.get(path.replace('?', '/dimensions/missed?'), 2);
    expect(missed.json()).toEqual(series['missed']);
  });

  it.each([
    ['envelope', (items: unknown[]) => JSON.stringify({ results: items })],
    ['sequence', (items: unknown[]) => items.map((item) => JSON.stringify(item, null, 2)).join('\n')],
    ['object', (items: unknown[]) => JSON.stringify(items[0])],
  ] as const)('lists configurations in the shape that is set: %s', async (configurationsShape, expected) => {
    bench = await startBench({ configurations: 1, configurationsShape });
    const shop = { id: APPLICATION, name: 'shop', active: true, domains: [DOMAIN, DOMAIN + 1] };
    expect((await bench.get(METRICS, 2)).text).toBe(expected([shop]));
  });

  it('of a metric without traffic has explicit zeros in the analytics API', async () => {
    const body = await analytics(`/analytics/products/1467740028/aggregate/metrics/requests?${OLD}`);
    const zeros = [0, 1, 2].map(() => [expect.any(Number), 0]);
    expect(body).toMatchObject({ products: { 1467740028: { requests: { total: zeros, saved: zeros } } } });
  });

  it('shows the newest bucket low and settled ones as they are', async () => {
    const body = await metrics(`${METRICS}/${DOMAIN}/metrics/cdn_requests?date_from=last-hour`);
    const shown = (body as { total: [number, number][] }).total;
    const { total } = bench.sandbox.truth({
      api: 'metrics',
      product: 1441740010,
      configuration: DOMAIN,
      metric: 'cdn_requests',
      from: NOON - 3_600_000,
      to: NOON,
    });
    expect(shown.slice(0, -11)).toEqual(total?.slice(0, -11));
    expect(shown.at(-1)?.[1]).toBeLessThan(0.5 * (total?.at(-1)?.[1] ?? 0));
    expect(shown.at(-2)?.[1]).toBeLessThan(total?.at(-2)?.[1] ?? 0);
  });

  it.each([
    ['/analytics/products/5/configurations', 1],
    [`${ANALYTICS}/configurations/5/metrics/waf?${OLD}`, 1],
    [`${ANALYTICS}/aggregate/metrics/colour?${OLD}`, 1],
    [`${ANALYTICS}/aggregate/metrics/waf/dimensions/colour?${OLD}`, 1],
    [`${METRICS}/${DOMAIN}/metrics/requests?${OLD}`, 2],
    [`${METRICS}/${DOMAIN}x/metrics/waf?${OLD}`, 2],
    ['/colours', 3],
  ] as const)('answers 404 to %s', async (path, version) => {
    bench = await startBench();
    expect((await bench.get(path, version)).status).toBe(404);
  });

  it('answers 400 without a window, 406 in another version and 405 to another method', async () => {
    bench = await startBench();
    expect((await bench.get(`${ANALYTICS}/aggregate/metrics/waf`, 1)).status).toBe(400);
    expect((await bench.get('/analytics/metadata', 3)).status).toBe(406);
    const posted = await bench.call('POST', '/analytics/metadata', { version: 1 });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

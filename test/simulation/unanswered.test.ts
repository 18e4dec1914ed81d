import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { inLongSuite } from '../long-suite.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

async function begin(sandbox: SandboxOptions, collectors: Record<string, unknown>): Promise<Simulation> {
  await simulation?.close();
  simulation = await simulate({ sandbox, account: { reconciliation_share: 0, collectors } });
  return simulation;
}

async function answersIn({ sandbox: { requests }, minutes }: Simulation, count: number, status: number) {
  const before = { all: requests.total, such: requests.byStatus.get(status) ?? 0 };
  await minutes(count);
  return { all: requests.total - before.all, such: (requests.byStatus.get(status) ?? 0) - before.such };
}

async function family({ scrape }: Simulation, name: string): Promise<[string, number][]> {
  const { samples } = await scrape();
  return [...samples].filter(([key]) => (JSON.parse(key) as [string])[0] === name);
}

async function oldestData(running: Simulation): Promise<number> {
  const until = await family(running, 'edge_data_until_timestamp_seconds');
  expect(until.length).toBeGreaterThan(0);
  return running.clock.now() / 1_000 - Math.min(...until.map(([, value]) => value));
}

const DELIVERY = { metrics: { products: { edge_applications: {} } } };
const TWO_METRICS = { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } };
const LIMIT = {
  rateLimit: { reads: inLongSuite(80, 40), writes: 20, purges: 20 },
  configurations: inLongSuite(12, 6),
  domainsPerConfiguration: 1,
};

const WITHOUT = inLongSuite(8, 4);

describe('an application without domains', () => {
  it('is not read where the API takes the ids of domains: two of five cost nothing, and data is as fresh as without them', async () => {
    const alone = await begin(LIMIT, DELIVERY);
    await alone.minutes(12);
    const age = await oldestData(alone);
    const beside = await begin({ ...LIMIT, configurationsWithoutDomains: WITHOUT }, DELIVERY);
    await beside.minutes(5);
    const { all, such } = await answersIn(beside, 7, 404);
    expect(all).toBeGreaterThan(inLongSuite(280, 140));
    expect(such / all).toBeLessThan(0.01);
    expect(await oldestData(beside)).toBeLessThanOrEqual(age + 1);
    const unread = await family(beside, 'edge_exporter_unread_configurations');
    expect(unread.map(([, value]) => value)).toEqual([WITHOUT]);
    // The configuration is listed although it is not read.
    expect(await family(beside, 'edge_configuration_info')).toHaveLength(LIMIT.configurations + WITHOUT);
  });

  it('is read once it has one', async () => {
    const running = await begin(
      { configurations: 2, domainsPerConfiguration: 1, configurationsWithoutDomains: 1 },
      TWO_METRICS,
    );
    await running.minutes(5);
    const { account } = running.sandbox;
    const [empty] = [...account.applications].slice(-1);
    const [domain] = [...account.domains];
    if (empty === undefined || domain === undefined) throw new Error('both exist');
    const id = account.domains.nextId();
    account.domains.put({ ...domain, id, edge_application_id: empty.id });
    await running.minutes(75);
    const until = await family(running, 'edge_data_until_timestamp_seconds');
    expect(until.filter(([labels]) => labels.includes(String(id)))).not.toEqual([]);
    const unread = await family(running, 'edge_exporter_unread_configurations');
    expect(unread.map(([, value]) => value)).toEqual([0]);
  });

  it('is asked for ever less where no application has one, without its dimensions', async () => {
    const running = await begin({ configurations: 0, configurationsWithoutDomains: 6 }, TWO_METRICS);
    const first = await answersIn(running, 60, 404);
    // Reads at 0, 1, 3, 7, 15, 31 and 63 minutes, for 6 applications with 2 metrics each.
    expect(first.such).toBeLessThanOrEqual(6 * 2 * 7);
    const later = await answersIn(running, 180, 404);
    expect(later.such).toBeLessThanOrEqual(6 * 2 * 4);
    expect(running.sandbox.requests.recent.filter(({ path }) => path.includes('/dimensions/'))).toEqual([]);
  });

  it('is read under its own id where the platform is laxer than specified', async () => {
    const running = await begin(
      { configurations: 0, configurationsWithoutDomains: 1, metricsIds: 'domain_or_own' },
      DELIVERY,
    );
    await running.minutes(15);
    expect(running.sandbox.requests.byStatus.get(404)).toBeUndefined();
    expect(await family(running, 'edge_data_until_timestamp_seconds')).not.toEqual([]);
  });
});

describe('a metric that the platform lacks', () => {
  it('costs an operation an hour in the end, and its dimensions are looked for once an hour in all', async () => {
    const metrics = ['requests', 'waf'];
    const running = await begin(
      { configurations: 1, analyticsMetricsMissing: ['waf'] },
      { analytics: { products: { content_delivery: { metrics } } } },
    );
    const first = await answersIn(running, 60, 404);
    expect(first.such).toBeLessThanOrEqual(7 + 2);
    const later = await answersIn(running, 120, 404);
    expect(later.such).toBeLessThanOrEqual(3 + 3);
    expect(later.all - later.such).toBeGreaterThanOrEqual(120);
    running.sandbox.settings.analyticsMetricsMissing = [];
    await running.minutes(62);
    expect(await family(running, 'edge_waf_requests_total')).toHaveLength(1);
  });
});

describe('reads of series that the token has no permission for', () => {
  it('are tried once an hour each, also of whole products, and succeed within an hour of its grant', async () => {
    const metrics = ['requests', 'waf', 'status_code', 'bandwidth'];
    const running = await begin(
      { faults: { forbidden: { paths: ['/analytics'] } } },
      { analytics: { products: { content_delivery: { by: ['product'], metrics } } } },
    );
    const { requests, faults } = running.sandbox;
    await running.minutes(55);
    // One of the metrics is also read at the start, to find the available source.
    expect(requests.byStatus.get(403)).toBe(metrics.length + 1);
    await running.minutes(60);
    expect(requests.byStatus.get(403)).toBe(2 * metrics.length + 1);
    faults.clear();
    await running.minutes(60);
    expect(await family(running, 'edge_product_requests_total')).not.toEqual([]);
  });
});

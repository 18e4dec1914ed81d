import { expect, it } from 'vitest';
import { DIMENSIONS, facesOf } from '../../src/exporter/catalogue/catalogue.ts';
import { productOf } from '../../src/exporter/catalogue/products.ts';
import { decimal } from '../../src/exporter/series/decimals.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;
const EDGE_APPLICATIONS = productOf('metrics', 'edge_applications');

let simulation: Simulation | undefined;

async function begin(options?: SimulationOptions): Promise<Simulation> {
  simulation = await simulate(options);
  return simulation;
}

const ONE_PRODUCT = {
  collectors: {
    metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'status_code', 'waf'] } } },
  },
};

it('polls everything once right after the start', async () => {
  const { sandbox, scrape } = await begin({ account: ONE_PRODUCT });
  const { samples } = await scrape();
  const shown = [...samples.keys()].filter((key) => key.includes('edge_requests_per_minute'));
  expect(shown).toHaveLength(6);
  expect(sandbox.requests.byStatus.get(429)).toBeUndefined();
});

it('shows the values of the bucket that it names', async () => {
  const { sandbox, scrape, minutes } = await begin({
    account: { ...ONE_PRODUCT, publish_delay: '11m', settle_delay: '11m' },
  });
  await minutes(3);
  const { samples } = await scrape();
  let compared = 0;
  for (const [key, seconds] of samples) {
    const [name, labels] = JSON.parse(key) as [string, [string, string][]];
    const { product, configuration_id = '', configuration = '', metric = '' } = Object.fromEntries(labels);
    if (name !== 'edge_data_until_timestamp_seconds' || product !== EDGE_APPLICATIONS.slug) continue;
    const truth = sandbox.truth({
      api: 'metrics',
      product: EDGE_APPLICATIONS.id,
      configuration: Number(configuration_id),
      metric,
      from: seconds * 1_000 - MINUTE,
      to: seconds * 1_000,
    });
    for (const dimension of DIMENSIONS[metric] ?? []) {
      const { gauge, labels } = facesOf(metric, dimension, { scope: 'configuration' });
      const common = { account: 'test', product: 'edge_applications', configuration_id, configuration };
      const shown = samples.get(seriesKey(gauge.family.name, { ...common, ...labels }));
      expect(shown, `${metric} ${dimension}`).toBe(
        decimal((truth[dimension]?.[0]?.[1] ?? Number.NaN) * gauge.scale),
      );
      compared += 1;
    }
  }
  expect(compared).toBe(6 * (5 + 16 + 7));
});

it('counts every settled bucket once: counters equal the truth from their first bucket on', async () => {
  const { sandbox, state, scrape, minutes, clock } = await begin({ account: ONE_PRODUCT });
  await minutes(45);
  const audit = auditCounters(state, sandbox);
  expect(audit.wrong).toEqual([]);
  expect(audit.series).toBe(6 * (5 + 16 + 7));
  // Buckets settled ten minutes ago, and the last poll is at most one minute old.
  expect(audit.oldestWatermark).toBeGreaterThanOrEqual(clock.now() - 12 * MINUTE);
  expect(audit.buckets).toBeGreaterThanOrEqual(audit.series * 43);
  const { samples } = await scrape();
  expect([...samples.keys()].filter((key) => key.startsWith('["edge_responses_total"'))).toHaveLength(6 * 16);
});

it('never meets a 429 of its own making, and starves nobody, with far more to read than the quota allows', async () => {
  const { sandbox, exporter, minutes } = await begin({
    sandbox: { configurations: 20, rateLimit: { reads: 40, writes: 20, purges: 20 } },
  });
  await minutes(30);
  expect(sandbox.requests.byStatus.get(429)).toBeUndefined();
  const [account] = exporter().accounts();
  const jobs = account?.jobs ?? [];
  expect(jobs.length).toBeGreaterThan(200);
  expect(
    jobs
      .slice()
      .filter((job) => job.last_success_at === null)
      .map((job) => job.id),
  ).toEqual([]);
  // The reserve of 20 % stays free for other clients; the exporter uses nearly all of the rest.
  expect(sandbox.requests.total).toBeGreaterThan(30 * 32 * 0.95);
  expect(sandbox.requests.total).toBeLessThanOrEqual(31 * 32);
});

import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

let simulation: Simulation | undefined;

async function begin(options: SimulationOptions): Promise<Simulation> {
  simulation = await simulate(options);
  return simulation;
}

function reading(metrics: readonly string[]) {
  const products = { edge_applications: { metrics: [...metrics] } };
  return { reconciliation_share: 0, collectors: { metrics: { products } } };
}

function seriesReads({ requests }: Sandbox): string[] {
  return requests.recent
    .map(({ path }) => path)
    .filter((path) => path.includes('/metrics/') && !path.endsWith('/configurations'));
}

function wrong({ state, sandbox }: Simulation): readonly string[] {
  const audit = auditCounters(state, sandbox);
  expect(audit.buckets).toBeGreaterThan(0);
  return audit.wrong;
}

describe('a product as a whole', () => {
  it('is one operation per metric and poll, and has families of its own', async () => {
    const running = await begin({
      account: {
        reconciliation_share: 0,
        collectors: {
          analytics: { products: { content_delivery: { by: ['product'], metrics: ['requests', 'waf'] } } },
        },
      },
    });
    const { sandbox, minutes, scrape } = running;
    await minutes(15);
    // One read at the start finds the available source.
    expect(sandbox.requests.total).toBe(2 * 16 + 1);
    const { samples } = await scrape();
    const names = new Set([...samples.keys()].map((key) => (JSON.parse(key) as [string])[0]));
    expect([...names]).toEqual(
      expect.arrayContaining([
        'edge_product_requests_total',
        'edge_product_requests_per_minute',
        'edge_product_waf_blocked_total',
        'edge_product_data_until_timestamp_seconds',
      ]),
    );
    expect(names).not.toContain('edge_requests_total');
    expect(wrong(running)).toEqual([]);
  });
});

describe('an answer to a read of a metric', () => {
  it.each(['dimensions', 'nested'] as const)(
    'in the shape "%s" brings all dimensions in one operation',
    async (metricsShape) => {
      const running = await begin({
        sandbox: { configurations: 1, domainsPerConfiguration: 1, metricsShape },
        account: reading(['waf']),
      });
      await running.minutes(15);
      expect(seriesReads(running.sandbox).filter((path) => path.includes('/dimensions/'))).toEqual([]);
      expect(seriesReads(running.sandbox).length).toBeLessThanOrEqual(16 + 2);
      expect(auditCounters(running.state, running.sandbox).series).toBe(7);
      expect(wrong(running)).toEqual([]);
    },
  );

  it('without names is asked for once, and the dimensions one by one from then on', async () => {
    const running = await begin({
      sandbox: { configurations: 1, domainsPerConfiguration: 1, metricsShape: 'bare' },
      account: reading(['waf']),
    });
    await running.minutes(15);
    const reads = seriesReads(running.sandbox);
    // One read at the start finds the available source.
    expect(reads.filter((path) => path.endsWith('/metrics/waf'))).toHaveLength(2);
    expect(reads.filter((path) => path.includes('/metrics/waf/dimensions/'))).toHaveLength(7 * 16 + 1);
    expect(auditCounters(running.state, running.sandbox).series).toBe(7);
    expect(wrong(running)).toEqual([]);
  });
});

describe('the id of a configuration', () => {
  it.each(['domain', 'configuration', 'both'] as const)(
    'is found out where the platform takes "%s"',
    async (metricsIds) => {
      const running = await begin({
        sandbox: { configurations: 2, domainsPerConfiguration: 2, metricsIds },
        account: reading(['status_code']),
      });
      await running.minutes(15);
      const { account, requests } = running.sandbox;
      const expected = metricsIds === 'configuration' ? account.applications : account.domains;
      const ids = new Set([...running.state.keys(['series'])].map((key) => Number(key[5])));
      expect(ids).toEqual(new Set([...expected].map(({ id }) => id)));
      // Only the read that determines the kind of ids may fail.
      expect(requests.byStatus.get(404) ?? 0).toBe(metricsIds === 'configuration' ? 1 : 0);
      expect(wrong(running)).toEqual([]);
    },
  );
});

describe('a list of configurations', () => {
  it.each([
    ['array', 3],
    ['envelope', 3],
    ['sequence', 3],
    ['object', 1],
  ] as const)('may come as "%s"', async (configurationsShape, configurations) => {
    const running = await begin({
      sandbox: { configurations, domainsPerConfiguration: 1, configurationsShape },
      account: reading(['cdn_requests']),
    });
    await running.minutes(13);
    expect(auditCounters(running.state, running.sandbox).series).toBe(configurations * 5);
    expect(wrong(running)).toEqual([]);
  });
});

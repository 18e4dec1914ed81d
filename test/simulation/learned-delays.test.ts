import { afterEach, describe, expect, it } from 'vitest';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

describe('an exporter that runs for hours', () => {
  let simulation: Simulation | undefined;

  afterEach(() => simulation?.close());

  const account = {
    settle_delay: 'auto',
    collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
  };
  const labels = { account: 'test', product: 'edge_applications' };

  it('learns how its platform settles, and finds its counters exact', async () => {
    simulation = await simulate({ account });
    await simulation.minutes(200);
    const { samples } = await simulation.scrape();
    const of = (name: string, more = {}) =>
      samples.get(seriesKey(name, { ...labels, metric: 'cdn_requests', ...more })) ?? Number.NaN;
    const delay = of('edge_exporter_publish_delay_seconds');
    const complete = (age: number) =>
      of('edge_exporter_bucket_completeness_ratio', { age_seconds: String(age) });
    expect(complete(delay)).toBeGreaterThanOrEqual(0.98);
    expect(complete(delay - 60)).toBeLessThan(0.985);
    const settle = of('edge_exporter_settle_delay_seconds');
    expect(settle).toBeGreaterThan(600);
    expect(settle).toBeLessThan(900);
    expect(samples.get(seriesKey('edge_exporter_reconciliation_ratio', labels))).toBe(1);
  });

  it('waits for buckets that its platform keeps changing after 13 minutes', async () => {
    simulation = await simulate({
      account,
      sandbox: { faults: { late_restatement: { minutes: 13, factor: 1.1 } } },
    });
    const late = async () => {
      const { samples } = (await simulation?.scrape()) ?? {};
      return samples?.get(seriesKey('edge_exporter_late_restatement_total', labels)) ?? 0;
    };
    await simulation.minutes(130);
    const before = await late();
    expect(before).toBeGreaterThan(100);
    await simulation.minutes(120);
    expect((await late()) - before).toBeLessThan(before / 20);
  });

  it('shows by the ratio what came too late for the counters', async () => {
    simulation = await simulate({ account: { ...account, publish_delay: '1m', settle_delay: '2m' } });
    await simulation.minutes(200);
    const { samples } = await simulation.scrape();
    const ratio = samples.get(seriesKey('edge_exporter_reconciliation_ratio', labels)) ?? Number.NaN;
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(0.999);
    expect(samples.get(seriesKey('edge_exporter_late_restatement_total', labels))).toBeGreaterThan(100);
  });
});

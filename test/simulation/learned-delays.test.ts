import { describe, expect, it } from 'vitest';
import { inLongSuite } from '../long-suite.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

describe('an exporter that runs for hours', () => {
  let simulation: Simulation | undefined;

  const SMALL = inLongSuite({}, { configurations: 1, domainsPerConfiguration: 2 });
  const account = {
    settle_delay: 'auto',
    collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
  };
  const labels = { account: 'test', product: 'edge_applications' };

  it('learns how its platform settles, and finds its counters exact', async () => {
    simulation = await simulate({ account, sandbox: SMALL });
    await simulation.minutes(200);
    const { samples } = await simulation.scrape();
    const of = (name: string, more = {}) =>
      samples.get(seriesKey(name, { ...labels, metric: 'cdn_requests', ...more })) ?? Number.NaN;
    const delay = of('edge_exporter_publish_delay_seconds');
    const complete = (age: number) =>
      of('edge_exporter_bucket_completeness_ratio', { age_seconds: String(age) });
    expect(complete(delay)).toBeGreaterThanOrEqual(0.98);
    expect(complete(delay - 60)).toBeLessThan(0.985);
    expect(of('edge_exporter_settle_delay_seconds')).toBe(600);
    expect(samples.get(seriesKey('edge_exporter_reconciliation_ratio', labels))).toBe(1);
  });

  it('waits for buckets that its platform keeps changing after 13 minutes, also after a restart', async () => {
    const started = await simulate({
      account,
      sandbox: { ...SMALL, faults: { late_restatement: { minutes: 13, factor: 1.1 } } },
    });
    simulation = started;
    const own = async () => {
      const { samples } = await started.scrape();
      return {
        late: samples.get(seriesKey('edge_exporter_late_restatement_total', labels)) ?? 0,
        ratio: samples.get(seriesKey('edge_exporter_reconciliation_ratio', labels)),
        delay: samples.get(
          seriesKey('edge_exporter_settle_delay_seconds', { ...labels, metric: 'cdn_requests' }),
        ),
      };
    };
    await started.minutes(60);
    const learned = await own();
    expect(learned.late).toBeGreaterThan(50);
    expect(learned.delay).toBeGreaterThan(14 * 60);
    await started.minutes(180);
    expect(await own()).toMatchObject({ late: learned.late, ratio: 1 });
    await started.restart();
    await started.minutes(30);
    expect(await own()).toMatchObject({ late: learned.late, delay: learned.delay });
  });

  it('counts on as before after a single hour whose buckets were changed late', async () => {
    const started = await simulate({ account, sandbox: SMALL });
    simulation = started;
    await started.minutes(60);
    started.sandbox.faults.set({ late_restatement: { minutes: 13, factor: 1.1 } });
    await started.minutes(2);
    started.sandbox.faults.set({});
    await started.minutes(60);
    const { samples } = await started.scrape();
    expect(samples.get(seriesKey('edge_exporter_late_restatement_total', labels))).toBeGreaterThan(0);
    const delay = seriesKey('edge_exporter_settle_delay_seconds', { ...labels, metric: 'cdn_requests' });
    expect(samples.get(delay)).toBe(600);
  });

  it('shows by the ratio what came too late for the counters', async () => {
    simulation = await simulate({
      sandbox: SMALL,
      account: { ...account, publish_delay: '1m', settle_delay: '2m' },
    });
    await simulation.minutes(200);
    const { samples } = await simulation.scrape();
    const ratio = samples.get(seriesKey('edge_exporter_reconciliation_ratio', labels)) ?? Number.NaN;
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(0.999);
    expect(samples.get(seriesKey('edge_exporter_late_restatement_total', labels))).toBeGreaterThan(100);
  });
});

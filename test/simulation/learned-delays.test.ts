import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Checkpoints } from '../../src/series/reconciliation-job.ts';
import { Completeness, OLDEST_MINUTE } from '../../src/settling/completeness.ts';
import { Delays, USUAL_PUBLISH_MS, USUAL_SETTLE_MS } from '../../src/settling/delays.ts';
import { SettlingBound } from '../../src/settling/restatement-memory.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

const MINUTE = 60_000;

function grown(shares: readonly number[], final: number) {
  const shown = new Float64Array(OLDEST_MINUTE + 1).fill(Number.NaN);
  for (const [minute, share] of shares.entries()) shown[minute] = share * final;
  return { shown, final };
}

describe('completeness', () => {
  it('says nothing before enough buckets were seen', () => {
    const completeness = new Completeness();
    for (let count = 0; count < 59; count += 1) completeness.learn(grown([0.5, 1], 100));
    expect(completeness.at(0)).toBeUndefined();
    expect(completeness.leastAge(0.5)).toBeUndefined();
    completeness.learn(grown([0.5, 1], 100));
    expect(completeness.at(0)).toBe(0.5);
  });

  it('weighs buckets by their size, and leaves out those without traffic', () => {
    const completeness = new Completeness();
    for (let count = 0; count < 60; count += 1) {
      completeness.learn(grown([0.9], 900));
      completeness.learn(grown([0.5], 100));
      completeness.learn(grown([0], 0));
    }
    expect(completeness.at(0)).toBeCloseTo(0.86);
  });

  it('finds the least age at which a share is reached', () => {
    const completeness = new Completeness();
    for (let count = 0; count < 100; count += 1) completeness.learn(grown([0.3, 0.8, 0.97, 0.99, 1], 50));
    expect(completeness.leastAge(0.98)).toBe(3 * MINUTE);
    expect(completeness.leastAge(0.5)).toBe(MINUTE);
  });

  it('is never above 1, whatever is restated', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 60 }), (buckets) => {
        const completeness = new Completeness();
        for (const [shown, final] of buckets)
          completeness.learn(grown([final === 0 ? 0 : shown / final], final));
        expect(completeness.at(0) ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('delays', () => {
  it('are as configured, whatever is learned', () => {
    const delays = new Delays(3 * MINUTE, 7 * MINUTE);
    for (let count = 0; count < 100; count += 1) delays.completeness.learn(grown([1], 50));
    expect(delays.publish()).toBe(3 * MINUTE);
    expect(delays.settle(0)).toBe(7 * MINUTE);
  });

  it('are the usual ones until enough was learned', () => {
    const delays = new Delays('auto', 'auto');
    expect(delays.publish()).toBe(USUAL_PUBLISH_MS);
    expect(delays.settle(0)).toBe(USUAL_SETTLE_MS);
  });

  it('do not go back and forth around the line', () => {
    const delays = new Delays('auto', 'auto');
    for (let count = 0; count < 60; count += 1)
      delays.completeness.learn(grown([0.5, 0.9, 0.979, 0.999], 1_000));
    expect(delays.publish()).toBe(3 * MINUTE);
    for (let count = 0; count < 200; count += 1)
      delays.completeness.learn(grown([0.5, 0.9, 0.982, 0.999], 1_000));
    expect(delays.publish()).toBe(3 * MINUTE);
    for (let count = 0; count < 2_000; count += 1)
      delays.completeness.learn(grown([0.5, 0.9, 0.99, 0.999], 1_000));
    expect(delays.publish()).toBe(2 * MINUTE);
  });
});

describe('the settling bound', () => {
  it('is the oldest change of the last day, with a margin', () => {
    const bound = new SettlingBound();
    const hour = 60 * MINUTE;
    bound.observe([4 * MINUTE], 300, 0);
    bound.observe([2 * MINUTE], 0, 3 * hour);
    expect(bound.settled(3 * hour)).toBe(4 * MINUTE * 1.25 + MINUTE);
    bound.observe([2 * MINUTE], 0, 27 * hour);
    expect(bound.settled(27 * hour)).toBe(2 * MINUTE * 1.25 + MINUTE);
  });

  it('is unknown while little was seen', () => {
    const bound = new SettlingBound();
    bound.observe([MINUTE], 10_000, 0);
    expect(bound.settled(60 * MINUTE)).toBeUndefined();
  });
});

describe('checkpoints', () => {
  it('give the newest hour between two watermarks, and what was counted in it', () => {
    const checkpoints = new Checkpoints();
    for (let minute = 0; minute <= 180; minute += 1) {
      checkpoints.note(
        new Map([
          ['a', { total: minute * 10, watermark: minute * MINUTE, missing: [] }],
          ['b', { total: minute, watermark: minute * MINUTE, missing: [] }],
        ]),
      );
    }
    expect(checkpoints.spanBefore(120 * MINUTE)).toEqual({
      window: { from: 60 * MINUTE, to: 120 * MINUTE },
      counted: 660,
    });
    expect(checkpoints.spanBefore(20 * MINUTE)).toBeUndefined();
  });

  it('are taken only when all counters stand at the same watermark', () => {
    const checkpoints = new Checkpoints();
    for (let minute = 0; minute <= 180; minute += 1) {
      checkpoints.note(
        new Map([
          ['a', { total: 0, watermark: minute * MINUTE, missing: [] }],
          ['b', { total: 0, watermark: 0, missing: [] }],
        ]),
      );
    }
    expect(checkpoints.spanBefore(180 * MINUTE)).toBeUndefined();
  });
});

it('no checkpoint is taken while a counter waits for a bucket', () => {
  const checkpoints = new Checkpoints();
  const span = { from: 0, to: MINUTE, since: 0, until: 0, asked: 1, whole: 1 };
  for (let minute = 0; minute <= 180; minute += 1) {
    checkpoints.note(new Map([['a', { total: 0, watermark: minute * MINUTE, missing: [span] }]]));
  }
  expect(checkpoints.spanBefore(180 * MINUTE)).toBeUndefined();
});

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

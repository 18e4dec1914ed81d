import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { GROUPS, type Group } from '../../../src/sandbox/traffic/groups.ts';
import type { SeriesByDimension } from '../../../src/sandbox/traffic/series.ts';
import { createSource } from '../../../src/sandbox/traffic/source.ts';
import { NOON } from '../client.ts';

const DELIVERY = 1441740010;
const MINUTE = 60_000;

const values = (series: SeriesByDimension, name: string) => (series[name] ?? []).map(([, value]) => value);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('traffic', () => {
  const sandbox = createSandbox({ seed: 7, configurations: 4, now: () => NOON });
  const domains = [...sandbox.account.domains].map(({ id }) => id);
  const applications = [...sandbox.account.applications].map(({ id }) => id);
  const window = { from: NOON - 90 * MINUTE, to: NOON - 30 * MINUTE };
  const truth = (configuration: number | 'product', metric: string, width?: number) =>
    sandbox.truth({ api: 'analytics', product: DELIVERY, configuration, metric, width, ...window });

  it('is the same for the same seed and another for another seed', () => {
    const query = {
      api: 'metrics',
      product: DELIVERY,
      configuration: domains[0] ?? 0,
      metric: 'waf',
      ...window,
    } as const;
    const again = createSandbox({ seed: 7, configurations: 4 }).truth(query);
    expect(again).toEqual(sandbox.truth(query));
    expect(createSandbox({ seed: 8, configurations: 4 }).truth(query)).not.toEqual(again);
  });

  it('counts whole numbers that never fall, in every group, at any time', () => {
    const moment = fc.integer({ min: NOON - 40 * 86_400_000, max: NOON + 86_400_000 });
    const group = fc.constantFrom(...(Object.keys(GROUPS) as Group[]).filter((name) => name !== 'levels'));
    const source = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(
        source,
        group,
        moment,
        fc.integer({ min: 1, max: 10 * MINUTE }),
        (id, name, time, later) => {
          const meter = createSource(3, id, { id: DELIVERY, factor: 1, kilobytes: 18 }, []).meter(name);
          const [before, after] = [new Float64Array(16), new Float64Array(16)];
          meter(time, before);
          meter(time + later, after);
          before.forEach((cell, index) => {
            expect(Number.isInteger(cell)).toBe(true);
            expect(after[index]).toBeGreaterThanOrEqual(cell);
          });
        },
      ),
    );
  });

  it('splits requests by scheme, by cache, by method and by status code without a rest', () => {
    for (const configuration of [...domains, ...applications, 'product' as const]) {
      const requests = truth(configuration, 'requests');
      const codes = truth(configuration, 'status_code');
      const methods = truth(configuration, 'http_method');
      requests['total']?.forEach(([, total], bucket) => {
        const at = (series: SeriesByDimension, ...names: string[]) =>
          sum(names.map((name) => values(series, name)[bucket] ?? Number.NaN));
        expect(at(requests, 'http', 'https')).toBe(total);
        expect(at(requests, 'saved', 'missed')).toBe(total);
        expect(at(codes, ...GROUPS.codes)).toBe(total);
        expect(at(methods, ...GROUPS.methods)).toBe(total);
      });
    }
  });

  it('splits threats by family; the blocked are among the threats and these among the requests', () => {
    const requests = values(truth('product', 'requests'), 'total');
    const waf = truth('product', 'waf');
    const column = (name: string) => values(waf, name);
    expect(sum(column('threats'))).toBeGreaterThan(0);
    column('threats').forEach((threats, bucket) => {
      const families = ['xss', 'rfi', 'sql', 'others'].map((name) => column(name)[bucket] ?? Number.NaN);
      expect(sum(families)).toBe(threats);
      expect(column('blocked')[bucket]).toBeLessThanOrEqual(threats);
      expect(threats).toBeLessThanOrEqual(column('requests')[bucket] ?? 0);
      expect(column('requests')[bucket]).toBeLessThanOrEqual(requests[bucket] ?? 0);
    });
  });

  it('adds up: domains to their configuration, configurations to the product', () => {
    const totals = (configuration: number | 'product') => values(truth(configuration, 'status_code'), '404');
    const add = (ids: readonly number[]) =>
      totals('product').map((_, bucket) => sum(ids.map((id) => totals(id)[bucket] ?? 0)));
    expect(add(domains)).toEqual(totals('product'));
    expect(add(applications)).toEqual(totals('product'));
    expect(add(domains.slice(0, 2))).toEqual(totals(applications[0] ?? 0));
  });

  it('has the same total in wide buckets as in narrow ones', () => {
    const narrow = values(truth(applications[0] ?? 0, 'waf'), 'sql');
    const wide = values(truth(applications[0] ?? 0, 'waf', 5 * MINUTE), 'sql');
    const [, second] = wide;
    const skip = 5 - (((window.from / MINUTE) % 5) | 0);
    expect(sum(narrow.slice(skip, skip + 5))).toBe(second);
  });

  it('has large, small and idle domains, the idle ones with explicit zeros', () => {
    const totals = domains.map((id) => sum(values(truth(id, 'requests'), 'total')));
    expect(Math.max(...totals)).toBeGreaterThan(500_000);
    expect(Math.min(...totals)).toBe(0);
    expect(truth(domains[totals.indexOf(0)] ?? 0, 'requests')['total']).toHaveLength(60 + 1);
  });

  it('swings over the day', () => {
    const day = sandbox.truth({
      api: 'metrics',
      product: DELIVERY,
      configuration: domains[0] ?? 0,
      metric: 'cdn_requests',
      from: NOON - 86_400_000,
      to: NOON,
      width: 3_600_000,
    });
    const hours = values(day, 'total').slice(1, -1);
    expect(Math.max(...hours)).toBeGreaterThan(1.8 * Math.min(...hours));
  });

  it('derives rates, bandwidth and offload from the counts', () => {
    const [requests, rate, offload] = ['requests', 'requests_per_second', 'requests_offloaded'].map(
      (metric) => truth(domains[0] ?? 0, metric),
    );
    const volume = truth(domains[0] ?? 0, 'data_transferred');
    const bandwidth = truth(domains[0] ?? 0, 'bandwidth');
    const first = (series: SeriesByDimension | undefined, name: string) =>
      series?.[name]?.[0]?.[1] ?? Number.NaN;
    expect(first(rate, 'total')).toBeCloseTo(first(requests, 'total') / 60, 9);
    expect(first(offload, 'offload')).toBeCloseTo(
      (100 * first(requests, 'saved')) / first(requests, 'total'),
      9,
    );
    // Volumes are in megabytes, bandwidth in bits per second.
    expect(first(bandwidth, 'total')).toBeCloseTo((first(volume, 'total') * 8_000_000) / 60, 3);
  });

  it('refuses the truth about a metric that the API does not have', () => {
    const query = {
      api: 'metrics',
      product: 1531930033,
      configuration: 'product',
      metric: 'waf',
      from: 0,
      to: 1,
    } as const;
    expect(() => sandbox.truth(query)).toThrow('no metric waf');
  });
});

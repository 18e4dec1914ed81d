import { describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../../src/sandbox/faults/faults.ts';
import { eventually } from '../../eventually.ts';
import { type Bench, startBench } from '../client.ts';

const SERIES =
  '/metrics/products/1441740010/configurations/1536580016/metrics/cdn_requests?date_from=last-hour';

describe('a fault', () => {
  let bench: Bench;

  const strike = async (faults: FaultSettings) => {
    bench = await startBench({ faults });
    return bench.get(SERIES, 2);
  };
  const totals = (body: unknown) => (body as { total: [number, unknown][] }).total;

  it('of latency delays the answer', async () => {
    const started = performance.now();
    expect((await strike({ latency: { ms: 60 } })).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(55);
  });

  it('can leave a request without any answer', async () => {
    bench = await startBench({ faults: { timeout: {} } });
    const waiting = new AbortController();
    const answer = bench.call('GET', SERIES, { version: 2, signal: waiting.signal });
    const refused = expect(answer).rejects.toThrow('nobody waits any more');
    await eventually('the platform has been asked', () => bench.sandbox.requests.total === 1);
    setTimeout(() => waiting.abort(new Error('nobody waits any more')), 100);
    await refused;
    expect(bench.sandbox.requests.byStatus).toEqual(new Map([[0, 1]]));
  });

  it('can reset the connection', async () => {
    await expect(strike({ connection_reset: {} })).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  });

  it('can break the connection off in the middle of a body', async () => {
    await expect(strike({ truncated_body: { cut: 'connection' } })).rejects.toThrow();
    expect(bench.sandbox.requests.byStatus).toEqual(new Map([[200, 1]]));
  });

  it.each([
    ['string_value', ([, value]: unknown[]) => typeof value === 'string' && value !== 'NaN'],
    ['null_value', ([, value]: unknown[]) => value === null],
    ['nan_text', ([, value]: unknown[]) => value === 'NaN'],
    ['object_value', ([, value]: unknown[]) => typeof value === 'object'],
    ['negative_value', ([, value]: unknown[]) => Number(value) < 0],
    ['not_a_pair', (point: unknown[]) => point.length === 1],
    ['seconds_timestamp', ([time]: unknown[]) => Number(time) < 1e10],
  ] as const)('can damage points: %s', async (kind, damaged) => {
    const points = totals((await strike({ wrong_types: { kinds: [kind], share: 0.5 } })).json());
    const share = points.filter((point) => damaged(point)).length / points.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.8);
  });

  it('can add points of the future and duplicates, and put points out of order', async () => {
    const future = totals((await strike({ wrong_types: { kinds: ['future_point'], share: 0.5 } })).json());
    expect(Math.max(...future.map(([time]) => time))).toBeGreaterThan(bench.time);
    bench.sandbox.faults.set({ wrong_types: { kinds: ['duplicate'], share: 1 } });
    const doubled = totals((await bench.get(SERIES, 2)).json());
    expect(new Set(doubled.map(([time]) => time)).size).toBe(doubled.length / 2);
    bench.sandbox.faults.set({ wrong_types: { kinds: ['out_of_order'] } });
    const shuffled = totals((await bench.get(SERIES, 2)).json()).map(([time]) => time);
    expect(shuffled).not.toEqual(shuffled.toSorted((a, b) => a - b));
  });

  it('can hold the newest buckets back', async () => {
    const usual = totals((await strike({})).json());
    bench.sandbox.faults.set({ late_data: { minutes: 5 } });
    const late = totals((await bench.get(SERIES, 2)).json());
    expect(late).toEqual(usual.slice(0, -5));
    bench.sandbox.faults.set({ late_data: { minutes: 5, settling: 'late' } });
    const low = totals((await bench.get(SERIES, 2)).json());
    expect(low.at(-1)?.[1]).toBeLessThan(Number(late.at(-1)?.[1]));
  });

  it('can lose the buckets that lie between two moments', async () => {
    const usual = totals((await strike({})).json());
    const [from = 0, to = 0] = [usual[10]?.[0], usual[20]?.[0]];
    bench.sandbox.faults.set({ missing_data: { from: from + 1, to } });
    expect(totals((await bench.get(SERIES, 2)).json())).toEqual([...usual.slice(0, 11), ...usual.slice(20)]);
    bench.sandbox.faults.set({ missing_data: { from, to, paths: ['/analytics/'] } });
    expect(totals((await bench.get(SERIES, 2)).json())).toEqual(usual);
  });

  it('can leave rows out: every so many-th, or a share at random', async () => {
    const usual = totals((await strike({})).json());
    bench.sandbox.faults.set({ missing_rows: { every: 3 } });
    expect(totals((await bench.get(SERIES, 2)).json())).toEqual(usual.filter((_, index) => index % 3 !== 2));
    bench.sandbox.faults.set({ missing_rows: { share: 0.3 } });
    const left = totals((await bench.get(SERIES, 2)).json()).length / usual.length;
    expect(left).toBeGreaterThan(0.4);
    expect(left).toBeLessThan(0.95);
  });

  it('can widen buckets, those of a part of the answer or all, and each holds the sum of those in its time', async () => {
    const usual = totals((await strike({})).json());
    const width = 5 * 60_000;
    const sumsOf = (points: readonly [number, unknown][]) => {
      const sums = new Map<number, number>();
      for (const [time, value] of points) {
        const start = Math.floor(time / width) * width;
        sums.set(start, (sums.get(start) ?? 0) + Number(value));
      }
      return [...sums];
    };
    bench.sandbox.faults.set({ wide_buckets: {} });
    expect(totals((await bench.get(SERIES, 2)).json()).slice(1)).toEqual(sumsOf(usual).slice(1));
    const split = Math.floor(bench.time / width) * width - 3 * width;
    const [older, newer] = [usual.filter(([time]) => time < split), usual.filter(([time]) => time >= split)];
    const age = (bench.time - split) / 60_000;
    bench.sandbox.faults.set({ wide_buckets: { part: 'older', age } });
    expect(totals((await bench.get(SERIES, 2)).json()).slice(1)).toEqual(
      [...sumsOf(older), ...newer].slice(1),
    );
    bench.sandbox.faults.set({ wide_buckets: { part: 'newer', age } });
    expect(totals((await bench.get(SERIES, 2)).json())).toEqual([...older, ...sumsOf(newer)]);
  });

  it('strikes by chance the same requests in every run with the same seed', async () => {
    const run = async (seed: number) => {
      bench = await startBench({ seed, faults: { server_error: { probability: 0.5 } } });
      const statuses: number[] = [];
      for (let request = 0; request < 24; request++) statuses.push((await bench.get('/domains')).status);
      await bench.close();
      return statuses;
    };
    const first = await run(1);
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
    bench = await startBench();
  });
});

import { describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../../src/sandbox/faults/faults.ts';
import { type Bench, NOON, startBench } from '../client.ts';

const MINUTE = 60_000;
const DOMAIN = 1536580016;
const PRODUCT = 1441740010;
const PATH = `/metrics/products/${PRODUCT}/configurations/${DOMAIN}/metrics/cdn_requests`;
const SERIES = `${PATH}?date_from=last-hour`;

type Points = readonly (readonly [number, number])[];

describe('a fault of series', () => {
  let bench: Bench;

  const begin = async (faults: FaultSettings) => {
    bench = await startBench({ faults });
  };
  const read = async () => {
    const answer = await bench.get(SERIES, 2);
    expect(answer.status).toBe(200);
    const date = Date.parse(answer.headers.get('date') ?? '');
    return { points: (answer.json() as { total: Points }).total, date };
  };
  /** Returns the final values of the last hour, by start of the minute. */
  const truth = () => {
    const { total = [] } = bench.sandbox.truth({
      api: 'metrics',
      product: PRODUCT,
      configuration: DOMAIN,
      metric: 'cdn_requests',
      from: NOON - 61 * MINUTE,
      to: NOON,
    });
    return new Map(total);
  };
  const settled = (points: Points) => points.filter(([start]) => start < NOON - 15 * MINUTE);

  it('puts a node an hour ahead, with zeros for what is still to come', async () => {
    await begin({ node_clock: { ms: 60 * MINUTE } });
    const { points, date } = await read();
    expect(date).toBe(NOON + 60 * MINUTE);
    const future = points.filter(([start]) => start >= NOON);
    expect(future.length).toBeGreaterThanOrEqual(59);
    expect(future.every(([, value]) => value === 0)).toBe(true);
    // The node's own data equals the data of the other nodes.
    const window = 'date_from=2026-11-20T12:00Z&date_to=2026-11-20T12:34Z';
    const own = (await bench.get(`${PATH}?${window}`, 2)).json() as { total: Points };
    bench.sandbox.faults.clear();
    const others = (await bench.get(`${PATH}?${window}`, 2)).json() as { total: Points };
    expect(own.total.filter(([start]) => start < NOON)).toEqual(others.total);
  });

  it('puts a node ahead by its Date alone', async () => {
    await begin({ node_clock: { ms: 60 * MINUTE, shows: 'date' } });
    const { points, date } = await read();
    expect(date).toBe(NOON + 60 * MINUTE);
    expect(points.at(-1)?.[0]).toBeLessThan(NOON);
  });

  it('puts a node behind, whose answers end earlier', async () => {
    await begin({ node_clock: { ms: -7 * MINUTE, shows: 'data' } });
    const { points, date } = await read();
    expect(date).toBe(NOON);
    expect(points.at(-1)?.[0]).toBe(Math.floor(NOON / MINUTE - 7) * MINUTE);
  });

  it('has a node that is ahead leave out what is still to come', async () => {
    await begin({ node_clock: { ms: 60 * MINUTE, future: 'absent' } });
    expect((await read()).points.at(-1)?.[0]).toBeLessThan(NOON);
  });

  it('has nodes disagree, some requests reaching one that is off', async () => {
    await begin({ node_clock: { ms: 60 * MINUTE, probability: 0.3 } });
    const dates = new Map<number, number>();
    for (let request = 0; request < 40; request += 1) {
      const { date } = await read();
      dates.set(date, (dates.get(date) ?? 0) + 1);
    }
    expect([...dates.keys()].sort()).toEqual([NOON, NOON + 60 * MINUTE]);
    expect(dates.get(NOON + 60 * MINUTE)).toBeGreaterThan(4);
    expect(dates.get(NOON + 60 * MINUTE)).toBeLessThan(20);
  });

  it('has values that no traffic has', async () => {
    await begin({ absurd_values: { share: 0.2 } });
    const { points } = await read();
    const absurd = points.filter(([, value]) => value === 1e21);
    expect(absurd.length).toBeGreaterThan(3);
    expect(absurd.length).toBeLessThan(points.length / 2);
  });

  it('has rows twice that contradict each other', async () => {
    await begin({ conflicting_rows: { share: 0.3 } });
    const { points } = await read();
    const values = new Map<number, number[]>();
    for (const [start, value] of points) values.set(start, [...(values.get(start) ?? []), value]);
    const twice = [...values.values()].filter(({ length }) => length === 2);
    expect(twice.length).toBeGreaterThan(5);
    expect(twice.every(([first, second]) => first !== second)).toBe(true);
  });

  it('has timestamps beside the starts of their buckets', async () => {
    await begin({ timestamp_jitter: {} });
    const { points } = await read();
    const off = points.map(([time]) => time - Math.round(time / MINUTE) * MINUTE);
    expect(Math.max(...off)).toBeGreaterThan(250);
    expect(Math.min(...off)).toBeLessThan(-250);
    expect(off.every((ms) => Math.abs(ms) <= 500)).toBe(true);
  });

  it.each([
    ['downwards', 1.1],
    ['upwards', 0.9],
  ])('restates buckets %s when they are 20 minutes old', async (_, factor) => {
    await begin({ late_restatement: { minutes: 20, factor } });
    const { points } = await read();
    const final = truth();
    for (const [start, value] of settled(points)) {
      const is = final.get(start) ?? Number.NaN;
      expect(value).toBe(NOON - start < 20 * MINUTE ? Math.round(is * factor) : is);
    }
  });

  const sumOf = (final: ReadonlyMap<number, number>, start: number, minutes: number) => {
    let sum = 0;
    for (let minute = 0; minute < minutes; minute += 1)
      sum += final.get(start + minute * MINUTE) ?? Number.NaN;
    return sum;
  };

  it.each([2, 5, 10, 60])(
    'has buckets of %i minutes, whose values are those of their minutes',
    async (minutes) => {
      await begin({ wide_buckets: { minutes } });
      const { points } = await read();
      const width = minutes * MINUTE;
      for (const [start] of points) expect(start % width).toBe(0);
      expect(points.length).toBeGreaterThanOrEqual(60 / minutes);
      const final = truth();
      for (const [start, value] of points)
        if (final.has(start) && start + width < NOON - 15 * MINUTE)
          expect(value).toBe(sumOf(final, start, minutes));
    },
  );

  it.each([2, 5, 10])('has buckets of %i minutes among minutes, with rows missing', async (minutes) => {
    await begin({ wide_buckets: { minutes, part: 'mixed' } });
    const { points } = await read();
    const width = minutes * MINUTE;
    const final = truth();
    let wide = 0;
    for (const [start, value] of settled(points)) {
      const isWide = start % (2 * width) === 0;
      if (!final.has(start) || (isWide && start + width > NOON - 15 * MINUTE)) continue;
      expect(value).toBe(sumOf(final, start, isWide ? minutes : 1));
      wide += Number(isWide);
    }
    expect(wide).toBeGreaterThan(0);
    expect(points.length).toBeGreaterThan(wide + 15);
    bench.sandbox.faults.patch({ missing_rows: { share: 0.4 } });
    const left = (await read()).points.length;
    expect(left).toBeGreaterThan(points.length * 0.3);
    expect(left).toBeLessThan(points.length * 0.9);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, startBench } from '../client.ts';

/** Products of the metrics API with their metrics, from section 2.12 of the specification. */
const METRICS: Readonly<Record<number, readonly string[]>> = {
  1498670028: ['data_streaming_data_streamed', 'data_streaming_requests'],
  1441740010: [
    'data_transferred_total',
    'data_offloaded',
    'cdn_requests',
    'requests_per_second',
    'requests_offloaded',
    'status_code',
    'http_method',
    'waf',
    'bandwidth',
  ],
  1441740004: ['live_streaming_data_transferred'],
  1531930033: ['invocations'],
  1563390045: ['idns_queries', 'hosted_zones'],
  1441110021: ['images_processed'],
  1564082375: ['l2_data_transferred'],
  1441740012: ['load_balancer_data_transferred'],
};

const ANALYTICS: Readonly<Record<number, string>> = {
  1441740010: 'requests',
  1441740013: 'used_space',
  1441110021: 'images_processed',
  1467740028: 'data_ingested',
  1441740014: 'data_packaged',
};

const WINDOW = 'date_from=2026-11-20T10:00Z&date_to=2026-11-20T11:00Z';
type Answer = Record<string, [number, number][]>;
const total = (series: Answer) =>
  Object.values(series)
    .flat()
    .reduce((sum, [, value]) => sum + value, 0);

describe('every product', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench();
  });
  afterAll(() => bench.close());

  const metricReads = Object.entries(METRICS).flatMap(([product, names]) =>
    names.map((name) => [product, name] as const),
  );

  it.each(metricReads)('%s of the metrics API has traffic in %s', async (product, metric) => {
    const path = `/metrics/products/${product}/configurations`;
    const configurations = (await bench.get(path, 2)).json() as { id: number; domains: number[] }[];
    const ids = configurations.flatMap(({ id, domains }) => (domains.length > 0 ? domains : [id]));
    const answers: Answer[] = [];
    for (const id of ids)
      answers.push((await bench.get(`${path}/${id}/metrics/${metric}?${WINDOW}`, 2)).json() as Answer);
    expect(answers.length).toBeGreaterThan(0);
    expect(Math.max(...answers.map(total))).toBeGreaterThan(0);
    for (const series of answers)
      expect(Object.values(series).every((points) => points.length === 60)).toBe(true);
  });

  it.each(Object.entries(ANALYTICS))('%s of the analytics API has traffic in %s', async (product, metric) => {
    const path = `/analytics/products/${product}`;
    const configurations = (await bench.get(`${path}/configurations`, 1)).json() as { id: number }[];
    const whole = (await bench.get(`${path}/aggregate/metrics/${metric}?${WINDOW}`, 1)).json();
    const { products } = whole as { products: Record<string, Record<string, Answer>> };
    const parts: number[] = [];
    for (const { id } of configurations) {
      const part = (await bench.get(`${path}/configurations/${id}/metrics/${metric}?${WINDOW}`, 1)).json();
      parts.push(
        total(
          (part as { configurations: Record<string, Record<string, Answer>> }).configurations[id]?.[metric] ??
            {},
        ),
      );
    }
    const aggregate = total(products[product]?.[metric] ?? {});
    expect(aggregate).toBeGreaterThan(0);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(aggregate, 3);
  });

  it('answers all metrics of the metadata in the analytics API, with their dimensions', async () => {
    const metadata = (await bench.get('/analytics/metadata', 1)).json() as Record<string, string[]>;
    expect(Object.keys(metadata)).toHaveLength(16);
    for (const [metric, dimensions] of Object.entries(metadata)) {
      const answer = await bench.get(
        `/analytics/products/1441740010/aggregate/metrics/${metric}?${WINDOW}`,
        1,
      );
      const { products } = answer.json() as { products: Record<string, Record<string, Answer>> };
      expect(Object.keys(products[1441740010]?.[metric] ?? {}).toSorted()).toEqual(dimensions.toSorted());
    }
  });

  it('counts the hosted zones, and follows their number', async () => {
    const zone = [...bench.sandbox.account.zones][0];
    const path = `/metrics/products/1563390045/configurations/${zone?.id}/metrics/hosted_zones?date_from=last-hour`;
    const levels = ((await bench.get(path, 2)).json() as Answer)['total']?.map(([, value]) => value);
    expect(new Set(levels)).toEqual(new Set([1]));
  });
});

import fc from 'fast-check';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { writeRegistry } from '../../src/exposition/registry-text.ts';
import { ANY_CHARACTER } from '../any-character.ts';
import { parseExposition } from '../parse-exposition.ts';

/** Samples with thresholds as numbers, so that `le="1"` and `le="1.0"` are the same. */
function comparable(text: string) {
  return new Map(
    [...parseExposition(text).samples].map(([key, value]) => [
      key.replace(/\["(le|quantile)","([\d.]+)"\]/, (_, name, number) => `["${name}",${Number(number)}]`),
      value,
    ]),
  );
}

async function written(registry: Registry, format: 'text' | 'openmetrics'): Promise<string> {
  return writeRegistry(await registry.getMetricsAsJSON(), format);
}

function filledRegistry(): Registry {
  const registers = [new Registry()];
  const [registry = new Registry()] = registers;
  const labelNames = ['collector'];
  new Counter({ name: 'polls_total', help: 'Polls.', labelNames, registers }).inc({ collector: 'a' }, 3);
  new Gauge({ name: 'series', help: 'Series "now".', registers }).set(-1.5);
  new Gauge({ name: 'unset', help: 'No value yet.', labelNames, registers });
  const histogram = new Histogram({
    name: 'poll_seconds',
    help: 'Time.',
    labelNames,
    buckets: [0.1, 1, 10],
    registers,
  });
  for (const seconds of [0.05, 0.5, 5, 50]) histogram.observe({ collector: 'a' }, seconds);
  const summary = new Summary({ name: 'size_bytes', help: 'Size.', percentiles: [0.5, 1], registers });
  for (const bytes of [1, 2, 3]) summary.observe(bytes);
  return registry;
}

describe("the exporter's own metrics", () => {
  it('are those that prom-client writes', async () => {
    const registry = filledRegistry();
    collectDefaultMetrics({ register: registry });
    const fixed = await registry.getMetricsAsJSON();
    registry.clear();
    for (const metric of fixed) registry.registerMetric({ ...metric, get: async () => metric } as never);
    expect(comparable(writeRegistry(fixed, 'text'))).toEqual(comparable(await registry.metrics()));
    expect(fixed.length).toBeGreaterThan(20);
  });

  it('are the same samples in both formats, and only the headers differ', async () => {
    const registry = filledRegistry();
    const [text, openmetrics] = [await written(registry, 'text'), await written(registry, 'openmetrics')];
    expect(parseExposition(openmetrics).samples).toEqual(parseExposition(text).samples);
    expect(parseExposition(text).types).toContainEqual(['polls_total', 'counter']);
    expect(parseExposition(openmetrics).types).toContainEqual(['polls', 'counter']);
    expect(parseExposition(openmetrics).helps.get('series')).toBe('Series "now".');
  });

  it('are written out in full', async () => {
    const lines = (await written(filledRegistry(), 'openmetrics')).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '# HELP polls Polls.',
      '# TYPE polls counter',
      'polls_total{collector="a"} 3',
    ]);
    expect(lines.filter((line) => line.startsWith('poll_seconds'))).toEqual([
      'poll_seconds_bucket{le="0.1",collector="a"} 1',
      'poll_seconds_bucket{le="1.0",collector="a"} 2',
      'poll_seconds_bucket{le="10.0",collector="a"} 3',
      'poll_seconds_bucket{le="+Inf",collector="a"} 4',
      'poll_seconds_sum{collector="a"} 55.55',
      'poll_seconds_count{collector="a"} 4',
    ]);
    expect(lines.filter((line) => line.startsWith('size_bytes'))).toEqual([
      'size_bytes{quantile="0.5"} 2',
      'size_bytes{quantile="1.0"} 3',
      'size_bytes_sum 6',
      'size_bytes_count 3',
    ]);
    expect(lines.some((line) => line.includes('unset'))).toBe(false);
  });

  it('leave the registry as it was', async () => {
    const registry = filledRegistry();
    const before = await registry.metrics();
    await written(registry, 'openmetrics');
    expect(await registry.metrics()).toBe(before);
  });

  it('equal what prom-client writes for any label value and number', async () => {
    const sample = fc.record({ value: fc.double(), label: fc.string({ unit: ANY_CHARACTER }) });
    await fc.assert(
      fc.asyncProperty(fc.array(sample), async (samples) => {
        const registry = new Registry();
        const gauge = new Gauge({ name: 'any', help: 'Any.', labelNames: ['label'], registers: [registry] });
        for (const { label, value } of samples) gauge.set({ label }, value);
        expect(parseExposition(await written(registry, 'text')).samples).toEqual(
          parseExposition(await registry.metrics()).samples,
        );
      }),
    );
  });

  it('fail for a type that no format knows', () => {
    const metric = { name: 'odd', help: '', type: 'trend', values: [{ labels: {}, value: 1 }] };
    expect(() => writeRegistry([metric], 'text')).toThrow('Metric odd is of unknown type trend.');
  });
});

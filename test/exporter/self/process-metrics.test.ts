import fc from 'fast-check';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ExpositionFormat } from '../../../src/exporter/exposition/text-format.ts';
import { OwnMetrics } from '../../../src/exporter/self/own-metrics.ts';
import {
  ProcessMetrics,
  type RegistryMetric,
  registryFamilies,
} from '../../../src/exporter/self/process-metrics.ts';
import { ANY_CHARACTER } from '../../any-character.ts';
import { parseExposition } from '../../parse-exposition.ts';

/** Samples with thresholds as numbers, so that `le="1"` and `le="1.0"` are the same. */
function comparable(text: string) {
  return new Map(
    [...parseExposition(text).samples].map(([key, value]) => [
      key.replace(/\["(le|quantile)","([\d.]+)"\]/, (_, name, number) => `["${name}",${Number(number)}]`),
      value,
    ]),
  );
}

async function textOf(own: OwnMetrics, format: ExpositionFormat = 'text'): Promise<string> {
  const segments = await own.segments(format);
  return Buffer.concat(segments.flatMap(({ identity }) => identity)).toString();
}

async function shown(metrics: readonly RegistryMetric[], format: ExpositionFormat = 'text'): Promise<string> {
  const own = new OwnMetrics();
  registryFamilies(own)(metrics);
  return await textOf(own, format);
}

async function written(registry: Registry, format: ExpositionFormat): Promise<string> {
  return await shown(await registry.getMetricsAsJSON(), format);
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

describe('the metrics of the process', () => {
  it('are those that prom-client writes', async () => {
    const registry = filledRegistry();
    collectDefaultMetrics({ register: registry });
    const fixed = await registry.getMetricsAsJSON();
    registry.clear();
    for (const metric of fixed) registry.registerMetric({ ...metric, get: async () => metric } as never);
    expect(comparable(await shown(fixed))).toEqual(comparable(await registry.metrics()));
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

  it('fail for a type that no format knows', async () => {
    const metric = { name: 'odd', help: '', type: 'trend', values: [{ labels: {}, value: 1 }] };
    await expect(shown([metric])).rejects.toThrow('Metric odd is of unknown type trend.');
  });

  it('show the values of now, and no line of before', async () => {
    const own = new OwnMetrics();
    const show = registryFamilies(own);
    const metric = (...labels: string[]) => ({
      name: 'handles',
      help: '.',
      type: 'gauge',
      values: labels.map((type, index) => ({ labels: { type }, value: index })),
    });
    show([metric('a', 'b')]);
    show([metric('b')]);
    expect(await textOf(own)).toBe('# HELP handles .\n# TYPE handles gauge\nhandles{type="b"} 0\n');
  });

  it('are measured when somebody asks, but not twice in a moment', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const own = new OwnMetrics();
    const metrics = new ProcessMetrics(own);
    await metrics.measure();
    const first = await own.segments('text');
    vi.advanceTimersByTime(999);
    await metrics.measure();
    expect(await own.segments('text')).toBe(first);
    vi.advanceTimersByTime(1);
    await metrics.measure();
    expect(await own.segments('text')).not.toBe(first);
    const names = [...(await textOf(own)).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(metrics.names).toEqual(expect.arrayContaining(names));
    expect(names).toContain('process_cpu_seconds_total');
  });

  it('are the default ones of prom-client, which is not loaded as a whole, but for the delays of the event loop', async () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const theirs = registry.getMetricsAsArray().map(({ name }) => name);
    const own = new OwnMetrics();
    const metrics = new ProcessMetrics(own);
    const isOurs = (name: string) =>
      name.startsWith('nodejs_eventloop_lag') || name.startsWith('nodejs_active');
    const without = (names: readonly string[]) => names.filter((name) => !isOurs(name)).toSorted();
    expect(without(metrics.names)).toEqual(without(theirs));
    await metrics.measure();
    const { types, helps } = parseExposition(await textOf(own));
    const { types: theirTypes, helps: theirHelps } = parseExposition(await registry.metrics());
    for (const name of without(theirs).filter((name) => types.has(name)))
      expect([name, types.get(name), helps.get(name)]).toEqual([
        name,
        theirTypes.get(name),
        theirHelps.get(name),
      ]);
    expect(types.get('process_cpu_seconds_total')).toBe('counter');
  });

  it('show a stall of the event loop at once, and for half a minute', async () => {
    const own = new OwnMetrics();
    const metrics = new ProcessMetrics(own);
    onTestFinished(metrics.start());
    const longest = async () => {
      await metrics.measure();
      return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(await textOf(own))?.[1]);
    };
    await expect.poll(longest).toBeGreaterThan(0);
    const end = performance.now() + 400;
    while (performance.now() < end);
    await expect.poll(longest).toBeGreaterThan(0.35);
  });
});

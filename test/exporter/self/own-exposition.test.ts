import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { ExpositionFormat, ShownSample } from '../../../src/exporter/exposition/text-format.ts';
import { addProcess, documentedMetrics } from '../../../src/exporter/self/measured-metrics.ts';
import { OwnExposition } from '../../../src/exporter/self/own-exposition.ts';
import { ANY_CHARACTER } from '../../any-character.ts';
import { parseExposition } from '../../parse-exposition.ts';

const exposed = (registry: Registry) => new OwnExposition([registry], () => 0);

async function textOf(own: OwnExposition, format: ExpositionFormat = 'text'): Promise<string> {
  const segments = await own.segments(format);
  return Buffer.concat(segments.flatMap(({ identity }) => identity)).toString();
}

function filledRegistry(account = 'a'): Registry {
  const registry = new Registry();
  const common = { help: 'Some "help".', labelNames: ['account'], registers: [registry] };
  new Counter({ ...common, name: 'polls_total' }).inc({ account }, 3);
  new Gauge({ ...common, name: 'jobs' }).set({ account }, -1.5);
  new Gauge({ ...common, name: 'unset' });
  const seconds = new Histogram({ ...common, name: 'seconds', buckets: [0.5, 2] });
  for (const value of [0.25, 1, 5]) seconds.observe({ account }, value);
  return registry;
}

describe("the exporter's own metrics", () => {
  it('are those that prom-client writes, for any label value and number', async () => {
    const sample = fc.record({
      value: fc.double({ noNaN: true }),
      label: fc.string({ unit: ANY_CHARACTER, minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sample), async (samples) => {
        const registry = filledRegistry();
        const any = new Gauge({ name: 'any', help: 'Any.', labelNames: ['label'], registers: [registry] });
        for (const { value, label } of samples) any.set({ label }, value);
        const theirs = (await registry.metrics()).replaceAll('le="2"', 'le="2.0"');
        expect(parseExposition(await textOf(exposed(registry))).samples).toEqual(
          parseExposition(theirs).samples,
        );
      }),
    );
  });

  it.each([
    ['text', '# HELP polls_total Some "help".\n# TYPE polls_total counter\npolls_total{account="a"} 3\n'],
    ['openmetrics', '# HELP polls Some \\"help\\".\n# TYPE polls counter\npolls_total{account="a"} 3\n'],
  ] as const)(
    'follow the format %s, in whichever order the formats are asked for',
    async (format, expected) => {
      const own = exposed(filledRegistry());
      await own.segments('openmetrics');
      const text = await textOf(own, format);
      expect(text.slice(0, expected.length)).toBe(expected);
      expect(text.split('\n').filter((line) => line.startsWith('seconds'))).toEqual([
        'seconds_bucket{le="0.5",account="a"} 1',
        'seconds_bucket{le="2.0",account="a"} 2',
        'seconds_bucket{le="+Inf",account="a"} 3',
        'seconds_sum{account="a"} 6.25',
        'seconds_count{account="a"} 3',
      ]);
      expect(text).not.toMatch(/unset|EOF/);
    },
  );

  it('have the labels of their account, and no excluded family', async () => {
    const own = exposed(filledRegistry());
    own.configure(
      (family) => family === 'seconds',
      (account) => ({ team: `of ${account}` }),
    );
    expect((await textOf(own)).split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'polls_total{team="of a",account="a"} 3',
      'jobs{team="of a",account="a"} -1.5',
      '',
    ]);
  });

  it('have no label without a value, and no value that is not a number', async () => {
    const registry = filledRegistry('');
    new Gauge({ name: 'nothing', help: '.', registers: [registry] }).set(Number.NaN);
    const text = await textOf(exposed(registry));
    expect(text).toContain('\njobs -1.5\n');
    expect(text).not.toContain('nothing');
  });

  it('are rendered once a second, however many ask', async () => {
    let [now, renderings] = [0, 0];
    const registry = new Registry();
    new Gauge({
      name: 'renderings',
      help: '.',
      registers: [registry],
      collect() {
        this.set(++renderings);
      },
    });
    const own = new OwnExposition([registry], () => now);
    expect(await own.segments('text')).toBe(await own.segments('text'));
    now = 999;
    expect(await textOf(own)).toContain('renderings 1\n');
    now = 1_000;
    expect(await textOf(own)).toContain('renderings 2\n');
    await own.segments('text', true);
    expect(await textOf(own)).toContain('renderings 3\n');
    own.configure(
      () => true,
      () => ({}),
    );
    expect(await textOf(own)).toBe('');
  });

  it('are pushed as they are shown, each series under its own name', async () => {
    const found = new Map<string, ShownSample>();
    await exposed(filledRegistry()).collect((family) => family === 'seconds', found);
    expect([...found].map(([text, { family, labels, value }]) => [text, family.name, labels, value])).toEqual(
      [
        ['seconds_bucket{le="0.5",account="a"}', 'seconds_bucket', { le: '0.5', account: 'a' }, 1],
        ['seconds_bucket{le="2.0",account="a"}', 'seconds_bucket', { le: '2.0', account: 'a' }, 2],
        ['seconds_bucket{le="+Inf",account="a"}', 'seconds_bucket', { le: '+Inf', account: 'a' }, 3],
        ['seconds_sum{account="a"}', 'seconds_sum', { account: 'a' }, 6.25],
        ['seconds_count{account="a"}', 'seconds_count', { account: 'a' }, 3],
      ],
    );
  });

  it('of the process are valid in both formats', async () => {
    const registry = new Registry();
    addProcess(registry);
    const { types } = parseExposition(await textOf(exposed(registry)));
    expect(types.get('process_cpu_seconds_total')).toBe('counter');
    const total = [...types].filter(([name]) => name.endsWith('_total')).map(([, type]) => type);
    expect(new Set(total)).toEqual(new Set(['counter']));
    expect(
      parseExposition(await textOf(exposed(registry), 'openmetrics')).types.get('process_cpu_seconds'),
    ).toBe('counter');
  });

  it('are all in the namespace of the exporter or of the process', () => {
    const names = documentedMetrics()
      .flatMap((registry) => registry.getMetricsAsArray())
      .map(({ name }) => name);
    expect(names.filter((name) => !/^(edge_exporter|process|nodejs)_[a-z0-9_]+$/.test(name))).toEqual([]);
  });
});

import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { ExpositionFormat, ShownSample } from '../../../src/exporter/exposition/text-format.ts';
import { MetricMaker } from '../../../src/exporter/self/metric-types.ts';
import { OwnMetrics } from '../../../src/exporter/self/own-metrics.ts';
import { type ParsedExposition, parseExposition } from '../../parse-exposition.ts';

/** Sums may be written in another order of additions. */
function rounded({ samples }: ParsedExposition): Map<string, number> {
  return new Map([...samples].map(([key, value]) => [key, Number(value.toPrecision(9))]));
}

async function textOf(own: OwnMetrics, format: ExpositionFormat = 'text'): Promise<string> {
  const segments = await own.segments(format);
  return Buffer.concat(segments.flatMap(({ identity }) => identity)).toString();
}

describe("the exporter's own metrics", () => {
  it('are those of prom-client, whatever is counted, set and observed', async () => {
    const label = fc.constantFrom('a', 'b', 'c"', 'd\n');
    const step = fc.record({
      kind: fc.constantFrom('count' as const, 'set' as const, 'observe' as const, 'scrape' as const),
      label,
      value: fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 10),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const own = new OwnMetrics();
        const maker = new MetricMaker(own);
        const registers = [new Registry()];
        const named = (name: string) => ({ name: `edge_exporter_${name}`, help: '.', registers });
        const labelNames = ['account'] as const;
        const polls = maker.counter('polls_total', '.', labelNames);
        const jobs = maker.gauge('jobs', '.', labelNames);
        const seconds = maker.histogram('seconds', '.', labelNames, [0.5, 1.5]);
        const theirPolls = new Counter({ ...named('polls_total'), labelNames });
        const theirJobs = new Gauge({ ...named('jobs'), labelNames });
        const theirSeconds = new Histogram({ ...named('seconds'), labelNames, buckets: [0.5, 1.5] });
        const actions = {
          count(account: string, value: number) {
            polls.add(value, account);
            theirPolls.labels(account).inc(value);
          },
          set(account: string, value: number) {
            jobs.set(value, account);
            theirJobs.labels(account).set(value);
          },
          observe(account: string, value: number) {
            seconds.observe(value, account);
            theirSeconds.labels(account).observe(value);
          },
          scrape: () => textOf(own),
        } as const;
        for (const { kind, label, value } of steps) await actions[kind](label, value);
        const text = await textOf(own);
        const expected = await registers[0]?.metrics();
        expect(rounded(parseExposition(text))).toEqual(rounded(parseExposition(expected ?? '')));
      }),
    );
  });

  it('sum up what took time in three lines: total, number, and what 95 of 100 recent ones stay below', async () => {
    const own = new OwnMetrics();
    const seconds = new MetricMaker(own).summary('seconds', 'Time.', ['account']);
    for (let second = 1; second <= 60; second++) seconds.observe(second, 'a');
    expect((await textOf(own, 'openmetrics')).split('\n')).toEqual([
      '# HELP edge_exporter_seconds Time.',
      '# TYPE edge_exporter_seconds summary',
      'edge_exporter_seconds{account="a",quantile="0.95"} 59',
      'edge_exporter_seconds_sum{account="a"} 1830',
      'edge_exporter_seconds_count{account="a"} 60',
      '',
    ]);
  });

  it('that are replaced leave nothing of what is no longer there', () => {
    const gauge = new MetricMaker(new OwnMetrics()).gauge('jobs', 'Jobs.', ['account']);
    const replace = (...accounts: string[]) => {
      const replacing = gauge.replacing();
      for (const account of accounts) replacing.set(1, account);
      for (const _ of replacing.end());
      return ['a', 'b', 'c'].map((account) => gauge.value(account));
    };
    expect(replace('a', 'b')).toEqual([1, 1, undefined]);
    expect(replace('b', 'c')).toEqual([undefined, 1, 1]);
  });

  it('are rendered when somebody asks, and again only when one has changed', async () => {
    const own = new OwnMetrics();
    const jobs = new MetricMaker(own).gauge('jobs', 'Jobs.', ['account']);
    jobs.set(1, 'a');
    const before = await own.segments('text');
    jobs.set(1, 'a');
    expect(await own.segments('text')).toBe(before);
    jobs.set(2, 'a');
    expect(await textOf(own)).toContain('edge_exporter_jobs{account="a"} 2\n');
  });

  it('are written anew where they have changed, and elsewhere they are the bytes of before', async () => {
    const own = new OwnMetrics();
    const maker = new MetricMaker(own);
    const jobs = maker.gauge('jobs', 'Jobs.', ['account']);
    for (let account = 0; account < 1_000; account++) jobs.set(1, `${account}`);
    const others = ['a', 'b', 'c'].map((name) => maker.gauge(name, 'Of few lines.', []));
    const before = await own.segments('text');
    jobs.set(2, '500');
    others[1]?.set(7);
    const after = await own.segments('text');
    expect(before.length).toBeGreaterThan(10);
    expect(after.length).toBe(before.length);
    expect(after.filter((segment) => !before.includes(segment))).toHaveLength(2);
    expect(await textOf(own)).toMatch(/^edge_exporter_b 7$/m);
  });

  it('are those that were set last, whichever of hundreds come and go between scrapes', async () => {
    const step = fc.record({
      account: fc.nat(200),
      value: fc.option(fc.nat(3), { nil: undefined, freq: 5 }),
      isScraped: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 300, maxLength: 600 }), async (steps) => {
        const own = new OwnMetrics();
        const maker = new MetricMaker(own);
        const expected = new Map<string, number>();
        const gauges = ['jobs', 'waiting'].map((name) => maker.gauge(name, '.', ['account']));
        for (const [index, { account, value, isScraped }] of steps.entries()) {
          const gauge = gauges[index % 2];
          const key = JSON.stringify([
            `edge_exporter_${['jobs', 'waiting'][index % 2]}`,
            [['account', `${account}`]],
          ]);
          if (value === undefined) gauge?.remove(`${account}`);
          else gauge?.set(value, `${account}`);
          if (value === undefined) expected.delete(key);
          else expected.set(key, value);
          if (isScraped) await own.segments(index % 3 === 0 ? 'openmetrics' : 'text');
        }
        for (const format of ['text', 'openmetrics'] as const)
          expect(parseExposition(await textOf(own, format)).samples).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('are pushed as they are shown, each line under its own name', () => {
    const own = new OwnMetrics();
    const maker = new MetricMaker(own);
    maker.histogram('seconds', 'Time.', ['account'], [1]).observe(0.5, 'a');
    maker.gauge('jobs', 'Jobs.', ['account', 'scope']).set(1, 'a', '');
    maker.gauge('unwanted', 'Unwanted.', []);
    const found = new Map<string, ShownSample>();
    for (const _ of own.collect((family) => !family.endsWith('unwanted'), found));
    expect([...found].map(([text, { family, labels, value }]) => [text, family.name, labels, value])).toEqual(
      [
        [
          'edge_exporter_seconds_bucket{account="a",le="1.0"}',
          'edge_exporter_seconds_bucket',
          { account: 'a', le: '1.0' },
          1,
        ],
        [
          'edge_exporter_seconds_bucket{account="a",le="+Inf"}',
          'edge_exporter_seconds_bucket',
          { account: 'a', le: '+Inf' },
          1,
        ],
        ['edge_exporter_seconds_sum{account="a"}', 'edge_exporter_seconds_sum', { account: 'a' }, 0.5],
        ['edge_exporter_seconds_count{account="a"}', 'edge_exporter_seconds_count', { account: 'a' }, 1],
        ['edge_exporter_jobs{account="a"}', 'edge_exporter_jobs', { account: 'a' }, 1],
      ],
    );
  });
});

import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { Exposition } from '../../src/exposition/exposition.ts';
import { LiveSeries } from '../../src/exposition/live-series.ts';
import { MetricMaker } from '../../src/self/metric-maker.ts';
import { type ParsedExposition, parseExposition } from '../parse-exposition.ts';

/** Sums may be written in another order of additions. */
function rounded({ samples }: ParsedExposition): Map<string, number> {
  return new Map([...samples].map(([key, value]) => [key, Number(value.toPrecision(9))]));
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
        const live = new LiveSeries();
        const exposition = new Exposition([live]);
        const maker = new MetricMaker(live);
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
          scrape: () => exposition.settled(),
        } as const;
        for (const { kind, label, value } of steps) await actions[kind](label, value);
        await exposition.settled();
        const text = Buffer.concat(exposition.snapshot('text', 'identity')).toString();
        const expected = await registers[0]?.metrics();
        expect(rounded(parseExposition(text))).toEqual(rounded(parseExposition(expected ?? '')));
      }),
    );
  });

  it('sum up what took time in three lines: total, number, and what 95 of 100 recent ones stay below', async () => {
    const live = new LiveSeries();
    const exposition = new Exposition([live]);
    const seconds = new MetricMaker(live).summary('seconds', 'Time.', ['account']);
    for (let second = 1; second <= 60; second++) seconds.observe(second, 'a');
    await exposition.refresh();
    expect(Buffer.concat(exposition.snapshot('openmetrics', 'identity')).toString().split('\n')).toEqual([
      '# HELP edge_exporter_seconds Time.',
      '# TYPE edge_exporter_seconds summary',
      'edge_exporter_seconds{account="a",quantile="0.95"} 59',
      'edge_exporter_seconds_sum{account="a"} 1830',
      'edge_exporter_seconds_count{account="a"} 60',
      '# EOF',
      '',
    ]);
  });

  it('that are replaced leave nothing of what is no longer there', () => {
    const gauge = new MetricMaker(new LiveSeries()).gauge('jobs', 'Jobs.', ['account']);
    const replace = (...accounts: string[]) => {
      const replacing = gauge.replacing();
      for (const account of accounts) replacing.set(1, account);
      replacing.end();
      return ['a', 'b', 'c'].map((account) => gauge.value(account));
    };
    expect(replace('a', 'b')).toEqual([1, 1, undefined]);
    expect(replace('b', 'c')).toEqual([undefined, 1, 1]);
  });
});

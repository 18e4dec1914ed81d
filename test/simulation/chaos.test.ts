import { expect, it } from 'vitest';
import { inLongSuite } from '../long-suite.ts';
import { type ParsedExposition, seriesKey } from '../parse-exposition.ts';
import { DAY, Story, WEEK } from './chaos-script.ts';
import { CounterWatch } from './counter-watch.ts';
import { kindsOfState } from './kinds-of-state.ts';
import { simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;
const { script, days, sites, removed } = inLongSuite(
  { script: WEEK, days: 7, sites: 19, removed: 2 },
  { script: DAY, days: 1, sites: 4, removed: 1 },
);

const OUTCOMES_MET = ['ok', 'empty', 'rate_limited', 'server_error', 'timeout', 'network', 'undecodable'];

it.each(kindsOfState())(
  'in %s, loses no bucket and counts none twice in a week or a day of faults, outages, restarts and wrong clocks',
  async (_, kept) => {
    const simulation = await simulate({
      ...kept(),
      skew: 7 * MINUTE,
      sandbox: {
        configurations: sites,
        domainsPerConfiguration: 1,
        rateLimit: { reads: 2_000, writes: 20, purges: 20 },
      },
      account: {
        request: { timeout: '1s' },
        collectors: {
          metrics: {
            schedule: inLongSuite('*/20 * * * *', '*/10 * * * *'),
            products: { edge_applications: { metrics: ['status_code'] } },
          },
          analytics: {
            schedule: '*/10 * * * *',
            products: { content_delivery: { by: ['product'], metrics: ['requests', 'waf'] } },
          },
        },
      },
    });
    const { clock, sandbox } = simulation;
    const ends = clock.now() + days * 24 * 60 * MINUTE;
    const watch = new CounterWatch();
    const story = new Story(script, clock.now());
    while (clock.now() < ends) {
      await story.go(simulation);
      await simulation.minutes(10);
      if (simulation.isRunning()) watch.see(await simulation.scrape());
    }
    const audit = auditCounters(simulation.state, sandbox);
    const statuses = [...sandbox.requests.byStatus].toSorted(([a], [b]) => a - b);
    process.stdout.write(
      `${audit.buckets} buckets of ${audit.series} series checked; ${sandbox.requests.total} requests by status ` +
        `${JSON.stringify(Object.fromEntries(statuses))}; ${watch.scrapes} scrapes of ${watch.series} counters\n`,
    );
    expect(audit.wrong).toEqual([]);
    expect(watch.decreases).toEqual([]);
    expect(audit.series).toBeGreaterThan(16 * sites);
    expect(audit.buckets).toBeGreaterThan((60_000 / 7) * days * sites);
    // All counters have caught up, except those of removed configurations.
    expect(audit.watermarks.filter((watermark) => watermark < ends - 40 * MINUTE)).toHaveLength(removed * 16);
    const exposition = await simulation.scrape();
    // A late platform, dropped rows and few polls do not lengthen the learned settle delay.
    const settle = (product: string, metric: string) =>
      exposition.samples.get(
        seriesKey('edge_exporter_settle_delay_seconds', { account: 'test', product, metric }),
      );
    expect(settle('edge_applications', 'status_code')).toBe(600);
    expect(settle('content_delivery', 'requests')).toBe(600);
    expect(settle('content_delivery', 'waf')).toBe(600);
    const outcomes = pollsByOutcome(exposition);
    for (const outcome of OUTCOMES_MET) expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
    await simulation.close();
  },
);

function pollsByOutcome({ samples }: ParsedExposition): Map<string, number> {
  const polls = new Map<string, number>();
  for (const [key, value] of samples) {
    const [name, labels] = JSON.parse(key) as [string, [string, string][]];
    const { outcome = '' } = Object.fromEntries(labels);
    if (name === 'edge_exporter_polls_total') polls.set(outcome, (polls.get(outcome) ?? 0) + value);
  }
  return polls;
}

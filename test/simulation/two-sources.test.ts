import { expect, it } from 'vitest';
import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import { inLongSuite } from '../long-suite.ts';
import { seriesKey } from '../parse-exposition.ts';
import { CounterWatch } from './counter-watch.ts';
import { simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;
const STEP = inLongSuite(60, 30);
const HOURS = inLongSuite(24, 7.5);
const SWITCHES = inLongSuite(20, 14);

const TROUBLE: readonly FaultSettings[] = [
  {},
  { late_data: { minutes: 12 } },
  { conflicting_rows: { probability: 0.5, share: 0.1 }, server_error: { probability: 0.1 } },
  { late_data: { minutes: 9, settling: 'late' } },
  { repeated_rows: { probability: 0.3 }, rate_limited: { probability: 0.02, retry_after: 20 } },
  { wrong_types: { probability: 0.3, share: 0.1 }, truncated_body: { probability: 0.1 } },
  { graphql_errors: { probability: 0.3 }, malformed_body: { probability: 0.1 } },
];

/**
 * Response limit of 64 KiB, or forty rows of all fields, so that most questions are split by time or
 * configuration.
 */
const SPLIT = { max_response_bytes: 65_536 };

it(`counts every bucket once, whichever source brings it: ${HOURS} hours of troubles, kills and ${SWITCHES} switches`, async () => {
  const simulation = await simulate({
    sandbox: {
      configurations: inLongSuite(3, 2),
      domainsPerConfiguration: 1,
      rateLimit: { reads: 1_000, writes: 20, purges: 20 },
      graphqlRateLimit: 200,
    },
    account: {
      source: 'rest',
      request: SPLIT,
      collectors: {
        metrics: {
          schedule: inLongSuite('*/5 * * * *', '*/10 * * * *'),
          products: { edge_applications: {} },
        },
        analytics: {
          schedule: '*/10 * * * *',
          products: { content_delivery: { by: ['configuration', 'product'], metrics: ['requests', 'waf'] } },
        },
      },
    },
  });
  const { clock, sandbox, state } = simulation;
  const watch = new CounterWatch();
  const ends = clock.now() + HOURS * 60 * MINUTE;
  for (let step = 0; clock.now() < ends; step += 1) {
    sandbox.faults.set(TROUBLE[step % TROUBLE.length] ?? {});
    if (step < SWITCHES) await simulation.reload([], { source: step % 2 === 0 ? 'graphql' : 'rest' });
    await simulation.minutes(STEP / 2 + 1);
    if (step % 3 === 2) await simulation.restart();
    await simulation.minutes(STEP / 2 - 1);
    watch.see(await simulation.scrape());
  }
  sandbox.faults.set({});
  // Counters without data in GraphQL, such as megabytes by scheme, continue when REST is available again.
  await simulation.minutes(60);
  const audit = auditCounters(state, sandbox);
  process.stdout.write(
    `${audit.buckets} buckets of ${audit.series} series, ${SWITCHES} switches, ${sandbox.requests.total} requests\n`,
  );
  expect(audit.wrong).toEqual([]);
  expect(watch.decreases).toEqual([]);
  expect(audit.oldestWatermark).toBeGreaterThan(clock.now() - 40 * MINUTE);
});

it('compares what both sources say of the minutes in which they overlap, and tells where they differ', async () => {
  const simulation = await simulate({
    sandbox: { configurations: 2, domainsPerConfiguration: 1 },
    account: {
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf', 'status_code'] } } } },
    },
  });
  const { sandbox, log } = simulation;
  const closed: FaultSettings = { not_found: { paths: ['/metrics/products/*/metrics/*'] } };
  const differing = async () => {
    const { samples } = await simulation.scrape();
    const labels = { account: 'test', product: 'edge_applications' };
    return samples.get(seriesKey('edge_exporter_late_restatement_total', labels)) ?? 0;
  };
  const sources = () => log.flatMap(({ message, facts }) => (message === 'source of series' ? [facts] : []));
  await simulation.minutes(30);
  sandbox.faults.set(closed);
  await simulation.minutes(30);
  expect(sources().at(-1)).toMatchObject({ source: 'graphql' });
  expect(await differing()).toBe(0);
  sandbox.faults.set({});
  await simulation.restart();
  await simulation.minutes(45);
  expect(sources().at(-1)).toMatchObject({ source: 'rest' });
  expect(await differing()).toBe(0);
  // GraphQL returns twice the true values.
  const doubled = { late_restatement: { minutes: 100_000, factor: 2, paths: ['/metrics/graphql'] } };
  sandbox.faults.set({ ...closed, ...doubled });
  await simulation.minutes(30);
  expect(sources().at(-1)).toMatchObject({ source: 'graphql' });
  const found = await differing();
  expect(found).toBeGreaterThan(20);
  // GraphQL is not compared with itself, so the number does not change.
  await simulation.minutes(10);
  expect(await differing()).toBe(found);
});

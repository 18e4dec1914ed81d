import { expect, it } from 'vitest';
import { HOSTILE_GRAPHQL } from '../hostile/hostile-graphql.ts';
import { inLongSuite } from '../long-suite.ts';
import { CounterWatch } from './counter-watch.ts';
import { simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;
const CONFIGURATIONS = inLongSuite(2, 1);

it('counts nothing wrong while GraphQL answers in every hostile way, one after the other, and nothing less in the end', async () => {
  const simulation = await simulate({
    sandbox: { configurations: CONFIGURATIONS, restAnalytics: 'absent' },
    account: {
      source: 'graphql',
      collectors: {
        metrics: {
          schedule: '*/2 * * * *',
          products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } },
        },
      },
    },
  });
  const { clock, sandbox, state } = simulation;
  const watch = new CounterWatch();
  const found: string[] = [];
  const look = async (what: string) => {
    watch.see(await simulation.scrape());
    found.push(...auditCounters(state, sandbox).wrong.map((wrong) => `${what}: ${wrong}`));
  };
  await simulation.minutes(18);
  await look('well');
  for (const [behaviour, faults] of Object.entries(HOSTILE_GRAPHQL)) {
    sandbox.faults.set(faults);
    await simulation.minutes(6);
    await look(behaviour);
    sandbox.faults.clear();
    await simulation.minutes(24);
    await look(`after: ${behaviour}`);
    const behind = clock.now() - auditCounters(state, sandbox).oldestWatermark;
    if (behind > 20 * MINUTE) found.push(`after: ${behaviour}: ${behind / MINUTE} minutes behind`);
  }
  expect(found).toEqual([]);
  expect(watch.decreases).toEqual([]);
  expect(auditCounters(state, sandbox).series).toBe(CONFIGURATIONS * 12);
});

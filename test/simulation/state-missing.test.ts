import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openState } from '../../src/exporter/state/open-state.ts';
import { inLongSuite } from '../long-suite.ts';
import { CounterWatch } from './counter-watch.ts';
import { type Simulation, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

/** Of each of the three parts: before, while the state is missing, and after it (minutes). */
const PART = inLongSuite(60, 25);
let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'state-missing-'));
  directory = join(parent, 'state');
});

afterEach(() => rm(parent, { recursive: true }));

/** The platform's families in a scrape. */
async function exposed(simulation: Simulation) {
  const { samples } = await simulation.scrape();
  const named = (pattern: RegExp) =>
    [...samples.keys()].filter((key) => {
      const [name] = JSON.parse(key) as [string];
      return pattern.test(name) && !name.startsWith('edge_exporter_');
    });
  const counters = named(/_total$/).sort();
  const gauges = named(/_per_minute$/).sort();
  return { counters, gauges };
}

it('withholds counters while their state is missing, and then goes on where they were', async () => {
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  const simulation = await simulate({
    state: (clock) => openState(directory, log, { clock }),
    sandbox: { configurations: 3 },
    account: {
      collectors: {
        metrics: {
          schedule: '* * * * *',
          products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } },
        },
        domains: { schedule: '* * * * *' },
      },
    },
  });
  const watch = new CounterWatch();
  await simulation.minutes(PART);
  watch.see(await simulation.scrape());
  const before = await exposed(simulation);
  expect(before.counters.length).toBeGreaterThan(20);
  const settings = new Map(
    [...simulation.state.keys(['settings'])].map((key) => [key.join(), simulation.state.get(key)]),
  );
  await simulation.stop();

  await rename(directory, join(parent, 'unmounted'));
  await writeFile(directory, '');
  await simulation.start();
  await simulation.minutes(PART);
  const missing = await exposed(simulation);
  expect(simulation.state.kind).toBe('unavailable');
  expect(missing.counters).toEqual([]);
  expect(missing.gauges).toEqual(before.gauges);
  expect(warnings).toHaveLength(1);
  expect(simulation.log.filter(({ message }) => message.includes('cannot be written'))).toHaveLength(1);

  await rm(directory);
  await rename(join(parent, 'unmounted'), directory);
  await simulation.minutes(PART);
  expect(simulation.state.kind).toBe('durable');
  watch.see(await simulation.scrape());
  expect((await exposed(simulation)).counters).toEqual(before.counters);
  expect(watch.decreases).toEqual([]);
  const audit = auditCounters(simulation.state, simulation.sandbox);
  expect(audit.wrong).toEqual([]);
  expect(audit.buckets).toBeGreaterThan(audit.series * 2.5 * PART);
  for (const [key, value] of settings) expect(simulation.state.get(key.split(','))).toEqual(value);
  expect(settings.size).toBeGreaterThan(2);
});

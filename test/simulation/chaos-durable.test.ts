import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openState } from '../../src/exporter/state/open-state.ts';
import { inLongSuite } from '../long-suite.ts';
import { EVENING, faster, Story } from './chaos-script.ts';
import { CounterWatch } from './counter-watch.ts';
import { simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;
const HOURS = inLongSuite(6, 3);
const SITES = inLongSuite(4, 2);

const directory = await mkdtemp(join(tmpdir(), 'edge-exporter-chaos-'));

afterAll(() => rm(directory, { recursive: true }));

it('keeps its counters true on disk through hours of faults and restarts', async () => {
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  const simulation = await simulate({
    state: () => openState(directory, log),
    rendersAhead: true,
    sandbox: { configurations: SITES, rateLimit: { reads: 600, writes: 20, purges: 20 } },
    account: {
      collectors: {
        metrics: {
          schedule: '*/2 * * * *',
          products: { edge_applications: { metrics: ['cdn_requests', 'status_code'] } },
        },
      },
    },
  });
  const { clock, sandbox } = simulation;
  const ends = clock.now() + HOURS * 60 * MINUTE;
  const watch = new CounterWatch();
  const story = new Story(faster(EVENING, 6 / HOURS), clock.now());
  while (clock.now() < ends) {
    await story.go(simulation);
    await simulation.minutes(5);
    if (simulation.isRunning()) watch.see(await simulation.scrape());
  }
  expect(simulation.state.kind).toBe('durable');
  const audit = auditCounters(simulation.state, sandbox);
  expect(audit.wrong).toEqual([]);
  expect(watch.decreases).toEqual([]);
  expect(audit.series).toBe(2 * SITES * (5 + 16));
  expect(audit.buckets).toBeGreaterThan(inLongSuite(50_000, 12_000));
  expect(audit.oldestWatermark).toBeGreaterThan(ends - 15 * MINUTE);
  expect(warnings).toEqual([]);
});

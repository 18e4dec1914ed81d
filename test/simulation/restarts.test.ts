import { afterEach, expect, it } from 'vitest';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import type { State } from '../../src/exporter/state/state.ts';
import { inLongSuite } from '../long-suite.ts';
import type { ParsedExposition } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

const MINUTE = 60_000;
const MINUTES = inLongSuite(180, 60);

const running: Simulation[] = [];

afterEach(async () => {
  for (const simulation of running.splice(0)) await simulation.close();
});

/**
 * Starts an exporter of a platform whose buckets contain 27 % of their value after two minutes, and 93 %
 * after eight.
 */
async function slowPlatform(state: State): Promise<Simulation> {
  const simulation = await simulate({
    state,
    sandbox: { configurations: 3, settleMs: 40 * MINUTE },
    account: { collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } } },
  });
  running.push(simulation);
  return simulation;
}

function killableState(): { readonly state: State; isDead: boolean } {
  const kept = memoryState();
  const killable = {
    isDead: false,
    state: {
      ...kept,
      commit: async (entries: Parameters<State['commit']>[0]) =>
        killable.isDead ? undefined : kept.commit(entries),
      close: async () => undefined,
    },
  };
  return killable;
}

function shownShares({ sandbox }: Simulation, { samples }: ParsedExposition): Map<string, number> {
  const found = new Map<string, { until?: number; value?: number }>();
  for (const [key, value] of samples) {
    const [name, entries] = JSON.parse(key) as [string, [string, string][]];
    const id = Object.fromEntries(entries)['configuration_id'];
    if (id === undefined) continue;
    const shown = found.get(id) ?? {};
    found.set(id, shown);
    if (name === 'edge_data_until_timestamp_seconds') shown.until = value * 1_000;
    if (name === 'edge_requests_per_minute') shown.value = value;
  }
  const shares = new Map<string, number>();
  for (const [id, { until, value }] of found) {
    if (until === undefined || value === undefined) continue;
    const span = { from: until - MINUTE, to: until };
    const truth = sandbox.truth({
      api: 'metrics',
      product: 1441740010,
      configuration: Number(id),
      metric: 'cdn_requests',
      ...span,
    });
    const [[, whole = 0] = []] = truth['total'] ?? [];
    if (whole > 0) shares.set(id, value / whole);
  }
  return shares;
}

it('an exporter that is killed every six minutes shows what one that runs on shows, as it learns how slow its platform is', async () => {
  const killable = killableState();
  const steady = await slowPlatform(memoryState());
  const killed = await slowPlatform(killable.state);
  let compared = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    for (const simulation of [steady, killed]) await simulation.minutes(minute === 1 ? 1.5 : 1);
    const expected = shownShares(steady, await steady.scrape());
    for (const [id, share] of shownShares(killed, await killed.scrape())) {
      const without = expected.get(id);
      if (without === undefined) continue;
      compared += 1;
      least = Math.min(least, share / without);
    }
    if (minute % 6 !== 0) continue;
    killable.isDead = true;
    await killed.stop();
    killable.isDead = false;
    await killed.start();
  }
  expect(compared).toBeGreaterThan(4.5 * MINUTES);
  expect(least).toBeGreaterThanOrEqual(0.95);
});

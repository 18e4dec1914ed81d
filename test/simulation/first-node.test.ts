import { describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import { inLongSuite } from '../long-suite.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MINUTES = inLongSuite(90, 30);
const MIDNIGHT = Date.UTC(2026, 0, 5);

let simulation: Simulation | undefined;

async function begin(faults: FaultSettings, options: SimulationOptions = {}): Promise<Simulation> {
  simulation = await simulate({
    start: MIDNIGHT,
    sandbox: { configurations: 2, domainsPerConfiguration: 1, faults },
    account: {
      reconciliation_share: 0,
      collectors: { metrics: { products: { edge_applications: { metrics: ['status_code'] } } } },
    },
    ...options,
  });
  return simulation;
}

const firstNode = (minutes: number, ms: number): FaultSettings => ({
  node_clock: { ms, period: { every_ms: 24 * HOUR, for_ms: minutes * MINUTE } },
});

const JUMPED = 'the platform’s clock has jumped: its time is taken from now on';

describe('where the first node of the platform that is met has another time', () => {
  it.each([
    { name: 'an hour ahead', faults: firstNode(3, HOUR), skew: 0, countedFrom: 3 },
    { name: 'an hour behind', faults: firstNode(3, -HOUR), skew: 0, countedFrom: 3 },
    {
      name: 'an hour ahead, and the machine’s clock is wrong as well',
      faults: firstNode(3, HOUR),
      skew: -HOUR,
      countedFrom: 10,
    },
  ])('$name, nothing is lost or counted in the future', async ({ faults, skew, countedFrom }) => {
    const world = await begin(faults, { skew });
    for (let minute = 1; minute <= MINUTES; minute += 1) {
      await world.minutes(1);
      const now = world.clock.now();
      const { wrong, watermarks, series } = auditCounters(world.state, world.sandbox);
      expect(wrong).toEqual([]);
      expect(watermarks.filter((watermark) => watermark > now)).toEqual([]);
      if (minute <= countedFrom) continue;
      expect(series).toBe(32);
      // Counters of the newest buckets have not settled before this time.
      if (minute > countedFrom + 10) expect(Math.min(...watermarks)).toBeGreaterThan(now - 13 * MINUTE);
    }
    expect(world.log.map(({ message }) => message)).toContain(JUMPED);
  });

  it('a restart counts on as before', async () => {
    const world = await begin({});
    await world.minutes(30);
    world.sandbox.faults.set({ node_clock: { ms: HOUR } });
    await world.restart();
    await world.minutes(6);
    const { watermarks } = auditCounters(world.state, world.sandbox);
    expect(Math.max(...watermarks)).toBeLessThan(world.clock.now());
    world.sandbox.faults.set({});
    await world.minutes(90);
    const { wrong, oldestWatermark } = auditCounters(world.state, world.sandbox);
    expect(wrong).toEqual([]);
    expect(oldestWatermark).toBeGreaterThan(world.clock.now() - 13 * MINUTE);
  });
});

describe('a platform whose time is another than the machine’s from the first answer on', () => {
  it.each([HOUR, -HOUR])('%i ms is counted by its own time, and said to be so', async (ms) => {
    const world = await begin({ clock_skew: { ms } });
    await world.minutes(45);
    const { wrong, oldestWatermark, series } = auditCounters(world.state, world.sandbox);
    expect(series).toBe(32);
    expect(wrong).toEqual([]);
    const behind = world.clock.now() + ms - oldestWatermark;
    expect(behind).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(behind).toBeLessThan(13 * MINUTE);
    const { samples } = await world.scrape();
    const troubles = [...samples.keys()].filter((key) => key.startsWith('["edge_trouble_info"'));
    expect(troubles).toEqual(['["edge_trouble_info",[["account","test"],["cause","clock"]]]']);
  });
});

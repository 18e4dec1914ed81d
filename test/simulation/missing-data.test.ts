import { describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/exporter/catalogue/products.ts';
import type { Window } from '../../src/exporter/settling/window.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { page } from '../exporter/page/rendered.ts';
import { storedCounters } from '../stored-series.ts';
import { type Simulation, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 5, 10);
const METRIC = 'cdn_requests';

let simulation: Simulation | undefined;

async function begin(): Promise<Simulation> {
  simulation = await simulate({
    start: START,
    sandbox: { configurations: 1, domainsPerConfiguration: 1 },
    account: {
      reconciliation_share: 0,
      collectors: {
        metrics: { schedule: '*/5 * * * *', products: { edge_applications: { metrics: [METRIC] } } },
      },
    },
  });
  await simulation.minutes(50);
  return simulation;
}

function countersOf({ state }: Simulation) {
  const [key] = state.keys(['series']);
  const counters = key && storedCounters(state.get(key));
  if (key === undefined || counters === undefined) throw new Error('there is no record');
  return { id: Number(key[5]), counters };
}

const countedUntil = (of: Simulation) =>
  Math.min(
    ...[...countersOf(of).counters.counters].map(([, { watermark, holes }]) => holes[0]?.from ?? watermark),
  );

function truthWithout(of: Simulation, lost: Window): Map<string, number> {
  const { id, counters } = countersOf(of);
  const product = PRODUCTS.find(({ slug }) => slug === 'edge_applications')?.id ?? 0;
  const question = { api: 'metrics', product, configuration: id, metric: METRIC } as const;
  return new Map(
    [...counters.counters].map(([dimension, { watermark }]) => {
      const points = of.sandbox.truth({ ...question, from: counters.since, to: watermark })[dimension] ?? [];
      const kept = points.filter(([time]) => time < lost.from || time >= lost.to);
      return [dimension, kept.reduce((sum, [, value]) => sum + value, 0)];
    }),
  );
}

const totals = (of: Simulation) =>
  new Map([...countersOf(of).counters.counters].map(([name, { total }]) => [name, total]));

async function passOver(running: Simulation, lost: Window, resumed: number): Promise<void> {
  const { sandbox, clock } = running;
  sandbox.faults.set({ missing_data: lost });
  await running.stop();
  await running.minutes((resumed - clock.now()) / MINUTE);
  await running.start();
}

describe('a gap in the data of the platform', () => {
  it.each([
    ['of an hour', HOUR + 6 * MINUTE],
    ['of three days', 75 * HOUR + 17 * MINUTE],
  ])('%s is passed within 90 minutes, and costs no bucket beside it', async (_, length) => {
    const running = await begin();
    const lost = { from: START + HOUR, to: START + HOUR + length };
    await passOver(running, lost, lost.to + 40 * MINUTE);
    await running.minutes(90);
    expect(countedUntil(running)).toBeGreaterThan(running.clock.now() - 20 * MINUTE);
    expect(totals(running)).toEqual(truthWithout(running, lost));
  });

  it('is told on the status page as counters that are behind while it is waited for, and no longer', async () => {
    const running = await begin();
    const told = () => {
      const accounts = running.exporter().accounts();
      const job = accounts
        .flatMap(({ jobs }) => jobs.slice())
        .find(({ counted_until }) => counted_until !== null);
      const said = /counters of (\w+) are ([^<]+) behind, gauges are in time/.exec(
        page(madeUpStatus({ accounts })),
      );
      return { until: Date.parse(job?.counted_until ?? ''), said: said?.slice(1, 3) };
    };
    expect(told()).toEqual({ until: countedUntil(running), said: undefined });
    const lost = { from: START + HOUR, to: START + 75 * HOUR };
    await passOver(running, lost, lost.to + HOUR);
    await running.minutes(12);
    expect(told()).toEqual({ until: countedUntil(running), said: ['edge_applications', '3 d 3 h'] });
    running.sandbox.faults.clear();
    await running.minutes(60);
    expect(told()).toEqual({ until: countedUntil(running), said: undefined });
  });

  it('is counted exactly once when its data turn up while it is waited for', async () => {
    const running = await begin();
    const lost = { from: START + HOUR, to: START + 75 * HOUR };
    await passOver(running, lost, lost.to + HOUR);
    await running.minutes(12);
    expect(countedUntil(running)).toBeLessThanOrEqual(lost.from);
    running.sandbox.faults.clear();
    await running.minutes(60);
    expect(countedUntil(running)).toBeGreaterThan(running.clock.now() - 20 * MINUTE);
    expect(auditCounters(running.state, running.sandbox).wrong).toEqual([]);
  });
});

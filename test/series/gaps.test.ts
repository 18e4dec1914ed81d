import { afterEach, describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/catalogue/products.ts';
import { decodeSeries } from '../../src/decode/decode.ts';
import { Gaps } from '../../src/series/gaps.ts';
import { restoreCounters } from '../../src/series/stored-counters.ts';
import type { WindowedAnswer } from '../../src/series/windowed-answer.ts';
import type { Window } from '../../src/settling/window.ts';
import { type Simulation, simulate } from '../simulation/simulation.ts';
import { auditCounters } from '../simulation/true-counters.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 5, 10);
const METRIC = 'cdn_requests';

let simulation: Simulation | undefined;

afterEach(() => simulation?.close());

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

/** The only record there is. */
function countersOf({ state }: Simulation) {
  const [key] = state.keys(['series']);
  const counters = key && restoreCounters(state.get(key));
  if (key === undefined || counters === undefined) throw new Error('there is no record');
  return { id: Number(key[5]), counters };
}

const oldestWatermark = (of: Simulation) =>
  Math.min(...[...countersOf(of).counters.counters.values()].map(({ watermark }) => watermark));

/** What each counter should hold by now, but for what the platform has lost. */
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

/** Has the platform lose everything of a time, in which nobody polls it, and polls it again from a while later on. */
async function passOver(running: Simulation, lost: Window, resumed: number): Promise<void> {
  const { sandbox, clock } = running;
  sandbox.faults.set({ missing_data: lost });
  await running.stop();
  await running.minutes((resumed - clock.now()) / MINUTE);
  await running.start();
}

/** An answer with a row every two hours, from which those of a time are missing. */
function coarse(now: number, missing: Window): WindowedAnswer {
  const window = { from: START, to: now };
  const rows: [number, number][] = [];
  for (let time = START; time < now; time += 2 * HOUR) {
    if (time < missing.from || time >= missing.to) rows.push([time, 1]);
  }
  return { decoded: decodeSeries({ total: rows }, { metric: METRIC, id: '7' }, now), window, now };
}

describe('what coarse reads show to be missing', () => {
  const COUNTERS = new Map([['total', { total: 5, watermark: START + 3 * HOUR }]]);
  const missing = { from: START + 4 * HOUR, to: START + 44 * HOUR };
  const minute = (time: number) => ({ from: time, to: time + MINUTE });
  const within = START + 30 * HOUR;

  /** What six coarse reads in half an hour and more have shown. */
  function shown(now: number, showing: (index: number) => Window): Gaps {
    const gaps = new Gaps();
    for (let index = 0; index < 6; index += 1) {
      gaps.note(coarse(now - (5 - index) * 7 * MINUTE, showing(index)), COUNTERS);
    }
    return gaps;
  }

  it('was waited for, between the bucket that the watermark lies in and the next one', () => {
    const now = START + 50 * HOUR;
    const gaps = shown(now, () => missing);
    const exhausted = (time: number) => gaps.exhausted('total', minute(time), now, now);
    expect(
      [START + 3.5 * HOUR, missing.from, within, missing.to - MINUTE, missing.to].map(exhausted),
    ).toEqual([false, true, true, true, false]);
    expect(gaps.exhausted('other', minute(within), now, now)).toBe(false);
    expect(gaps.shownUntil(now + 10 * MINUTE)).toBe(START + 48 * HOUR);
    expect(gaps.shownUntil(now + 20 * MINUTE)).toBe(Number.NEGATIVE_INFINITY);
    expect(gaps.shownUntil(now - MINUTE)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is waited for anew from where data turned up', () => {
    const now = START + 50 * HOUR;
    const gaps = shown(now, (index) => (index === 4 ? { ...missing, to: START + 20 * HOUR } : missing));
    expect(gaps.exhausted('total', minute(START + 19 * HOUR), now, now)).toBe(true);
    expect(gaps.exhausted('total', minute(within), now, now)).toBe(false);
  });

  it('is nothing while they show no row at all', () => {
    const now = START + 50 * HOUR;
    const gaps = shown(now, () => ({ from: 0, to: now }));
    expect(gaps.exhausted('total', minute(within), now, now)).toBe(false);
    expect(gaps.shownUntil(now)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('a gap in the data of the platform', () => {
  it.each([
    ['of an hour', HOUR + 6 * MINUTE],
    ['of three days', 75 * HOUR + 17 * MINUTE],
  ])('%s is passed within hours, and costs no bucket beside it', async (_, length) => {
    const running = await begin();
    const lost = { from: START + HOUR, to: START + HOUR + length };
    await passOver(running, lost, lost.to + 40 * MINUTE);
    await running.minutes(160);
    expect(oldestWatermark(running)).toBeGreaterThan(running.clock.now() - 20 * MINUTE);
    expect(totals(running)).toEqual(truthWithout(running, lost));
  });

  it('is counted exactly once when its data turn up while it is waited for', async () => {
    const running = await begin();
    const lost = { from: START + HOUR, to: START + 75 * HOUR };
    await passOver(running, lost, lost.to + HOUR);
    await running.minutes(25);
    expect(oldestWatermark(running)).toBeLessThanOrEqual(lost.from);
    running.sandbox.faults.clear();
    await running.minutes(60);
    expect(oldestWatermark(running)).toBeGreaterThan(running.clock.now() - 20 * MINUTE);
    expect(auditCounters(running.state, running.sandbox).wrong).toEqual([]);
  });
});

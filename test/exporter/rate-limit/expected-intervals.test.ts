import { describe, expect, it } from 'vitest';
import {
  demandPerMinute,
  expectedIntervals,
  type JobDemand,
} from '../../../src/exporter/rate-limit/poll-intervals.ts';
import { type Mix, operationsPerMinute } from '../poll/simulated-mix.ts';

const MINUTE = 60_000;
const ALLOWANCE = 64;

const job = (weight: number, minutes = 1, cost = 1) => ({ weight, minutes, cost });
const times = (count: number, demand: Mix[number]) => Array.from({ length: count }, () => demand);
const demandOf = ({ weight, minutes, cost }: Mix[number]): JobDemand => ({
  weight,
  cost,
  periodMs: minutes * MINUTE,
});

const MIXES: [string, Mix][] = [
  ['everything fits', times(40, job(1))],
  ['one class, one and a quarter times too much', times(80, job(1))],
  ['one class, many times too much', times(500, job(1))],
  ['two weights', [...times(60, job(4)), ...times(60, job(1))]],
  ['three weights and two periods', [...times(30, job(4)), ...times(80, job(2)), ...times(100, job(1, 5))]],
  ['polls of many operations', [...times(20, job(4)), ...times(20, job(1, 1, 16))]],
  ['settings beside traffic', [...times(150, job(2)), ...times(200, job(0.1, 60))]],
];

const simulated = new Map<string, ReturnType<typeof operationsPerMinute>>();

function measured(mix: Mix): ReturnType<typeof operationsPerMinute> {
  const key = JSON.stringify(mix);
  const result = simulated.get(key) ?? operationsPerMinute(mix);
  simulated.set(key, result);
  return result;
}

describe('the intervals expected agree with what then happens', () => {
  it.each(MIXES)('in operations per minute: %s', async (_, mix) => {
    const demands = mix.map(demandOf);
    const intervals = expectedIntervals(demands, ALLOWANCE);
    const expected = demandPerMinute(
      demands.map((demand, index) => ({ ...demand, periodMs: intervals[index] ?? demand.periodMs })),
    );
    const { total } = await measured(mix);
    expect(Math.abs(total - expected) / expected).toBeLessThan(0.02);
  });

  it('class by class, so that weight stretches the intervals of what matters less', async () => {
    const mix = [...times(60, job(4)), ...times(60, job(1))];
    const [heavy = 0, light = 0] = [0, 60].map((index) => {
      return MINUTE / (expectedIntervals(mix.map(demandOf), ALLOWANCE)[index] ?? 0);
    });
    const { byJob } = await measured(mix);
    const mean = (from: number) => byJob.slice(from, from + 60).reduce((sum, rate) => sum + rate, 0) / 60;
    expect(Math.abs(mean(0) - heavy) / heavy).toBeLessThan(0.05);
    expect(Math.abs(mean(60) - light) / light).toBeLessThan(0.05);
  });

  it('evenly inside a class', async () => {
    const { byJob } = await measured(times(500, job(1)));
    expect(Math.max(...byJob) / Math.min(...byJob)).toBeLessThan(1.35);
  });
});

import { expect, test } from 'vitest';
import type { AccountPlan } from '../../../src/exporter/plan/plan.ts';
import { processesFor, processesText } from '../../../src/exporter/plan/processes.ts';

function plan(account: string, operations: number, series: number): AccountPlan {
  return {
    account,
    api_url: 'https://api.example.net',
    fits: true,
    scopes: [
      {
        scope: 'reads',
        limit: 10_000,
        limit_named_by: 'platform',
        reserve: 0,
        allowance: 10_000,
        demand: 2 * operations,
        operations,
        share_of_limit: 1,
        fits: true,
      },
    ],
    rows: [
      {
        collector: 'metrics',
        product: 'edge_applications',
        scope: 'reads',
        jobs: 1,
        demand: operations,
        operations,
        share_of_limit: 1,
        series,
        scheduled_seconds: [60, 60],
        interval_seconds: [60, 60],
        age_seconds: 240,
      },
    ],
    listed_products: 1,
    unlisted_products: [],
    gives: [],
    suggestions: [],
    notes: [],
  };
}

const plans = (count: number, operations: number, series: number) =>
  Array.from({ length: count }, (_, n) => plan(`account-${n}`, operations, series));

test('1,000 accounts take what was measured of as many: a quarter of a core, and half a gigabyte', () => {
  const together = processesFor(plans(1_000, 5, 200));
  expect(together.cpu).toBeCloseTo(0.27, 2);
  expect(together.memory / 1e6).toBeCloseTo(514, 0);
  expect(together).toMatchObject({ processes: 1, replicas: 2, too_large: [] });
});

test('there are as many processes as CPU asks for, or memory, and one more replica', () => {
  expect(processesFor(plans(1_000, 40, 200))).toMatchObject({ processes: 5, replicas: 6 });
  expect(processesFor(plans(1_000, 5, 5_000))).toMatchObject({ processes: 6, replicas: 7 });
  for (const [operations, series] of [
    [40, 200],
    [5, 5_000],
  ] as const) {
    const { processes } = processesFor(plans(1_000, operations, series));
    const one = processesFor(plans(Math.floor(1_000 / processes), operations, series));
    expect([one.processes, one.cpu <= 0.5, one.memory <= 1e9]).toEqual([1, true, true]);
  }
});

test('what an account asks beyond its quota is not polled, and costs nothing', () => {
  const together = processesFor([plan('a', 100, 10)]);
  expect(together.operations_per_minute).toBe(100);
});

test('an account that is too large for a process is named, since no replica can share it', () => {
  const together = processesFor([...plans(2, 5, 200), plan('huge', 10_000, 10)]);
  expect(together.too_large).toEqual(['huge']);
  expect(processesText(together)).toContain('  account huge alone takes more than a process should\n');
});

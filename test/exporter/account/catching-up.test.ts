import { expect, it } from 'vitest';
import { type BehindAt, catchingUp } from '../../../src/exporter/account/account-samples.ts';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import type { Target } from '../../../src/exporter/targets/target.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5);
const product = productOf('metrics', 'edge_applications');
const target = (id: string): Target => ({
  account: 'a',
  product,
  by: 'configuration',
  id,
  name: `site ${id}`,
});

/** Creates a job whose counters are `excess` ms older than normal; undefined: it has counted nothing. */
const job = (id: string, of: string, excess: number | undefined) => ({
  series: [
    {
      id,
      target: target(of),
      counted: (intervalMs: number) =>
        excess === undefined
          ? undefined
          : { until: NOW - 11 * MINUTE - intervalMs - excess, expectedAge: 11 * MINUTE + intervalMs },
    },
  ],
});

function found(jobs: ReturnType<typeof job>[], before: BehindAt = new Map(), now = NOW) {
  return catchingUp(jobs, before, now, () => MINUTE);
}

const values = ({ samples }: ReturnType<typeof found>) =>
  samples.map(({ labels, value }) => [labels['configuration_id'], value]);

it('says of a configuration that counters catch up if those of any of its metrics are far behind', () => {
  const jobs = [
    job('x', '1', 0),
    job('y', '1', 6 * MINUTE),
    job('z', '2', 4 * MINUTE),
    job('u', '3', undefined),
  ];
  expect(values(found(jobs))).toEqual([
    ['1', 1],
    ['2', 0],
  ]);
});

it('goes on to say so for five minutes after they have caught up', () => {
  const { behind } = found([job('x', '1', 6 * MINUTE)]);
  const current = [job('x', '1', -10 * MINUTE)];
  const soon = found(current, behind, NOW + 5 * MINUTE);
  expect(values(soon)).toEqual([['1', 1]]);
  expect(values(found(current, soon.behind, NOW + 5 * MINUTE + 1))).toEqual([['1', 0]]);
});

import { expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import {
  ConfigurationsCut,
  configurationsWithTraffic,
} from '../../../src/exporter/graphql/configurations-with-traffic.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import type { Read } from '../../../src/exporter/platform/read.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 12, 12);
const WEEK = 7 * 24 * HOUR;
const MOST = 10_000;

async function listed(ids: readonly { readonly id: number; readonly hour: number | 'all' }[]) {
  let operations = 0;
  const read: Read = async (resource) => {
    operations += 1;
    const { variables } = JSON.parse(resource().question ?? '') as {
      variables: { begin: string; end: string };
    };
    const [begin, end] = [Date.parse(variables.begin), Date.parse(variables.end)];
    const isIn = (time: number) => time >= begin && time < end;
    const found = ids.filter(({ hour }) => hour === 'all' || isIn(NOW - (hour + 0.5) * HOUR));
    const rows = found.slice(0, MOST).map(({ id }) => ({ configurationId: id, sum: 1 }));
    return { body: { data: { workloadMetrics: rows } }, bytes: 0 };
  };
  const product = productOf('metrics', 'edge_applications');
  const platformClock = new PlatformClock(() => NOW);
  const never = new AbortController().signal;
  const outcome = await configurationsWithTraffic(product, platformClock, read, never).then(
    (configurations) => configurations.length,
    (failure: unknown) => failure,
  );
  return { outcome, operations };
}

const of = (count: number, hour: (id: number) => number | 'all') =>
  Array.from({ length: count }, (_, id) => ({ id, hour: hour(id) }));

it('lists the configurations of a week by one operation', async () => {
  expect(await listed(of(9_999, (id) => id % (WEEK / HOUR)))).toEqual({ outcome: 9_999, operations: 1 });
});

it('asks again in halves of the time where the list was cut', async () => {
  const { outcome, operations } = await listed(of(25_000, (id) => id % (WEEK / HOUR)));
  expect(outcome).toBe(25_000);
  expect(operations).toBe(7);
});

it('fails where even an hour has more: which of them are listed would be chance', async () => {
  const { outcome, operations } = await listed(of(10_000, () => 'all'));
  expect(outcome).toBeInstanceOf(ConfigurationsCut);
  expect(operations).toBeLessThan(10);
});

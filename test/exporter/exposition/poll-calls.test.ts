import { Session } from 'node:inspector/promises';
import { expect, it } from 'vitest';
import type { Family } from '../../../src/exporter/catalogue/family.ts';
import { Exposition } from '../../../src/exporter/exposition/exposition.ts';
import { Store } from '../../../src/exporter/exposition/store.ts';

const FAMILIES: readonly Family[] = [
  { name: 'edge_requests_per_minute', type: 'gauge', help: 'Requests.' },
  { name: 'edge_requests_total', type: 'counter', help: 'Requests.' },
];
const DIMENSIONS = 15;
const OTHERS = 200;

const LABELS = Array.from({ length: OTHERS }, (_, owner) =>
  Array.from({ length: DIMENSIONS }, (_, dimension) => ({
    configuration: `shop-${owner}.example.com`,
    dimension: `${dimension}`,
  })),
);

function publish(store: Store, owner: number, value: number): void {
  const samples = FAMILIES.flatMap((family) =>
    (LABELS[owner] ?? []).map((labels) => ({ family, labels, value })),
  );
  store.publish(`owner ${owner}`, samples, Number.POSITIVE_INFINITY);
}

async function callsWithin(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.includes('/exporter/exposition/') && !url.includes('/test/'))
      .flatMap(({ functions }) => functions)
      .reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);
  } finally {
    session.disconnect();
  }
}

it('a poll that changes some series enters few functions for each, however many lines stand beside them', async () => {
  const store = new Store({ seriesLimit: 100_000 });
  const exposition = new Exposition(store);
  for (let owner = 0; owner < OTHERS; owner += 1) publish(store, owner, 1);
  await exposition.refresh();
  const series = FAMILIES.length * DIMENSIONS;
  const calls = await callsWithin(async () => {
    publish(store, 100, 2);
    await exposition.refresh();
    expect(exposition.snapshot('text', 'gzip').length).toBeGreaterThan(0);
  });
  expect(calls).toBeGreaterThan(2 * series);
  expect(calls).toBeLessThan(15 * series);
});

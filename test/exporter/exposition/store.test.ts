import { beforeEach, describe, expect, it } from 'vitest';
import type { Family, Labels, Sample } from '../../../src/exporter/catalogue/family.ts';
import { Exposition } from '../../../src/exporter/exposition/exposition.ts';
import { Store } from '../../../src/exporter/exposition/store.ts';
import type { ShownSample } from '../../../src/exporter/exposition/text-format.ts';
import { parseExposition, seriesKey } from '../../parse-exposition.ts';

const requests: Family = { name: 'edge_requests_per_minute', type: 'gauge', help: 'Requests.' };
const threats: Family = { name: 'edge_waf_threats_total', type: 'counter', help: 'Threats.' };
const FOR_EVER = Infinity;

function sample(family: Family, labels: Labels, value: number): Sample {
  return { family, labels, value };
}

describe('the store', () => {
  let store: Store;
  let exposition: Exposition;

  /** Returns the values of requests by the label `c`, and the number of other changes. */
  async function shown(): Promise<Record<string, number>> {
    await exposition.refresh();
    const { samples } = parseExposition(Buffer.concat(exposition.snapshot('text', 'identity')).toString());
    expect(store.seriesCount).toBe(samples.size);
    return Object.fromEntries(
      [...samples].map(([key, value]) => {
        const [name, [[, c = ''] = []]] = JSON.parse(key) as [string, [string, string][]];
        return [name === requests.name ? c : key, value];
      }),
    );
  }

  beforeEach(() => {
    store = new Store({ seriesLimit: 5 });
    exposition = new Exposition(store);
  });

  it('gives the samples of some families as they are shown, each once', async () => {
    const long = 'x'.repeat(2_000);
    store.publish(
      'a',
      [sample(requests, { c: '1', none: '' }, 10), sample(threats, { f: 'sql' }, 3)],
      FOR_EVER,
    );
    store.publish('b', [sample(requests, { c: '1' }, 11), sample(requests, { c: long }, 5)], FOR_EVER);
    await shown();
    store.publish(
      'a',
      [sample(requests, { c: '1', none: '' }, 12), sample(threats, { f: 'sql' }, 3)],
      FOR_EVER,
    );
    await shown();
    const found = new Map<string, ShownSample>();
    for (const _ of store.collect((family) => family === requests.name, found));
    const shortened = `${'x'.repeat(1_023)}…`;
    expect([...found]).toEqual([
      [`${requests.name}{c="1"}`, { family: requests, labels: { c: '1' }, value: 12 }],
      [`${requests.name}{c="${shortened}"}`, { family: requests, labels: { c: shortened }, value: 5 }],
    ]);
  });

  it('shows what owners publish, and replaces all of it the next time', async () => {
    store.publish('a', [sample(requests, { c: '1' }, 10), sample(threats, { f: 'sql' }, 3)], FOR_EVER);
    store.publish('b', [sample(requests, { c: '2' }, 20)], FOR_EVER);
    expect(await shown()).toEqual({ '1': 10, '2': 20, [seriesKey(threats.name, { f: 'sql' })]: 3 });
    store.publish('a', [sample(requests, { c: '3' }, 30)], FOR_EVER);
    expect(await shown()).toEqual({ '2': 20, '3': 30 });
    store.publish('a', [], FOR_EVER);
    expect(await shown()).toEqual({ '2': 20 });
  });

  it('shows the last of several publications in a row', async () => {
    for (const value of [1, 2, 3]) store.publish('a', [sample(requests, { c: '1' }, value)], FOR_EVER);
    expect(await shown()).toEqual({ '1': 3 });
    store.publish('a', [sample(requests, { c: '1' }, 4)], FOR_EVER);
    store.withdraw('a');
    expect(await shown()).toEqual({});
    store.withdraw('a');
    store.publish('a', [sample(requests, { c: '1' }, 5)], FOR_EVER);
    expect(await shown()).toEqual({ '1': 5 });
  });

  it('removes an owner from the moment named by it, and says how many went', async () => {
    store.publish('a', [sample(requests, { c: '1' }, 1)], 1000);
    store.publish('b', [sample(requests, { c: '2' }, 2)], 1001);
    expect(store.expire(999)).toBe(0);
    expect(store.expire(1000)).toBe(1);
    expect(await shown()).toEqual({ '2': 2 });
    store.publish('b', [sample(requests, { c: '2' }, 3)], 3000);
    expect(store.expire(2000)).toBe(0);
    expect(store.expire(3000)).toBe(1);
    expect(store.expire(3000)).toBe(0);
    expect(await shown()).toEqual({});
  });

  it('removes what an owner shows, and nothing of another whose name begins alike', async () => {
    store.publish('north', [sample(requests, { c: '1' }, 1)], FOR_EVER);
    store.publish('north/1', [sample(requests, { c: '2' }, 2)], FOR_EVER);
    store.withdraw('north');
    expect(await shown()).toEqual({ '2': 2 });
    store.withdraw('north/1');
    expect(await shown()).toEqual({});
  });

  it('shows no more series than the limit, and counts the others each time they are published', async () => {
    const samples = (owner: string) => ['x', 'y', 'z'].map((c) => sample(requests, { c: owner + c }, 1));
    store.publish('a', samples('a'), FOR_EVER);
    store.publish('b', samples('b'), FOR_EVER);
    expect(Object.keys(await shown())).toEqual(['ax', 'ay', 'az', 'bx', 'by']);
    expect(store.droppedSeries).toBe(1);
    store.publish('a', samples('a'), FOR_EVER);
    store.publish('b', samples('b'), FOR_EVER);
    await shown();
    expect(store.droppedSeries).toBe(2);
    store.withdraw('a');
    store.publish('b', samples('b'), FOR_EVER);
    expect(Object.keys(await shown())).toEqual(['bx', 'by', 'bz']);
    expect(store.droppedSeries).toBe(2);
    expect(store.duplicateSeries).toBe(0);
  });

  it('shows a series once, by who came first, and counts the others', async () => {
    store.publish('a', [sample(requests, { c: '1', d: '2' }, 1)], FOR_EVER);
    store.publish('b', [sample(requests, { d: '2', c: '1' }, 2), sample(requests, { c: '3' }, 3)], FOR_EVER);
    store.publish('c', [sample(requests, { c: '4' }, 4), sample(requests, { c: '4', d: '' }, 5)], FOR_EVER);
    expect(await shown()).toEqual({ '1': 1, '3': 3, '4': 4 });
    expect(store.duplicateSeries).toBe(2);
    expect(store.droppedSeries).toBe(0);
    store.withdraw('a');
    store.publish('b', [sample(requests, { d: '2', c: '1' }, 6)], FOR_EVER);
    expect(await shown()).toEqual({ '1': 6, '4': 4 });
  });

  it('counts a series that is shown already as a duplicate even at the limit', async () => {
    store.publish(
      'a',
      ['1', '2', '3', '4', '5'].map((c) => sample(requests, { c }, 1)),
      FOR_EVER,
    );
    store.publish('b', [sample(requests, { c: '1' }, 2), sample(requests, { c: '6' }, 2)], FOR_EVER);
    await shown();
    expect([store.duplicateSeries, store.droppedSeries]).toEqual([1, 1]);
  });

  it('shows a publication that overtakes another of the same owner while that is being applied', async () => {
    store.publish('other', [sample(requests, { c: '0' }, 0)], FOR_EVER);
    store.publish('a', [sample(requests, { c: '1' }, 1)], FOR_EVER);
    const applying = store.apply();
    applying.next();
    store.publish('a', [sample(requests, { c: '1' }, 2)], FOR_EVER);
    for (const _ of applying);
    expect(await shown()).toEqual({ '0': 0, '1': 2 });
  });

  it('tells a listener that comes late that something waits', async () => {
    const early = new Store({ seriesLimit: 5 });
    early.publish('a', [sample(requests, { c: '1' }, 1)], FOR_EVER);
    const late = new Exposition(early);
    await late.refresh();
    expect(Buffer.concat(late.snapshot('text', 'identity')).toString()).toContain('{c="1"} 1\n');
  });
});

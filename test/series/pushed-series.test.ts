import { expect, it } from 'vitest';
import type { Counter } from '../../src/series/counter.ts';
import { PushedCounters } from '../../src/series/pushed-series.ts';
import { SeriesSamples } from '../../src/series/samples.ts';

const TARGET = {
  account: 'a',
  product: { api: 'metrics', slug: 'edge_applications' },
  by: 'configuration',
  id: '1',
  name: 'shop',
} as unknown as ConstructorParameters<typeof SeriesSamples>[0];

const counter = (total: number, watermark: number, missing: [number, number][] = []): Counter => ({
  total,
  watermark,
  missing: missing.map(([from, to]) => ({ from, to, since: 0, until: 0, asked: 0, whole: 0 })),
});

/** What is pushed of one counter, `[at, value]`, from one update to the next. */
function pushing() {
  const samples = new SeriesSamples(TARGET, 'cdn_requests', {});
  let stored: unknown;
  const pushed = new PushedCounters({ key: ['pushed'], stored: () => stored, samples });
  let before: Map<string, Counter> | undefined;
  return (after: Counter, buckets: [start: number, value: number][], isCommitted = true) => {
    const counters = new Map([['total', after]]);
    const settled = buckets.map(([start, value]) => ({
      dimension: 'total',
      start,
      width: 10,
      value,
      total: 0,
    }));
    const { samples, commit } = pushed.toPush(before, {
      record: { since: 0, width: 10, counters },
      counted: settled.length,
      skipped: 0,
      restated: [],
      missing: 0,
      settled,
    });
    if (isCommitted) {
      if (commit[0] !== undefined) stored = commit[0].value;
      before = counters;
    }
    return samples.map(({ at, value }) => [at, value]);
  };
}

it('pushes zero as a counter begins, and its sum at the end of each bucket', () => {
  const update = pushing();
  expect(update(counter(0, 100), [])).toEqual([[101, 0]]);
  expect(
    update(counter(3, 120), [
      [100, 1],
      [110, 2],
    ]),
  ).toEqual([
    [110, 1],
    [120, 3],
  ]);
});

it('holds buckets back while earlier ones are due, and pushes all in order once they are counted', () => {
  const update = pushing();
  update(counter(0, 100), []);
  expect(
    update(counter(4, 140, [[110, 130]]), [
      [100, 1],
      [130, 3],
    ]),
  ).toEqual([[110, 1]]);
  expect(update(counter(9, 150, [[110, 130]]), [[140, 5]])).toEqual([]);
  expect(
    update(counter(11, 150), [
      [110, 1],
      [120, 1],
    ]),
  ).toEqual([
    [120, 2],
    [130, 3],
    [140, 6],
    [150, 11],
  ]);
});

it('goes on behind a bucket that is skipped, without a sample for it', () => {
  const update = pushing();
  update(counter(0, 100), []);
  update(counter(3, 120, [[100, 110]]), [[110, 3]]);
  expect(update(counter(3, 120), [])).toEqual([[120, 3]]);
});

it('pushes again what was not committed', () => {
  const update = pushing();
  update(counter(0, 100), []);
  expect(update(counter(1, 110), [[100, 1]], false)).toEqual([[110, 1]]);
  expect(update(counter(1, 110), [[100, 1]])).toEqual([[110, 1]]);
});

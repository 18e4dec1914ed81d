import { expect, it } from 'vitest';
import type { Counter } from '../../../src/exporter/series/counter.ts';
import { countersToPush, gaugesToPush } from '../../../src/exporter/series/pushed-series.ts';
import { SeriesSamples } from '../../../src/exporter/series/samples.ts';
import { openEntry, sealEntry } from '../../../src/exporter/state/records.ts';

const MINUTE = 60_000;
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
    const update = { record: { since: 0, counters }, settled };
    const { samples: found, commit } = countersToPush(before, update, { key: ['pushed'], stored, samples });
    if (isCommitted) {
      if (commit[0] !== undefined) stored = commit[0].value;
      before = counters;
    }
    return found.map(({ at, value }) => [at, value]);
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

/** What is pushed of gauges, `[dimension, at]`, of answers of the last 15 minutes, and how long the record of it is. */
function pushingGauges() {
  const samples = new SeriesSamples(TARGET, 'moons', {});
  let stored: unknown;
  return (minute: number, ...dimensions: string[]) => {
    const window = { from: (minute - 15) * MINUTE, to: minute * MINUTE };
    const timestamps = Float64Array.from({ length: 15 }, (_, index) => window.from + index * MINUTE);
    const series = new Map(dimensions.map((name) => [name, { timestamps, values: timestamps }]));
    const decoded = { series, width: MINUTE, rejected: new Map(), rows: timestamps.length };
    const answer = { decoded, window, now: window.to };
    const pushed = { key: ['pushed'], stored, samples };
    const { samples: found, commit } = gaugesToPush(answer, MINUTE, window.to, pushed);
    if (commit[0] !== undefined) stored = commit[0].value;
    const shown = found.map(({ labels, at }) => [labels['dimension'], at / MINUTE]);
    return { shown, remembered: Object.keys(stored ?? {}).length };
  };
}

it.each([1, 5])(
  'pushes each bucket of a gauge once, also of a dimension that answers lacked for %i h',
  (hours) => {
    const update = pushingGauges();
    expect(update(100, 'io', 'europa').shown).toHaveLength(30);
    const back = 100 + 60 * hours;
    for (let minute = 101; minute < back; minute += 1)
      expect(update(minute, 'io').shown).toEqual([['io', minute]]);
    expect(update(back, 'io', 'europa').shown).toHaveLength(16);
    expect(update(back + 1, 'io', 'europa').shown).toEqual([
      ['io', back + 1],
      ['europa', back + 1],
    ]);
  },
);

it('does not remember dimensions that never come again', () => {
  const update = pushingGauges();
  for (let minute = 100; minute < 400; minute += 1) update(minute, 'io', `moon ${minute}`);
  expect(update(400, 'io').remembered).toBeLessThan(130);
});

it('forgets what was pushed of counters that are gone', () => {
  const samples = new SeriesSamples(TARGET, 'cdn_requests', {});
  let stored: unknown;
  let before: Map<string, Counter> | undefined;
  for (const [name, start] of [
    ['a', 0],
    ['b', 10],
  ] as const) {
    const counters = new Map([name, 'other'].map((dimension) => [dimension, counter(1, start + 10)]));
    const settled = [...counters.keys()].map((dimension) => ({
      dimension,
      start,
      width: 10,
      value: 1,
      total: 1,
    }));
    const pushed = { key: ['pushed'], stored, samples };
    stored = countersToPush(before, { record: { since: 0, counters }, settled }, pushed).commit[0]?.value;
    before = counters;
  }
  expect(Object.keys(stored ?? {}).sort()).toEqual(['b', 'other']);
});

it('what was pushed is remembered whatever a series is called', () => {
  const samples = new SeriesSamples(TARGET, 'cdn_requests', {});
  let stored: unknown;
  const names = ['__proto__', 'constructor', 'toJSON'];
  const counters = new Map(names.map((name) => [name, counter(3, 120)]));
  const settled = names.map((dimension) => ({ dimension, start: 110, width: 10, value: 3, total: 3 }));
  const update = { record: { since: 0, counters }, settled };
  const [entry] = countersToPush(undefined, update, { key: ['pushed'], stored, samples }).commit;
  if (entry === undefined) throw new Error('something was pushed');
  const [name, bytes] = sealEntry(entry);
  stored = openEntry({ name, bytes: bytes ?? new Uint8Array() }).value;
  expect(Object.keys(stored as object)).toHaveLength(3);
  expect(countersToPush(counters, { ...update, settled: [] }, { key: ['pushed'], stored, samples })).toEqual({
    samples: [],
    commit: [],
  });
});

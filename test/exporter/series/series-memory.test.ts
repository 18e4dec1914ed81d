import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { pruneCounters } from '../../../src/exporter/series/pruning.ts';
import { recordOf, restoreSeries, storeSeries } from '../../../src/exporter/series/series-memory.ts';
import { youngOf } from '../../../src/exporter/settling/completeness.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { openEntry, sealEntry } from '../../../src/exporter/state/records.ts';
import { doneInTurns, STEPS_A_TURN, sliceBySteps, sliceByTime } from '../../work-in-turns.ts';

const time = fc.integer({ min: 0, max: 2e12 });
const span = fc.record({
  from: time,
  to: time,
  since: time,
  until: time,
  asked: fc.nat(40),
  whole: fc.nat(40),
});
const total = fc.double({ min: 0, max: 1e15, noNaN: true }).map((sum) => sum + 0);
const counter = fc.record(
  { total, watermark: time, missing: fc.array(span, { maxLength: 5 }) },
  { noNullPrototype: true },
);
const dimension = fc.string();

const KEPT = restoreSeries(undefined, () => true);
const young = fc.record({ start: time, series: fc.constantFrom(1, 7, Number.NaN) }).map((bucket) => ({
  ...bucket,
  shown: [1, Number.NaN, 5.5],
}));

it('what counters hold, what they wait for, and how far the platform had come, is the same after a restart', () => {
  fc.assert(
    fc.property(
      fc.record({ since: time, width: fc.integer({ min: 1, max: 1e8 }) }),
      fc.array(fc.tuple(dimension, counter), { maxLength: 6 }),
      fc.record({
        reached: fc.option(time, { nil: undefined }),
        newest: fc.option(time, { nil: undefined }),
        young: fc.array(young, { maxLength: 3 }).map(youngOf),
      }),
      ({ since, width }, entries, platform) => {
        const record = recordOf(since, width, new Map(entries), () => true);
        const stored = JSON.parse(JSON.stringify(storeSeries({ ...KEPT, ...platform, record })));
        const restored = restoreSeries(stored, () => true);
        expect(restored).toMatchObject(platform);
        const counters = (of: typeof record | undefined) => new Map([...(of?.counters ?? [])].sort());
        const { watermark, countedUntil, lacking } = record.progress;
        expect(restored.record).toMatchObject({ since, width, progress: { watermark, countedUntil } });
        expect(new Set(restored.record?.progress.lacking)).toEqual(new Set(lacking));
        expect(counters(restored.record)).toEqual(counters(record));
      },
    ),
  );
});

it('counters of any name are there after a restart: visitors name what they ask for', () => {
  const names = [
    'a.example',
    '__proto__',
    'constructor',
    'toJSON',
    'hasOwnProperty',
    'toString',
    '\0valueOf',
    '\0',
  ];
  const counters = new Map(names.map((name, total) => [name, { total, watermark: 61_000, missing: [] }]));
  const record = recordOf(1_000, 60_000, counters, () => true);
  const [name, bytes = new Uint8Array()] = sealEntry({ key: ['x'], value: storeSeries({ ...KEPT, record }) });
  const restored = restoreSeries(openEntry({ name, bytes }).value, () => true).record;
  expect(new Map(restored?.counters)).toEqual(counters);
});

it('counters of a version that remembered nothing else go on where they stopped', () => {
  const stored = { version: 2, since: 1_000, width: 60_000, counters: { total: [5, 61_000, []] } };
  const { record, newest } = restoreSeries(stored, () => true);
  expect(record?.counters.get('total')).toEqual({ total: 5, watermark: 61_000, missing: [] });
  expect(newest).toBeUndefined();
});

it('what is no record is none', () => {
  for (const stored of [{ version: 3, since: 0, width: 1, counters: {} }, undefined])
    expect(restoreSeries(stored, () => true).record).toBeUndefined();
});

it('counters that nothing reads are looked for in slices: there may be a hundred thousand', async () => {
  const state = memoryState();
  const keys = Array.from({ length: 50 }, (_, id) => ['series', 'a', `${id}`]);
  await state.commit(keys.map((key) => ({ key, value: 'of another version' })));
  let steps = 0;
  function* kept() {
    for (const key of keys) {
      steps += 1;
      yield { key, watermark: 0 };
    }
  }
  sliceBySteps();
  onTestFinished(sliceByTime);
  const pruned = pruneCounters(state, kept());
  const turns = await doneInTurns(() => steps, keys.length);
  expect(Math.max(...turns)).toBeLessThanOrEqual(STEPS_A_TURN);
  await pruned;
});

it('counters that come back while others are looked for are kept', async () => {
  const state = memoryState();
  const DAY = 24 * 3_600_000;
  const stored = (watermark: number) =>
    storeSeries({
      ...restoreSeries(undefined, () => true),
      record: recordOf(0, 60_000, new Map([['total', { total: 1, watermark, missing: [] }]]), () => true),
    });
  const keyOf = (id: number) => ['series', 'a', 'metrics', 'x', 'configuration', `${id}`, 'y'];
  const [back, gone] = [keyOf(0), keyOf(1)];
  const others = Array.from({ length: 40 }, (_, id) => keyOf(id + 2));
  await state.commit([back, gone].map((key) => ({ key, value: stored(DAY) })));
  await state.commit(others.map((key) => ({ key, value: 'of another version' })));
  function* kept() {
    yield { key: keyOf(99), watermark: 100 * DAY };
  }
  sliceBySteps();
  onTestFinished(sliceByTime);
  const pruned = pruneCounters(state, kept());
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await state.commit([{ key: back, value: stored(100 * DAY) }]);
  await pruned;
  expect([back, gone].map((key) => state.get(key) !== undefined)).toEqual([true, false]);
});

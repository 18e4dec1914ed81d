import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { NO_POINTS } from '../../../src/exporter/decode/points.ts';
import { EMPTY_LEDGER } from '../../../src/exporter/series/ledger.ts';
import { restoreLedger, storeLedger } from '../../../src/exporter/series/ledger-record.ts';
import { pruneCounters } from '../../../src/exporter/series/pruning.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { packEntry, unpackEntry } from '../../../src/exporter/state/records.ts';
import { countersToStore } from '../../stored-series.ts';
import { doneInTurns, STEPS_A_TURN, sliceBySteps, sliceByTime } from '../../work-in-turns.ts';

const time = fc.integer({ min: 0, max: 2e12 });
const hole = fc.record({ from: time, to: time, since: time, asked: fc.nat(40) }, { noNullPrototype: true });
const total = fc.double({ min: 0, max: 1e15, noNaN: true }).map((sum) => sum + 0);
const counter = fc.record(
  { total, watermark: time, holes: fc.array(hole, { maxLength: 5 }) },
  { noNullPrototype: true },
);
const pushed = fc.record(
  {
    counter: fc.record(
      {
        counted: total,
        total,
        until: time,
        held: fc.array(fc.tuple(time, time, total), { maxLength: 2 }),
      },
      { noNullPrototype: true },
    ),
    gauge: time,
  },
  { noNullPrototype: true, requiredKeys: [] },
);
const dimension = fc.record(
  { width: fc.integer({ min: 1, max: 1e8 }), recent: fc.constant(NO_POINTS), counter, pushed },
  { noNullPrototype: true, requiredKeys: ['width', 'recent', 'counter'] },
);

it('what is durable of a ledger is the same after a restart', () => {
  fc.assert(
    fc.property(
      fc.record({ since: time, reached: fc.option(time, { nil: undefined }) }),
      fc.array(fc.tuple(fc.string(), dimension), { maxLength: 6 }),
      (platform, entries) => {
        const ledger = { ...EMPTY_LEDGER, ...platform, dimensions: new Map(entries) };
        const restored = restoreLedger(JSON.parse(JSON.stringify(storeLedger(ledger))));
        expect(restored).toEqual(ledger);
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
  const counters = new Map(names.map((name, total) => [name, { total, watermark: 61_000, holes: [] }]));
  const [name, bytes = new Uint8Array()] = packEntry({
    key: ['x'],
    value: countersToStore(1_000, 60_000, counters),
  });
  const { dimensions } = restoreLedger(unpackEntry({ name, bytes }).value);
  expect(new Map([...dimensions].map(([dimension, one]) => [dimension, one.counter]))).toEqual(counters);
});

it('what is no record is an empty ledger', () => {
  for (const stored of [{ version: 4, since: 0, dimensions: {} }, 'text', undefined])
    expect(restoreLedger(stored)).toBe(EMPTY_LEDGER);
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
    countersToStore(0, 60_000, new Map([['total', { total: 1, watermark, holes: [] }]]));
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

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_POINTS } from '../../../src/exporter/decode/points.ts';
import { EMPTY_LEDGER } from '../../../src/exporter/series/ledger.ts';
import { restoreLedger, storeLedger } from '../../../src/exporter/series/ledger-record.ts';
import { packEntry, unpackEntry } from '../../../src/exporter/state/records.ts';
import { countersToStore } from '../../stored-series.ts';

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

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { restoreCounters, storeCounters } from '../../src/series/stored-counters.ts';

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
const dimension = fc.string().filter((name) => name !== '__proto__');

it('what counters hold, and what they wait for, is the same after a restart', () => {
  fc.assert(
    fc.property(
      fc.record({ since: time, width: fc.integer({ min: 1, max: 1e8 }) }),
      fc.array(fc.tuple(dimension, counter), { maxLength: 6 }),
      ({ since, width }, entries) => {
        const record = { since, width, counters: new Map(entries) };
        const restored = restoreCounters(JSON.parse(JSON.stringify(storeCounters(record))));
        expect(restored).toMatchObject({ since, width });
        expect(new Map([...(restored?.counters ?? [])].sort())).toEqual(new Map([...record.counters].sort()));
      },
    ),
  );
});

it('counters of a version that stopped at the first missing bucket go on where they stopped', () => {
  const stored = { since: 1_000, width: 60_000, ledgers: { total: [5, 61_000] } };
  expect(restoreCounters(stored)).toEqual({
    since: 1_000,
    width: 60_000,
    counters: new Map([['total', { total: 5, watermark: 61_000, missing: [] }]]),
  });
});

it('what is no record is none', () => {
  expect(restoreCounters({ version: 3, since: 0, width: 1, counters: {} })).toBeUndefined();
  expect(restoreCounters(undefined)).toBeUndefined();
});

import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { expect, it } from 'vitest';
import { LabelSets, packEntry, unpackEntry } from '../../../src/exporter/push/outbox-entry.ts';

const AT = Date.UTC(2026, 0, 5, 10);

const sample = fc.record({
  family: fc.constantFrom(
    { name: 'edge_a_total', type: 'counter' as const },
    { name: 'edge_b', type: 'gauge' as const },
  ),
  labels: fc.dictionary(fc.constantFrom('account', 'code', '__proto', 'x'), fc.string(), {
    noNullPrototype: true,
  }),
  // As in the exposition, the sign of zero means nothing.
  value: fc.double({ noNaN: true }).map((value) => value + 0),
  at: fc.constant(AT),
  since: fc.option(fc.nat(), { nil: undefined }),
});

it('keeps every sample as it was put in', () => {
  fc.assert(
    fc.property(fc.array(sample), fc.string(), fc.nat(), (samples, source, queuedAt) => {
      expect(unpackEntry(packEntry({ source, queuedAt, samples }))).toEqual({ source, queuedAt, samples });
    }),
  );
});

it('keeps them as well where entries are read one after another, and share what they have in common', () => {
  const sets = new LabelSets();
  fc.assert(
    fc.property(fc.array(sample), fc.string(), (samples, source) => {
      const bytes = packEntry({ source, queuedAt: 0, samples });
      const [first, again] = [
        unpackEntry(bytes, sets)?.samples ?? [],
        unpackEntry(bytes, sets)?.samples ?? [],
      ];
      expect(first).toEqual(samples);
      for (const [index, { labels, family }] of again.entries()) {
        expect(labels).toBe(first[index]?.labels);
        expect(family).toBe(first[index]?.family);
      }
    }),
  );
});

it('holds no more label sets than a few requests have', () => {
  const sets = new LabelSets();
  const own = Array.from({ length: 5_000 }, (_, code) => ['code', `${code}`]);
  const [first] = sets.labels({ account: 'a0' }, own);
  expect(sets.labels({ account: 'a0' }, own)[0]).toBe(first);
  for (let account = 1; account < 5; account++) sets.labels({ account: `a${account}` }, own);
  const [anew] = sets.labels({ account: 'a0' }, own);
  expect(anew).toEqual(first);
  expect(anew).not.toBe(first);
});

it('is not misled by entries of other forms', () => {
  const { pack } = new Packr({ useRecords: false });
  const whole = {
    source: 's',
    queued: 1,
    at: 2,
    labels: {},
    families: [['a', 'gauge']],
    own: [[]],
    points: [0, 0, 5],
  };
  expect(unpackEntry(pack(whole))?.samples).toHaveLength(1);
  for (const changed of [
    { own: undefined },
    { points: [0, 1, 5] },
    { points: [1, 0, 5] },
    { points: [0, 0] },
    { families: [['a', 'info']] },
  ])
    expect(unpackEntry(pack({ ...whole, ...changed }))).toBeUndefined();
  for (const other of ['text', 5, undefined]) expect(unpackEntry(other)).toBeUndefined();
});

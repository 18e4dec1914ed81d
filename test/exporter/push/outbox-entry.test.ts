import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { expect, it } from 'vitest';
import { packEntry, unpackEntry } from '../../../src/exporter/push/outbox-entry.ts';

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

import fc from 'fast-check';
import { Packr } from 'msgpackr';
import snappy from 'snappyjs';
import { expect, it } from 'vitest';
import { EntryShapes, packEntry, unpackEntry } from '../../../src/exporter/push/outbox-entry.ts';

const AT = Date.UTC(2026, 0, 5, 10);

const series = fc.record({
  family: fc.constantFrom(
    { name: 'edge_a_total', type: 'counter' as const },
    { name: 'edge_b', type: 'gauge' as const },
  ),
  labels: fc.dictionary(fc.constantFrom('account', 'code', '__proto', 'constructor', 'x'), fc.string(), {
    noNullPrototype: true,
  }),
});

const sample = fc.record({
  series,
  // As in the exposition, the sign of zero has no meaning.
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
  const shapes = new EntryShapes();
  fc.assert(
    fc.property(fc.array(sample), fc.string(), (samples, source) => {
      const bytes = packEntry({ source, queuedAt: 0, samples });
      const [first, again] = [
        unpackEntry(bytes, shapes)?.samples ?? [],
        unpackEntry(bytes, shapes)?.samples ?? [],
      ];
      expect(first).toEqual(samples);
      for (const [index, { series }] of again.entries()) expect(series).toBe(first[index]?.series);
    }),
  );
});

it('finds the series of an entry again where only its time and its values differ', () => {
  const shapes = new EntryShapes();
  const entryAt = (at: number) => {
    const series = { family: { name: 'edge_b', type: 'gauge' as const }, labels: { code: '200' } };
    return { source: 's', queuedAt: at, samples: [{ series, value: at, at, since: undefined }] };
  };
  const [first, second] = [1, 2].map((at) => unpackEntry(packEntry(entryAt(at)), shapes));
  expect(second).toEqual(entryAt(2));
  expect(second?.samples[0]?.series).toBe(first?.samples[0]?.series);
});

it('holds no more series than a few requests have', () => {
  const shapes = new EntryShapes();
  const seriesOf = (account: string) => {
    const samples = Array.from({ length: 5_000 }, (_, code) => ({
      series: { family: { name: 'edge_b', type: 'gauge' as const }, labels: { account, code: `${code}` } },
      value: 1,
      at: AT,
      since: undefined,
    }));
    return unpackEntry(packEntry({ source: 's', queuedAt: 0, samples }), shapes)?.samples[0]?.series;
  };
  const first = seriesOf('a0');
  // The series of a thousand configurations repeat with each of their polls.
  for (let account = 1; account < 10; account++) seriesOf(`a${account}`);
  expect(seriesOf('a0')).toBe(first);
  // One account more than the cache contains.
  for (let account = 10; account < 12; account++) seriesOf(`a${account}`);
  const anew = seriesOf('a0');
  expect(anew).toEqual(first);
  expect(anew).not.toBe(first);
});

it('is not misled by entries of other forms', () => {
  const { pack } = new Packr({ useRecords: false });
  const shape = { common: { a: 'b' }, series: [['a', 'gauge', null, { c: 'd' }]] };
  const whole = { source: 's', queued: 1, at: 2, shape: snappy.compress(pack(shape)), values: [5] };
  expect(unpackEntry(pack(whole))?.samples).toHaveLength(1);
  for (const changed of [
    { common: { a: 1 } },
    { series: [['a', 'info', null, {}]] },
    { series: [['a', 'gauge', null, { c: 5 }]] },
    { series: [['a', 'gauge', 'b']] },
  ])
    expect(
      unpackEntry(pack({ ...whole, shape: snappy.compress(pack({ ...shape, ...changed })) })),
    ).toBeUndefined();
  const uncompressed = pack(shape);
  for (const changed of [
    { shape: undefined },
    { shape: uncompressed },
    { shape: snappy.compress(Buffer.from([0xc1])) },
    { values: undefined },
    { values: [] },
    { values: [5, 6] },
  ])
    expect(unpackEntry(pack({ ...whole, ...changed }))).toBeUndefined();
  for (const other of ['text', 5, undefined, Buffer.from([0xc1]), Buffer.from([0xdb])])
    expect(unpackEntry(other)).toBeUndefined();
});

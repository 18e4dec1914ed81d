import { expect, it } from 'vitest';
import type { Labels } from '../../../src/exporter/catalogue/family.ts';
import type { PushedSample } from '../../../src/exporter/push/protocol.ts';
import { writeRequest1, writeRequest2 } from '../../../src/exporter/push/remote-write.ts';
import { heapInUse } from '../../heap-in-use.ts';

/** Returns the fields of a protobuf message: numbers, 8 bytes, or the bytes of strings and messages. */
function fieldsOf(message: Uint8Array): (readonly [field: number, content: Buffer | number])[] {
  const bytes = Buffer.from(message);
  const fields: (readonly [number, Buffer | number])[] = [];
  let at = 0;
  const varint = (): number => {
    for (let value = 0, factor = 1; ; factor *= 0x80) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === 0) {
      fields.push([Math.floor(tag / 8), varint()]);
      continue;
    }
    const length = type === 1 ? 8 : varint();
    fields.push([Math.floor(tag / 8), bytes.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

function of(message: Uint8Array, field: number): Buffer[] {
  return fieldsOf(message).flatMap(([number, content]) =>
    number === field && typeof content !== 'number' ? [content] : [],
  );
}

const HISTOGRAM = { name: 'edge_exporter_wait_seconds_bucket', type: 'histogram', help: 'Waits.' } as const;
const ENDED: PushedSample = {
  series: {
    family: { name: 'edge_waf_ruleset_info', type: 'gauge', help: 'A ruleset.' },
    labels: { mode: 'blocking' },
  },
  value: Number.NaN,
  at: 1_000,
  since: undefined,
  ended: true,
};
const endedWith = (labels: Labels): PushedSample => ({ ...ENDED, series: { ...ENDED.series, labels } });
const SAMPLES: PushedSample[] = [
  { series: { family: HISTOGRAM, labels: { le: '0.5' } }, value: 3, at: 1_000, since: 7 },
  { series: { family: HISTOGRAM, labels: { le: '+Inf' } }, value: 4, at: 1_000, since: 7 },
  ENDED,
];
const STALE = Buffer.from('02000000 0000f07f'.replace(' ', ''), 'hex');

const texts = (message: Uint8Array) =>
  fieldsOf(message).map(([field, content]) => [field, Buffer.isBuffer(content) ? String(content) : content]);

it('tells the types and help texts of families, in 1.0 by the name of the whole family', () => {
  expect(of(writeRequest1(SAMPLES), 3).map(texts)).toEqual([
    [
      [1, 3],
      [2, 'edge_exporter_wait_seconds'],
      [4, 'Waits.'],
    ],
    [
      [1, 2],
      [2, 'edge_waf_ruleset_info'],
      [4, 'A ruleset.'],
    ],
  ]);
  const request = writeRequest2(SAMPLES);
  const symbols = of(request, 4).map(String);
  const metadata = of(request, 5).map((series) =>
    Object.fromEntries(fieldsOf(of(series, 5)[0] ?? Buffer.of())),
  );
  expect(metadata.map(({ 1: type, 3: help }) => [type, symbols[Number(help)]])).toEqual([
    [3, 'Waits.'],
    [3, 'Waits.'],
    [2, 'A ruleset.'],
  ]);
});

it.each([
  [writeRequest1, 1],
  [writeRequest2, 5],
] as const)('ends a series with the very bits of a stale marker, which no other NaN has', (write, field) => {
  const valueBytes = (sample: PushedSample) =>
    of(of(of(write([sample]), field)[0] ?? Buffer.of(), 2)[0] ?? Buffer.of(), 1)[0];
  expect(valueBytes(ENDED)).toEqual(STALE);
  const { ended: _, ...nan } = ENDED;
  expect(valueBytes(nan)).not.toEqual(STALE);
});

it.each([1, 30, 127, 128, 5_000, 20_000, 2_100_000])(
  'writes a label of %i bytes, and all around it',
  (bytes) => {
    const labels = { a: 'first', text: 'x'.repeat(bytes) };
    const samples = [1, 2, 3].map((value): PushedSample => ({ ...endedWith(labels), value, at: 5 }));
    const old = of(writeRequest1(samples), 1).map((series) =>
      Object.fromEntries(of(series, 1).map((label) => of(label, 1).concat(of(label, 2)).map(String))),
    );
    const series = { __name__: 'edge_waf_ruleset_info', ...labels };
    expect(old).toEqual([series, series, series]);
    const request = writeRequest2(samples);
    expect(of(request, 4).map(String)).toEqual(
      expect.arrayContaining(['', ...Object.entries(series).flat(), 'A ruleset.']),
    );
    expect(of(request, 5).map((one) => fieldsOf(one).map(([field]) => field))).toEqual([
      [1, 2, 5],
      [1, 2, 5],
      [1, 2, 5],
    ]);
  },
);

it('tells since when a counter counts, by 2.0 and by what it was before, and of a gauge nothing', () => {
  const series = of(writeRequest2([...SAMPLES, { ...ENDED, since: 1_700_000_000_000 }]), 5);
  const numbers = (message: Uint8Array, wanted: number) =>
    fieldsOf(message).flatMap(([field, content]) => (field === wanted ? [content] : []));
  const inSamples = series.map((one) => of(one, 2).flatMap((sample) => numbers(sample, 3)));
  expect(inSamples).toEqual([[7], [7], [], [1_700_000_000_000]]);
  expect(series.map((one) => numbers(one, 6))).toEqual(inSamples);
});

it('writes labels in the order of their names, the family among them, whatever order they came in', () => {
  const samples = [endedWith({ z: '1', A: '2', le: '3' })];
  const [series = Buffer.of()] = of(writeRequest1(samples), 1);
  const names = of(series, 1).map((label) => String(of(label, 1)[0]));
  expect(names).toEqual(['A', '__name__', 'le', 'z']);
  const request = writeRequest2(samples);
  const symbols = of(request, 4).map(String);
  const [references = Buffer.of()] = of(of(request, 5)[0] ?? Buffer.of(), 1);
  expect([...references].map((reference) => symbols[reference])).toEqual([
    'A',
    '2',
    '__name__',
    ENDED.series.family.name,
    'le',
    '3',
    'z',
    '1',
  ]);
});

it('keeps nothing of requests that have left, however many texts each was the last to name', () => {
  const lasting = Array.from({ length: 500 }, (_, id) => endedWith({ lasting: String(id) }));
  const write = (passing: string) => writeRequest2([...lasting, endedWith({ passing })]);
  write('first');
  const before = heapInUse();
  for (let request = 0; request < 1_000; request += 1) write(`passing ${request}`);
  // A list with all symbols of each request would take 4 MB.
  expect(heapInUse() - before).toBeLessThan(2_000_000);
});

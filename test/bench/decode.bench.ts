import { bench, describe } from 'vitest';
import { decodeSeries } from '../../src/exporter/decode/decode.ts';

// npx vitest bench test/bench/decode.bench.ts: what decoding adds to JSON.parse on answers of 10 MB.
const SIZE = 10 * 1024 * 1024;
const T0 = Date.UTC(2020, 0, 1);
const LATER = T0 + 1e12;

function bodyOf(row: (index: number) => string): string {
  const rows: string[] = [];
  for (let size = 0, index = 0; size < SIZE; index += 1) {
    rows.push(row(index));
    size += (rows.at(-1)?.length ?? 0) + 1;
  }
  return `{"total":[${rows.join()}]}`;
}

const ANSWERS = {
  'good points': bodyOf((index) => `[${T0 + index * 60_000}.0,${(index * 7919) % 9973}.0]`),
  'bad values': bodyOf((index) => `[${T0 + index * 60_000}.0,null]`),
  'no pairs': bodyOf(() => '0'),
  'points in no order': bodyOf((index) => `[${T0 + ((index * 7919) % 300_007) * 60_000},1]`),
};

describe.each(Object.entries(ANSWERS))('%s', (_, text) => {
  const body = JSON.parse(text);
  bench('JSON.parse', () => {
    JSON.parse(text);
  });
  bench('decodeSeries', () => {
    decodeSeries(body, { metric: 'requests', id: '1' }, LATER);
  });
});

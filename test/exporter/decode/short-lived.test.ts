import { describe, expect, it } from 'vitest';
import { decodeSeries } from '../../../src/exporter/decode/decode.ts';
import { shortLivedArray } from '../../../src/exporter/decode/points.ts';

describe('arrays for one answer', () => {
  it('are of zeros, and no two of them share a number', () => {
    const lengths = [0, 1, 26, 511, 512, 100, 5_000];
    const arrays = Array.from({ length: 200 }, (_, index) =>
      shortLivedArray(lengths[index % lengths.length] ?? 0),
    );
    for (const array of arrays) expect(array.every((value) => value === 0)).toBe(true);
    for (const [index, array] of arrays.entries()) array.fill(index + 1);
    for (const [index, array] of arrays.entries())
      expect(array.every((value) => value === index + 1)).toBe(true);
    expect(arrays.map(({ length }) => length)).toEqual(arrays.map((_, index) => lengths[index % 7]));
  });

  it('take few buffers, however many dimensions answers have', () => {
    const rows = Array.from({ length: 26 }, (_, minute) => [1.7e12 + minute * 60_000, minute]);
    const body = Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`status_${index}`, rows]));
    const buffers = new Set<ArrayBufferLike>();
    for (let answer = 0; answer < 10; answer += 1) {
      const { series } = decodeSeries(body, { metric: 'status_code', id: '1' }, 1.8e12);
      expect(series.size).toBe(24);
      for (const { timestamps, values } of series.values()) {
        buffers.add(timestamps.buffer);
        buffers.add(values.buffer);
      }
    }
    expect(buffers.size).toBeLessThan(10);
  });
});

import { describe, expect, it } from 'vitest';
import { decodeSeries } from '../../src/decode/decode.ts';

const SIZE = 10 * 1024 * 1024;
const T0 = Date.UTC(2020, 0, 1);
const NOW = T0 + 1e12;

function bodyOf(row: (index: number) => string): string {
  const rows: string[] = [];
  for (let size = 0, index = 0; size < SIZE; index += 1) {
    const text = row(index);
    rows.push(text);
    size += text.length + 1;
  }
  return `{"total":[${rows.join()}]}`;
}

/** Time of the processor, which a busy machine gives to others too; the least of two, against garbage of before. */
function leastMs(work: () => unknown): number {
  const times = [1, 2].map(() => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

describe('an answer of 10 MB', () => {
  it.each([
    ['not_a_pair', () => 'null'],
    ['bad_timestamp', () => '["x",1]'],
    ['bad_value', (index: number) => `[${T0 + index * 60_000}.0,null]`],
    ['duplicate', (index: number) => `[${T0},${index}]`],
  ])('in which every row is bad (%s) costs little and gives one counted outcome', (reason, row) => {
    const text = bodyOf(row);
    const body = JSON.parse(text);
    const decode = () => decodeSeries(body, { metric: 'requests', id: '1' }, NOW);
    const decoded = decode();
    expect(Object.fromEntries(decoded.rejected)).toEqual({ [reason]: decoded.rows });
    expect(decoded.series.get('total')?.values).toHaveLength(0);
    // Measured 0.1 to 1.4 times; far above lies what is quadratic or makes an issue of every row.
    expect(leastMs(decode)).toBeLessThan(20 + 8 * leastMs(() => JSON.parse(text)));
  });

  it('of rows in no order is put in order in bounded time', () => {
    const text = bodyOf((index) => `[${T0 + ((index * 7919) % 300_007) * 60_000},1]`);
    const body = JSON.parse(text);
    const decode = () => decodeSeries(body, { metric: 'requests', id: '1' }, T0 * 2);
    expect(decode().width).toBe(60_000);
    expect(leastMs(decode)).toBeLessThan(20 + 20 * leastMs(() => JSON.parse(text)));
  });
});

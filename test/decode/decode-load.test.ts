import { describe, expect, it } from 'vitest';
import { type Decoded, decodeSeries } from '../../src/decode/decode.ts';

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

/** A result, and the time of the processor that it took, which a busy machine gives to others too. */
function timed<Result>(work: () => Result): { readonly result: Result; readonly ms: number } {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return { result, ms: (user + system) / 1_000 };
}

/** Decodes an answer within so many times what its parsing takes; where garbage of before had to go meanwhile, at the second or third try. */
function decodedWithin(times: number, text: string, now: number): Decoded {
  const parsed = timed((): unknown => JSON.parse(text));
  const decode = () => timed(() => decodeSeries(parsed.result, { metric: 'requests', id: '1' }, now));
  const first = decode();
  const limit = 20 + times * parsed.ms;
  if (first.ms >= limit) expect(Math.min(decode().ms, decode().ms)).toBeLessThan(limit);
  return first.result;
}

describe('an answer of 10 MB', () => {
  it.each([
    ['not_a_pair', () => 'null'],
    ['bad_timestamp', () => '["x",1]'],
    ['bad_value', (index: number) => `[${T0 + index * 60_000}.0,null]`],
    ['duplicate', (index: number) => `[${T0},${index}]`],
  ])('in which every row is bad (%s) costs little and gives one counted outcome', (reason, row) => {
    // Measured 0.1 to 1.4 times; far above lies what is quadratic or makes an issue of every row.
    const decoded = decodedWithin(8, bodyOf(row), NOW);
    expect(Object.fromEntries(decoded.rejected)).toEqual({ [reason]: decoded.rows });
    expect(decoded.series.get('total')?.values).toHaveLength(0);
  });

  it('of rows in no order is put in order in bounded time', () => {
    const text = bodyOf((index) => `[${T0 + ((index * 7919) % 300_007) * 60_000},1]`);
    expect(decodedWithin(20, text, T0 * 2).width).toBe(60_000);
  });
});

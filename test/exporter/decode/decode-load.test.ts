import { describe, expect, it } from 'vitest';
import { decodeSeries } from '../../../src/exporter/decode/decode.ts';

const SIZE = 4 * 1024 * 1024;
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

function timed<Result>(work: () => Result): { readonly result: Result; readonly ms: number } {
  const once = () => {
    const start = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(start);
    return { result, ms: (user + system) / 1_000 };
  };
  const [one, other] = [once(), once()];
  return one.ms < other.ms ? one : other;
}

describe('an answer of 4 MB', () => {
  it.each([
    ['not_a_pair', () => 'null'],
    ['bad_timestamp', () => '["x",1]'],
    ['bad_value', (index: number) => `[${T0 + index * 60_000}.0,null]`],
    ['duplicate', (index: number) => `[${T0},${index}]`],
  ])('in which every row is bad (%s) costs little and gives one counted outcome', (reason, row) => {
    const text = bodyOf(row);
    const { result: body, ms: parseMs } = timed(() => JSON.parse(text));
    const { result, ms } = timed(() => decodeSeries(body, { metric: 'requests', id: '1' }, NOW));
    expect(Object.fromEntries(result.rejected)).toEqual({ [reason]: result.rows });
    expect(result.series.get('total')?.values).toHaveLength(0);
    // Measurements are 0.1 to 1.4 times `parseMs`. Quadratic code, or an issue for every row, would be far
    // above the limit.
    expect(ms).toBeLessThan(20 + 8 * parseMs);
  });

  it('of rows in no order is put in order in bounded time', () => {
    const text = bodyOf((index) => `[${T0 + ((index * 7919) % 300_007) * 60_000},1]`);
    const { result: body, ms: parseMs } = timed(() => JSON.parse(text));
    const { result, ms } = timed(() => decodeSeries(body, { metric: 'requests', id: '1' }, T0 * 2));
    const times = result.series.get('total')?.timestamps ?? new Float64Array();
    expect(times).toEqual(times.toSorted());
    expect(times.length).toBeGreaterThan(100_000);
    expect(ms).toBeLessThan(20 + 20 * parseMs);
  });
});

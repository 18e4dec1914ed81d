import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../src/decode/decode.ts';
import { withoutWideRows } from '../../src/series/wide-rows.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);

/** Rows by the minute after noon at which they start. */
type Rows = readonly (readonly [minute: number, value: number])[];

function points(rows: Rows) {
  return {
    timestamps: Float64Array.from(rows, ([minute]) => NOON + minute * MINUTE),
    values: Float64Array.from(rows, ([, value]) => value),
  };
}

function sifted(rows: Rows, before: Rows = [], damage: Partial<Decoded> = {}) {
  const decoded: Decoded = {
    series: new Map([['total', points(rows)]]),
    width: MINUTE,
    rejected: new Map(),
    rows: rows.length,
    ...damage,
  };
  const { series, rejected } = withoutWideRows(decoded, {
    width: MINUTE,
    series: new Map([['total', points(before)]]),
  });
  const minutes = [...(series.get('total')?.timestamps ?? [])].map((time) => (time - NOON) / MINUTE);
  return { minutes, dropped: rejected.get('unclear_width') ?? 0, same: series === decoded.series };
}

const seen: Rows = Array.from({ length: 15 }, (_, minute) => [minute, 10] as const);
const MINUTES: Rows = [15, 16, 17, 18, 19].map((minute) => [minute, 10] as const);

describe('rows that may be wider buckets than the others of their answer', () => {
  it('are dropped where each holds the sum of what was seen in its time', () => {
    const wide: Rows = [0, 5, 10].map((minute) => [minute, 50] as const);
    expect(sifted([...wide, ...MINUTES], seen)).toMatchObject({ minutes: [15, 16, 17, 18, 19], dropped: 3 });
  });

  it('are dropped where nothing was seen of their time', () => {
    const wide: Rows = [0, 5, 10].map((minute) => [minute, 50] as const);
    expect(sifted([...wide, ...MINUTES])).toMatchObject({ minutes: [15, 16, 17, 18, 19], dropped: 3 });
    const newer: Rows = [20, 25].map((minute) => [minute, 50] as const);
    expect(sifted([...MINUTES, ...newer])).toMatchObject({ minutes: [15, 16, 17, 18, 19], dropped: 2 });
  });

  it('are kept where the values are as before: the rows after them are missing', () => {
    const left: Rows = [0, 5, 10].map((minute) => [minute, 10] as const);
    expect(sifted([...left, ...MINUTES], seen)).toMatchObject({ dropped: 0, same: true });
  });

  it('are kept where they grew no more than young buckets do, of which the platform lost those after them', () => {
    const lost: Rows = [[8, 10], [9, 10], [10, 12], ...MINUTES];
    expect(sifted(lost, seen.slice(0, 11))).toMatchObject({ dropped: 0, same: true });
    expect(sifted([[8, 10], [9, 10], [10, 40], ...MINUTES], seen.slice(0, 11))).toMatchObject({ dropped: 1 });
  });

  it('are none where the row of the minute after them is there without a value', () => {
    const valueless = new Map([['total', points([[11, 0]]).timestamps]]);
    const rows: Rows = [[9, 10], [10, 10], ...MINUTES];
    expect(sifted(rows, [], { valueless })).toMatchObject({ dropped: 0, same: true });
    expect(sifted(rows)).toMatchObject({ dropped: 1 });
  });

  it('are dropped where wider buckets between them have no value', () => {
    const valueless = new Map([['total', points([[5, 0]]).timestamps]]);
    const wide: Rows = [0, 10].map((minute) => [minute, 50] as const);
    expect(sifted([...wide, ...MINUTES], [], { valueless })).toMatchObject({ dropped: 2 });
    const newer = new Map([['total', points([[25, 0]]).timestamps]]);
    expect(sifted([...MINUTES, [20, 50], [30, 50]], [], { valueless: newer })).toMatchObject({ dropped: 2 });
  });

  it('are dropped where a row between them names no time', () => {
    const rejected = new Map([['not_a_pair', 1] as const]);
    const rows: Rows = [[5, 50], ...MINUTES];
    expect(sifted(rows, [], { rejected })).toMatchObject({ minutes: [15, 16, 17, 18, 19], dropped: 1 });
    expect(sifted(rows, seen, { rejected })).toMatchObject({ dropped: 1 });
    expect(sifted([[5, 10], ...MINUTES], seen, { rejected })).toMatchObject({ dropped: 0 });
  });

  it('are none where a gap begins anywhere, or rows are missing here and there', () => {
    expect(sifted([[7, 10], [8, 10], [11, 10], ...MINUTES])).toMatchObject({ dropped: 0 });
    const third = [0, 1, 3, 4, 6, 7, 9, 10, 12, 13].map((minute) => [minute, 10] as const);
    expect(sifted(third)).toMatchObject({ dropped: 0, same: true });
  });
});

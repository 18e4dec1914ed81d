import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../../src/exporter/decode/decode.ts';
import { withoutUnclear } from '../../../src/exporter/series/bucket-width.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);

function points(minutes: readonly number[]) {
  return {
    timestamps: Float64Array.from(minutes, (minute) => NOON + minute * MINUTE),
    values: Float64Array.from(minutes, () => 10),
  };
}

/** Where the rows of an answer that are as wide as they look begin, and from when to when others may last. */
function parted(series: Record<string, readonly number[]>, more: Partial<Decoded> = {}) {
  const decoded: Decoded = {
    series: new Map(Object.entries(series).map(([name, minutes]) => [name, points(minutes)])),
    width: MINUTE,
    rejected: new Map(),
    rows: 0,
    ...more,
  };
  const { series: kept, rejected, unclear } = withoutUnclear(decoded);
  const minuteOf = (time: number) => (time - NOON) / MINUTE;
  return {
    clear: [...(kept.get('total')?.timestamps ?? [])].map(minuteOf),
    unclear: (unclear?.get('total') ?? []).map(({ start, end }) => [minuteOf(start), minuteOf(end)]),
    rejected: rejected.get('unclear_width') ?? 0,
    isSame: kept === decoded.series,
  };
}

describe('rows whose buckets may be wider than the others of their answer', () => {
  it('are those that are not followed at once', () => {
    expect(parted({ total: [0, 5, 10, 11, 12, 13] })).toMatchObject({
      clear: [10, 11, 12, 13],
      unclear: [
        [0, 5],
        [5, 10],
      ],
      rejected: 2,
    });
  });

  it('are none where buckets follow each other without a gap', () => {
    expect(parted({ total: [3, 4, 5] })).toMatchObject({ isSame: true, rejected: 0 });
  });

  it('are none where another series, or a row without a value, shows the next bucket', () => {
    expect(parted({ total: [0, 2], other: [0, 1, 2] })).toMatchObject({ isSame: true });
    const valueless = new Map([['total', points([1]).timestamps]]);
    expect(parted({ total: [0, 2] }, { valueless })).toMatchObject({ isSame: true });
  });

  it('are none of those at which no wider bucket can begin: others are missing after them', () => {
    expect(parted({ total: [1, 3, 4, 7, 10, 11] })).toMatchObject({
      clear: [1, 3, 10, 11],
      unclear: [
        [4, 7],
        [7, 10],
      ],
    });
    // Nothing says that the newest is wide, either.
    expect(parted({ total: [15, 16, 17, 21, 22, 23, 24] })).toMatchObject({ isSame: true, rejected: 0 });
  });

  it('are those of several that follow each other at the same distance, wherever they begin', () => {
    expect(parted({ total: [1, 6, 11, 12, 13] })).toMatchObject({
      clear: [11, 12, 13],
      unclear: [
        [1, 6],
        [6, 11],
      ],
    });
    expect(parted({ total: [10.5, 15.5, 20.5, 21.5] }).unclear).toHaveLength(2);
  });

  it('include the newest where it may be as wide as one before', () => {
    expect(parted({ total: [0, 5, 6, 7, 8, 9, 10] })).toMatchObject({
      clear: [5, 6, 7, 8, 9],
      unclear: [
        [0, 5],
        [10, Number.POSITIVE_INFINITY],
      ],
    });
    expect(parted({ total: [0, 5, 6, 7, 8, 9] }).clear).toEqual([5, 6, 7, 8, 9]);
  });
});

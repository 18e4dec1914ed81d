import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../../src/exporter/decode/decode.ts';
import type { Points } from '../../../src/exporter/decode/points.ts';
import {
  narrowerThan,
  restatedIn,
  restatements,
  type SeenBuckets,
  seenAgain,
} from '../../../src/exporter/series/seen-buckets.ts';

const MINUTE = 60_000;
const series = fc.dictionary(
  fc.nat(30).map(String),
  fc.nat(3).map((value) => value + 0),
);

function points(values: Record<string, number>): Points {
  const minutes = Object.keys(values)
    .map(Number)
    .sort((a, b) => a - b);
  return {
    timestamps: Float64Array.from(minutes, (minute) => minute * MINUTE),
    values: Float64Array.from(minutes, (minute) => values[minute] ?? 0),
  };
}

it('finds every bucket that both answers hold with different values, and what of it came too late', () => {
  fc.assert(
    fc.property(series, series, fc.nat(30), (before, after, watermark) => {
      const changed = Object.keys(before).filter((minute) => {
        const value = after[minute];
        return value !== undefined && value !== before[minute];
      });
      const late = changed.filter((minute) => Number(minute) < watermark);
      const found = restatements(
        { points: points(before), width: MINUTE },
        { points: points(after), width: MINUTE },
        ({ to }) => to <= watermark * MINUTE,
        100 * MINUTE,
      );
      const ages = changed.map((minute) => (100 - Number(minute) - 1) * MINUTE);
      expect(found.ages.toSorted((a, b) => a - b)).toEqual(ages.sort((a, b) => a - b));
      expect(found.downwards).toBe(
        changed.filter((minute) => Number(after[minute]) < Number(before[minute])).length,
      );
      expect(found.late).toBe(late.length);
      expect(found.lateAmount).toBe(
        late.reduce((sum, minute) => sum + Math.abs(Number(after[minute]) - Number(before[minute])), 0),
      );
    }),
  );
});

it.each([
  ['wider', 1, 5],
  ['narrower', 5, 1],
])(
  'finds nothing where buckets only became %s, and what has changed by the sum over its time',
  (_, then, now) => {
    const minute = Array.from({ length: 20 }, (_, index) => index + 1);
    const inBuckets = (width: number, changed = 0) => {
      const values: Record<string, number> = {};
      for (const [index, value] of minute.entries()) {
        const start = Math.floor(index / width) * width;
        values[start] = (values[start] ?? 0) + value + (index === 7 ? changed : 0);
      }
      return { points: points(values), width: width * MINUTE };
    };
    const nothing = { ages: [], comparedAge: 95 * MINUTE, downwards: 0, late: 0, lateAmount: 0 };
    expect(restatements(inBuckets(then), inBuckets(now), () => true, 100 * MINUTE)).toEqual(nothing);
    const changed = restatements(inBuckets(then), inBuckets(now, 3), () => true, 100 * MINUTE);
    expect(changed).toEqual({
      ...nothing,
      ages: [90 * MINUTE],
      late: 1,
      lateAmount: 3,
    });
  },
);

describe('a bucket that both answers hold', () => {
  const changes = (
    before: Record<string, number>,
    then: number,
    after: Record<string, number>,
    now: number,
  ) =>
    restatements(
      { points: points(before), width: then * MINUTE },
      { points: points(after), width: now * MINUTE },
      () => false,
      100 * MINUTE,
    ).ages.length;

  it('is compared with the sum of narrower ones only where all of these are there', () => {
    expect(changes({ 0: 1, 1: 1, 2: 1 }, 1, { 0: 9 }, 3)).toBe(1);
    expect(changes({ 0: 1, 2: 1 }, 1, { 0: 9 }, 3)).toBe(0);
    expect(changes({ 1: 1, 2: 1 }, 1, { 0: 9 }, 3)).toBe(0);
  });

  it('is compared with none that do not fit into it', () => {
    expect(changes({ 0: 1, 2: 1, 4: 1 }, 2, { 0: 9 }, 5)).toBe(0);
  });

  it('has not changed where sums of fractions differ by their rounding alone', () => {
    expect(changes({ 0: 0.1, 1: 0.2 }, 1, { 0: 0.3 }, 2)).toBe(0);
    expect(changes({ 0: 0.1, 1: 0.2 }, 1, { 0: 0.301 }, 2)).toBe(1);
    expect(changes({ 0: 1e-6 }, 1, { 0: 2e-6 }, 1)).toBe(1);
    expect(changes({ 0: 4e9 }, 1, { 0: 4e9 + 5 }, 1)).toBe(1);
  });
});

/** An answer with rows of one value at these minutes, by dimension. */
function answer(rows: Record<string, readonly number[]>, value = 1, more: Partial<Decoded> = {}): Decoded {
  const series = Object.entries(rows).map(([name, minutes]): [string, Points] => [
    name,
    points(Object.fromEntries(minutes.map((minute) => [minute, value]))),
  ]);
  return { series: new Map(series), width: MINUTE, rejected: new Map(), rows: 0, ...more };
}

/** What was seen of a dimension, as minutes with their values. */
function valuesOf(series: SeenBuckets['series'] | undefined, dimension = 'total') {
  const { timestamps, values } = series?.get(dimension) ?? points({});
  return [...timestamps].map((time, index) => [time / MINUTE, values[index]]);
}

const UNSETTLED = Number.NEGATIVE_INFINITY;

describe('the buckets seen before', () => {
  const seen = seenAgain(undefined, answer({ total: [0, 1, 2], other: [1] }), MINUTE, UNSETTLED);

  it('are those of the latest answer, and those of the half hour before its newest that it lacks', () => {
    const next = seenAgain(seen, answer({ total: [1, 3] }, 7), MINUTE, UNSETTLED);
    expect(valuesOf(next.series)).toEqual([
      [0, 1],
      [1, 7],
      [2, 1],
      [3, 7],
    ]);
    const later = seenAgain(next, answer({ total: [31, 32] }, 8), MINUTE, UNSETTLED);
    expect(valuesOf(later.series)).toEqual([
      [2, 1],
      [3, 7],
      [31, 8],
      [32, 8],
    ]);
  });

  it('are those that come later than an answer has them of a dimension, too', () => {
    const next = seenAgain(seen, answer({ total: [3], other: [0] }, 7), MINUTE, UNSETTLED);
    expect(valuesOf(next.series, 'other')).toEqual([
      [0, 7],
      [1, 1],
    ]);
  });

  it('are those of the half hour before the newest of its own where a dimension comes later than others', () => {
    const next = seenAgain(seen, answer({ total: [45], other: [25] }, 2), MINUTE, UNSETTLED);
    expect(valuesOf(next.series, 'other')).toEqual([
      [1, 1],
      [25, 2],
    ]);
  });

  it('go with a dimension once answers have lacked it for half an hour', () => {
    const near = seenAgain(seen, answer({ total: [31] }), MINUTE, UNSETTLED);
    expect(valuesOf(near.series, 'other')).toEqual([[1, 1]]);
    const far = seenAgain(seen, answer({ total: [32] }), MINUTE, UNSETTLED);
    expect(Array.from(far.series, ([name]) => name)).toEqual(['total']);
  });

  it('are whole where the latest answer had all of its rows', () => {
    const lacking = answer({ total: [3] }, 1, { rejected: new Map([['bad_value', 1]]) });
    const after = [answer({ total: [3] }), lacking].map(
      (next) => seenAgain(seen, next, MINUTE, UNSETTLED).whole,
    );
    expect(after).toEqual([true, false]);
  });

  it('are compared by dimension, and only the first answer with none', () => {
    const decoded = answer({ total: [1, 2], other: [1], third: [1] }, 5);
    const window = { from: 0, to: 10 * MINUTE };
    const restated = (before: SeenBuckets | undefined) =>
      restatedIn(before, { decoded, window, now: 10 * MINUTE }, MINUTE, (dimension) => dimension === 'other');
    expect(restated(seen)).toMatchObject([
      { ages: [8 * MINUTE, 7 * MINUTE], late: 0 },
      { ages: [8 * MINUTE], late: 1, lateAmount: 4 },
      { ages: [], late: 0 },
    ]);
    expect(restated(undefined)).toEqual([]);
  });
});

describe('buckets narrower than those of an answer', () => {
  const minutes = seenAgain(undefined, answer({ total: [0, 1, 2, 3, 4, 5, 6] }), MINUTE, UNSETTLED);
  const settledUntil = 4 * MINUTE;
  const five = 5 * MINUTE;
  const narrower = (seen: SeenBuckets | undefined, width: number, until: number) =>
    narrowerThan(width, seen, 'total', until);

  it('are those that had settled before buckets became wider', () => {
    const before = narrower(minutes, five, settledUntil);
    expect([...(before?.points.timestamps ?? [])]).toEqual([0, 1, 2, 3].map((minute) => minute * MINUTE));
    expect(before?.width).toBe(MINUTE);
    // What settles later is wide.
    const wide = seenAgain(minutes, answer({ total: [0, 5] }, 5), five, settledUntil);
    expect(narrower(wide, five, 20 * MINUTE)).toEqual(before);
    const again = seenAgain(wide, answer({ total: [5, 10] }, 5), five, 6 * MINUTE);
    expect(narrower(again, five, 20 * MINUTE)).toEqual(before);
  });

  it('are none while all buckets are alike, were wider before, or nothing is known of the dimension', () => {
    expect(narrower(undefined, MINUTE, settledUntil)).toBeUndefined();
    expect(narrower(minutes, MINUTE, settledUntil)).toBeUndefined();
    const alike = seenAgain(minutes, answer({ total: [7] }), MINUTE, settledUntil);
    expect(narrower(alike, MINUTE, settledUntil)).toBeUndefined();
    expect(narrowerThan(five, minutes, 'unheard', settledUntil)).toBeUndefined();
    const wide = seenAgain(undefined, answer({ total: [0, 5] }), five, UNSETTLED);
    const finer = seenAgain(wide, answer({ total: [10, 11] }), MINUTE, settledUntil);
    expect(narrower(wide, MINUTE, settledUntil)).toBeUndefined();
    expect(narrower(finer, MINUTE, settledUntil)).toBeUndefined();
    expect(valuesOf(finer.series)).toEqual([
      [10, 1],
      [11, 1],
    ]);
  });

  it('are those from before its rows of unclear width', () => {
    const unclear = new Map([['total', [{ start: 7 * MINUTE, end: 9 * MINUTE, value: 2 }]]]);
    const next = seenAgain(minutes, answer({ total: [6, 9] }, 1, { unclear }), MINUTE, settledUntil);
    const kept = narrower(next, MINUTE, 9 * MINUTE);
    expect(kept?.points.timestamps).toHaveLength(4);
    const later = seenAgain(next, answer({ total: [9, 10] }, 1, { unclear }), MINUTE, 9 * MINUTE);
    expect(narrower(later, MINUTE, 9 * MINUTE)).toEqual(kept);
    const wide = seenAgain(undefined, answer({ total: [0, 5] }), five, UNSETTLED);
    const finer = seenAgain(wide, answer({ total: [9, 10] }, 1, { unclear }), MINUTE, settledUntil);
    expect(narrower(finer, MINUTE, 9 * MINUTE)).toBeUndefined();
  });

  it('are the latest minutes beside rows of unclear width, where buckets were wider for a while', () => {
    const wide = seenAgain(minutes, answer({ total: [0, 5] }, 5), five, settledUntil);
    const again = seenAgain(wide, answer({ total: [20, 21, 22, 23, 24] }), MINUTE, 9 * MINUTE);
    const unclear = new Map([['total', [{ start: 25 * MINUTE, end: 30 * MINUTE, value: 5 }]]]);
    const next = seenAgain(again, answer({ total: [30] }, 1, { unclear }), MINUTE, 23 * MINUTE);
    expect([...(narrower(next, MINUTE, 30 * MINUTE)?.points.timestamps ?? [])]).toEqual(
      [20, 21, 22].map((minute) => minute * MINUTE),
    );
  });

  it('are forgotten three hours after the newest of them', () => {
    const wide = seenAgain(minutes, answer({ total: [5] }, 5), five, settledUntil);
    const at = (minute: number) => seenAgain(wide, answer({ total: [minute] }, 5), five, settledUntil);
    expect(narrower(at(185), five, settledUntil)).toBeDefined();
    expect(narrower(at(190), five, settledUntil)).toBeUndefined();
  });
});

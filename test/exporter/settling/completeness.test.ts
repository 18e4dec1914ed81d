import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Points } from '../../../src/exporter/decode/points.ts';
import {
  type Completeness,
  completeAt,
  type Growth,
  leastAgeWith,
  NO_COMPLETENESS,
  NONE_YOUNG,
  OLDEST_MINUTE,
  rowsOf,
  watchGrowth,
  withGrown,
  type YoungBuckets,
  youngOf,
} from '../../../src/exporter/settling/completeness.ts';
import { MINUTE_MS } from '../../../src/exporter/settling/window.ts';

const START = Date.UTC(2026, 0, 5);

/** An answer of that minute with the buckets of the last hour, each with so much of its final value as its age (min) tells. */
function answer(minute: number, value: (age: number, bucket: number) => number): Points {
  const timestamps = Float64Array.from(
    { length: 60 },
    (_, index) => START + (minute - 60 + index) * MINUTE_MS,
  );
  const values = timestamps.map((_, index) => value(59 - index, minute - 60 + index));
  return { timestamps, values };
}

/** What is learned of two hours of polls, one each `every` minutes. */
function learned({
  growth,
  finalAge,
  every = 1,
  dimensions = () => ['a', 'b'],
}: {
  readonly growth: (age: number) => number;
  readonly finalAge: number;
  readonly every?: number;
  readonly dimensions?: (minute: number) => readonly string[];
}): Completeness {
  let completeness = NO_COMPLETENESS;
  let young = NONE_YOUNG;
  for (let minute = 0; minute < 240; minute += every) {
    const points = answer(minute, (age, bucket) => growth(age) * (1_000 + bucket) * 4_097);
    const series = new Map(dimensions(minute).map((name) => [name, points]));
    const read = { series, width: MINUTE_MS, now: START + minute * MINUTE_MS };
    const watched = watchGrowth(young, read, finalAge * MINUTE_MS);
    completeness = withGrown(completeness, watched.grown);
    ({ young } = watched);
  }
  return completeness;
}

it.each([10, 25])(
  'learns the share of its final value that a bucket holds at each age, final after %i min',
  (finalAge) => {
    const completeness = learned({ growth: (age) => Math.min(1, (age + 1) / 8), finalAge });
    for (const age of [0, 1, 4]) expect(completeAt(completeness, age)).toBeCloseTo((age + 1) / 8, 6);
    for (const age of [7, 9]) expect(completeAt(completeness, age)).toBe(1);
    expect(leastAgeWith(completeness, 0.98)).toBe(7 * MINUTE_MS);
  },
);

it('a bucket need not be read at every age', () => {
  const completeness = learned({ growth: (age) => (age < 3 ? 0.5 : 1), finalAge: 10, every: 2 });
  expect([0, 1, 2, 3, 9].map((age) => completeAt(completeness, age))).toEqual([0.5, 0.5, 0.5, 1, 1]);
});

it('knows nothing of ages at which buckets are final', () => {
  expect(completeAt(learned({ growth: () => 1, finalAge: 10 }), 10)).toBeUndefined();
});

it('learns nothing from sums over different series', () => {
  const dimensions = (minute: number) => (minute % 2 === 0 ? ['a', 'b'] : ['a']);
  expect(completeAt(learned({ growth: () => 1, finalAge: 10, dimensions }), 0)).toBeUndefined();
});

it('goes along with a platform that changes: what was measured long before counts half', () => {
  const after = (known: Completeness, share: number, buckets: number) =>
    withGrown(known, Array(buckets).fill({ shown: [share], final: 1 }));
  const slow = after(NO_COMPLETENESS, 0.5, 20_000);
  expect(completeAt(slow, 0)).toBeCloseTo(0.5, 6);
  expect(completeAt(after(slow, 1, 1), 0)).toBeCloseTo(0.5, 3);
  expect(completeAt(after(slow, 1, 10_000), 0)).toBeGreaterThan(0.8);
});

function grown(shares: readonly number[], final: number): Growth {
  const shown = Array<number>(OLDEST_MINUTE + 1).fill(Number.NaN);
  for (const [minute, share] of shares.entries()) shown[minute] = share * final;
  return { shown, final };
}

describe('completeness', () => {
  it('says nothing before enough buckets were seen', () => {
    let completeness = NO_COMPLETENESS;
    for (let count = 0; count < 59; count += 1)
      completeness = withGrown(completeness, [grown([0.5, 1], 100)]);
    expect(completeAt(completeness, 0)).toBeUndefined();
    expect(leastAgeWith(completeness, 0.5)).toBeUndefined();
    completeness = withGrown(completeness, [grown([0.5, 1], 100)]);
    expect(completeAt(completeness, 0)).toBe(0.5);
  });

  it('weighs buckets by their size, and leaves out those without traffic', () => {
    let completeness = NO_COMPLETENESS;
    for (let count = 0; count < 60; count += 1) {
      completeness = withGrown(completeness, [grown([0.9], 900)]);
      completeness = withGrown(completeness, [grown([0.5], 100)]);
      completeness = withGrown(completeness, [grown([0], 0)]);
    }
    expect(completeAt(completeness, 0)).toBeCloseTo(0.86);
  });

  it('says nothing of a metric without traffic, however many buckets it has', () => {
    const idle = Array<Growth>(100).fill(grown([0], 0));
    expect(completeAt(withGrown(NO_COMPLETENESS, idle), 0)).toBeUndefined();
  });

  it('finds the least age at which a share is reached', () => {
    let completeness = NO_COMPLETENESS;
    for (let count = 0; count < 100; count += 1)
      completeness = withGrown(completeness, [grown([0.3, 0.8, 0.97, 0.99, 1], 50)]);
    expect(leastAgeWith(completeness, 0.98)).toBe(3 * MINUTE_MS);
    expect(leastAgeWith(completeness, 0.5)).toBe(MINUTE_MS);
    expect(leastAgeWith(completeness, 0.8)).toBe(MINUTE_MS);
    const late = grown([...Array<number>(OLDEST_MINUTE).fill(0.1), 1], 50);
    expect(leastAgeWith(withGrown(NO_COMPLETENESS, Array<Growth>(60).fill(late)), 0.5)).toBe(
      OLDEST_MINUTE * MINUTE_MS,
    );
  });

  it('is never above 1, whatever is restated', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 60 }), (buckets) => {
        let completeness = NO_COMPLETENESS;
        for (const [shown, final] of buckets)
          completeness = withGrown(completeness, [grown([final === 0 ? 0 : shown / final], final)]);
        expect(completeAt(completeness, 0) ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

it('forgets buckets that never come again, so that they do not add up', () => {
  const series = (minute: number) => new Map([['a', answer(minute, () => 7)]]);
  const first = { series: series(0), width: MINUTE_MS, now: START };
  let { young } = watchGrowth(NONE_YOUNG, first, 10 * MINUTE_MS);
  expect(young.starts.length).toBeGreaterThan(5);
  const nothing = { series: new Map<string, Points>(), width: MINUTE_MS, now: START + 29 * MINUTE_MS };
  ({ young } = watchGrowth(young, nothing, 10 * MINUTE_MS));
  expect(young.starts.length).toBeGreaterThan(0);
  ({ young } = watchGrowth(young, { ...nothing, now: START + 31 * MINUTE_MS }, 10 * MINUTE_MS));
  expect(young.starts).toEqual([]);
});

describe('a young bucket', () => {
  /** What is known after an answer with a value for each of these minutes, so many minutes after the start. */
  function watched(
    before: YoungBuckets,
    now: number,
    series: Record<string, Record<number, number>>,
    finalAge = 10,
  ) {
    const points = Object.entries(series).map(([name, values]): [string, Points] => [
      name,
      {
        timestamps: Float64Array.from(Object.keys(values), (minute) => START + Number(minute) * MINUTE_MS),
        values: Float64Array.from(Object.values(values)),
      },
    ]);
    const read = { series: new Map(points), width: MINUTE_MS, now: START + now * MINUTE_MS };
    return watchGrowth(before, read, finalAge * MINUTE_MS);
  }

  /** What was shown of each, by its minute and by its age in minutes. */
  function shownOf(young: YoungBuckets) {
    const rows = rowsOf(young).map(({ start, shown }) => {
      const ages = [...shown.entries()].filter(([, sum]) => !Number.isNaN(sum));
      return [(start - START) / MINUTE_MS, Object.fromEntries(ages)];
    });
    return Object.fromEntries(rows);
  }

  it('is watched from its end on until it is final', () => {
    const { young } = watched(NONE_YOUNG, 10.5, { a: { 0: 1, 8: 2, 9: 3, 10: 4 } }, 9);
    expect(shownOf(young)).toEqual({ 8: { 1: 2 }, 9: { 0: 3 } });
  });

  it('is the sum of all series that have it, whichever others they lack', () => {
    const { young } = watched(NONE_YOUNG, 3, { a: { 0: 1, 1: 2, 2: 4 }, b: { 1: 8, 2: 16 }, c: { 0: 32 } });
    expect(shownOf(young)).toEqual({ 0: { 2: 33 }, 1: { 1: 10 }, 2: { 0: 20 } });
  });

  it('is final with the sum over the series that had it before, or says nothing', () => {
    const { young } = watched(NONE_YOUNG, 2, { a: { 0: 1, 1: 1 }, b: { 0: 1, 1: 1 } });
    const { grown } = watched(young, 14, { a: { 0: 3, 1: 3 }, b: { 1: 4 } });
    expect(grown).toMatchObject([{ final: 7 }]);
  });

  it('says nothing of how old it is beyond the ages that are learned, nor anything of the next', () => {
    let { young } = watched(NONE_YOUNG, 1, { a: { 0: 5 } }, 30);
    ({ young } = watched(young, 23, { a: { 0: 6, 21: 7 } }, 30));
    expect(shownOf(young)).toEqual({ 0: { 0: 5 }, 21: { 1: 7 } });
  });

  it('that an answer lacks may come with the next', () => {
    let { young } = watched(NONE_YOUNG, 2, { a: { 0: 1, 1: 2 } });
    ({ young } = watched(young, 3, { a: { 1: 3, 2: 4 } }));
    ({ young } = watched(young, 4, { a: { 0: 5, 1: 6, 2: 7, 3: 8 } }));
    expect(shownOf(young)).toEqual({
      0: { 1: 1, 3: 5 },
      1: { 0: 2, 1: 3, 2: 6 },
      2: { 0: 4, 1: 7 },
      3: { 0: 8 },
    });
  });

  it('is the same when it was stored, whatever ages the version knew that stored it', () => {
    const { young } = watched(NONE_YOUNG, 3, { a: { 0: 1, 1: 2, 2: 4 } });
    expect(youngOf(rowsOf(young))).toEqual(young);
    const longer = rowsOf(young).map((row) => ({ ...row, shown: [...row.shown, 9, 9] }));
    expect(youngOf(longer)).toEqual(young);
    const shorter = rowsOf(young).map((row) => ({ ...row, shown: row.shown.slice(0, 5) }));
    expect(youngOf(shorter)).toEqual(young);
  });
});

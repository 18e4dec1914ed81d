import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Points } from '../../../src/exporter/decode/points.ts';
import { sumOfCounted } from '../../../src/exporter/series/counted-sum.ts';
import type { Hole } from '../../../src/exporter/series/counting.ts';
import { EMPTY_DIMENSION } from '../../../src/exporter/series/ledger.ts';
import type { WindowedAnswer } from '../../../src/exporter/series/series-source.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';
import { MINUTE, START } from './model-platform.ts';
import { CountedSeries } from './series-bed.ts';

const VALUES = ['a', 'b', 'c', 'd', 'e'] as const;
const SETTLE = 3 * MINUTE;

function trueValue(value: string, minute: number): number {
  return (Math.imul(minute / MINUTE + value.charCodeAt(0), 0x9e3779b1) >>> 0) % 100;
}

function answerOf(
  told: readonly string[],
  window: Window,
  now: number,
  insteadOf: Iterable<string> = [],
  lacks: ReadonlySet<number> = new Set(),
  unusable: readonly (readonly [value: string, minute: number])[] = [],
): WindowedAnswer {
  const minutes: number[] = [];
  for (let minute = window.from; minute < Math.min(window.to, now - MINUTE); minute += MINUTE)
    if (!lacks.has(minute)) minutes.push(minute);
  const points = (of: readonly string[]): Points => {
    const usable = minutes.filter(
      (at) => !unusable.some(([value, minute]) => minute === at && of.includes(value)),
    );
    return {
      timestamps: Float64Array.from(usable),
      values: Float64Array.from(usable, (minute) =>
        of.reduce((sum, value) => sum + trueValue(value, minute), 0),
      ),
    };
  };
  const series = new Map(told.map((value) => [value, points([value])]));
  series.set('other', points(VALUES.filter((value) => !told.includes(value))));
  const decoded = {
    series,
    rejected: new Map(),
    rows: minutes.length,
    insteadOf: [...insteadOf],
  };
  return { decoded, window, now };
}

it('counts all that came once, whichever values have series, late minutes and kills included', () => {
  const step = fc.record({
    told: fc.subarray([...VALUES], { maxLength: 3 }),
    minutes: fc.integer({ min: 1, max: 8 }),
    lacks: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
    unusable: fc.array(fc.tuple(fc.constantFrom(...VALUES), fc.integer({ min: 1, max: 12 })), {
      maxLength: 4,
    }),
    isLate: fc.boolean(),
    kill: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 12 }), (steps) => {
      const series = new CountedSeries();
      let counted = 0;
      let now = START + 30 * MINUTE;
      type Answered = ReturnType<typeof answerOf>;
      const take = (
        told: readonly string[],
        lacks?: ReadonlySet<number>,
        unusable?: readonly (readonly [string, number])[],
      ): Answered => {
        const window = series.presentWindow(now, SETTLE + 15 * MINUTE);
        return answerOf(told, window, now, series.counters.keys(), lacks, unusable);
      };
      const names = () => [...series.counters.keys()].sort();
      const enter = (answer: Answered) => {
        const { ledger, settled, evidence } = series.count(answer, SETTLE);
        for (const { value } of settled) counted += value;
        // A different breakdown is not a restatement by the platform.
        expect(evidence.changes).toBe(0);
        series.ledger = ledger;
      };
      enter(take(['a']));
      for (const { told, minutes, lacks, unusable, isLate, kill } of steps) {
        const late = take(names().filter((name) => name !== 'other'));
        now += minutes * MINUTE;
        enter(
          take(
            told,
            new Set(lacks.map((back) => now - back * MINUTE)),
            unusable.map(([value, back]) => [value, now - back * MINUTE]),
          ),
        );
        expect(names()).toEqual([...told, 'other'].sort());
        // A late answer was requested before the current answer and is applied after it. Its older breakdown
        // must not change the counters.
        if (isLate) enter(late);
        expect(names()).toEqual([...told, 'other'].sort());
        if (kill) series.restart();
      }
      const { since = 0 } = series.ledger;
      const [{ watermark = 0, holes = [] } = {}] = [...series.counters.values()];
      const isMissing = (minute: number) => holes.some(({ from, to }: Hole) => minute >= from && minute < to);
      let expected = 0;
      for (let minute = since; minute < watermark; minute += MINUTE)
        if (!isMissing(minute)) for (const value of VALUES) expected += trueValue(value, minute);
      expect(counted).toBe(expected);
    }),
    { numRuns: 100 },
  );
});

it('counts nothing of an answer that was taken with another breakdown', () => {
  const series = new CountedSeries();
  let now = START + 30 * MINUTE;
  const take = (told: readonly string[]) =>
    answerOf(told, series.presentWindow(now, SETTLE + 15 * MINUTE), now, series.counters.keys());
  const enter = (answer: WindowedAnswer) => {
    series.ledger = series.count(answer, SETTLE).ledger;
  };
  enter(take(['a']));
  now += MINUTE;
  const past = take(['a']);
  const fresh = take(['a', 'c']);
  now += MINUTE;
  enter(take(['a', 'b']));
  const { ledger } = series;
  enter(past);
  enter(fresh);
  expect(series.ledger).toBe(ledger);
  // A comparison is not possible either, because `other` has a different content.
  const window = { from: START, to: START + 5 * MINUTE };
  const asked = (told: readonly string[]) =>
    sumOfCounted(
      ledger,
      series.counts,
      answerOf(['a', 'b', 'c'], window, now, [...told, 'other']).decoded,
      window,
    );
  expect(asked(['a', 'b'])).toBeGreaterThan(0);
  expect(asked(['a', 'b', 'c'])).toBeUndefined();
});

it('counts a value that is the only one wanted from the answer on that has it first, and lacks nothing', () => {
  const series = new CountedSeries((dimension) => dimension === 'a');
  const enter = (told: readonly string[], now: number) => {
    const window = series.presentWindow(now, SETTLE + 15 * MINUTE);
    series.ledger = series.count(answerOf(told, window, now, series.counters.keys()), SETTLE).ledger;
    return window;
  };
  const now = START + 30 * MINUTE;
  enter([], now);
  const later = now + 7 * 24 * 60 * MINUTE;
  const { from } = enter(['a'], later);
  const [counter] = series.counters.values();
  expect(counter).toMatchObject({ watermark: later - 2 * MINUTE - SETTLE, holes: [] });
  let total = 0;
  for (let minute = from; minute < later - 2 * MINUTE - SETTLE; minute += MINUTE)
    total += trueValue('a', minute);
  expect(counter?.total).toBe(total);
});

it('counts no time twice where counters that do not stand alike give way to others', () => {
  const series = new CountedSeries();
  const now = START + 30 * MINUTE;
  const take = (told: readonly string[], now: number) =>
    answerOf(told, series.presentWindow(now, SETTLE + 15 * MINUTE), now, series.counters.keys());
  series.ledger = series.count(take(['a'], now), SETTLE).ledger;
  const watermark = now - 2 * MINUTE - SETTLE;
  const lacking = (from: number) => ({ from, to: watermark, since: now, asked: 0 });
  const holes = { a: [lacking(watermark - 3 * MINUTE)], other: [lacking(watermark - 2 * MINUTE)] };
  const dimensions = new Map(
    Object.entries(holes).map(([name, mine]) => {
      const known = series.ledger.dimensions.get(name) ?? EMPTY_DIMENSION;
      return [name, { ...known, counter: { total: 0, watermark, holes: mine } }];
    }),
  );
  series.ledger = { ...series.ledger, since: watermark - 9 * MINUTE, dimensions };
  const { settled, skipped } = series.count(take(['b'], now + MINUTE), SETTLE);
  // Buckets that both counters lack, and buckets that have settled since.
  const starts = [-2, -1, 0].map((minutes) => watermark + minutes * MINUTE);
  for (const name of ['b', 'other'])
    expect(settled.filter(({ dimension }) => dimension === name).map(({ start }) => start)).toEqual(starts);
  // The bucket that one of the two had already counted is skipped and reported.
  expect(skipped).toBe(1);
});

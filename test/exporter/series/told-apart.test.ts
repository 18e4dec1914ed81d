import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Points } from '../../../src/exporter/decode/points.ts';
import { windowOfPresent } from '../../../src/exporter/series/counters.ts';
import type { WindowedAnswer } from '../../../src/exporter/series/series-source.ts';
import type { Window } from '../../../src/exporter/settling/window.ts';
import { MINUTE, START } from './model-platform.ts';
import { CountedSeries } from './series-bed.ts';

const VALUES = ['a', 'b', 'c', 'd', 'e'] as const;
const SETTLE = 3 * MINUTE;

/** What came of a value in a minute. */
function trueValue(value: string, minute: number): number {
  return (Math.imul(minute / MINUTE + value.charCodeAt(0), 0x9e3779b1) >>> 0) % 100;
}

/** An answer that tells some values apart; some minutes are not in it. */
function answerOf(
  told: readonly string[],
  window: Window,
  now: number,
  lacks: ReadonlySet<number>,
): WindowedAnswer {
  const minutes: number[] = [];
  for (let minute = window.from; minute < Math.min(window.to, now - MINUTE); minute += MINUTE)
    if (!lacks.has(minute)) minutes.push(minute);
  const points = (of: readonly string[]): Points => ({
    timestamps: Float64Array.from(minutes),
    values: Float64Array.from(minutes, (minute) =>
      of.reduce((sum, value) => sum + trueValue(value, minute), 0),
    ),
  });
  const series = new Map(told.map((value) => [value, points([value])]));
  series.set('other', points(VALUES.filter((value) => !told.includes(value))));
  const decoded = {
    series,
    width: MINUTE,
    rejected: new Map(),
    rows: minutes.length,
    isPartition: true as const,
  };
  return { decoded, window, now };
}

it('counts all that came once, whichever values are told apart, late minutes and kills included', () => {
  const step = fc.record({
    told: fc.subarray([...VALUES], { maxLength: 3 }),
    minutes: fc.integer({ min: 1, max: 8 }),
    lacks: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
    kill: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 12 }), (steps) => {
      const series = new CountedSeries();
      let counted = 0;
      let now = START + 30 * MINUTE;
      const enter = (told: readonly string[], lacks: ReadonlySet<number>) => {
        const window = windowOfPresent(series.memory, now, SETTLE + 15 * MINUTE);
        const { memory, update, evidence } = series.count(answerOf(told, window, now, lacks), SETTLE);
        for (const { value } of update?.settled ?? []) counted += value;
        // That other values are told apart is no change that the platform made.
        expect(evidence.ages ?? []).toEqual([]);
        series.memory = memory;
        expect([...(series.record?.counters.keys() ?? [])].sort()).toEqual([...told, 'other'].sort());
      };
      enter(['a'], new Set());
      for (const { told, minutes, lacks, kill } of steps) {
        now += minutes * MINUTE;
        enter(told, new Set(lacks.map((back) => now - back * MINUTE)));
        if (kill) series.restart();
      }
      const { since = 0, counters } = series.record ?? {};
      const [{ watermark = 0, missing = [] } = {}] = [...(counters ?? [])].map(([, counter]) => counter);
      const isMissing = (minute: number) => missing.some(({ from, to }) => minute >= from && minute < to);
      let expected = 0;
      for (let minute = since; minute < watermark; minute += MINUTE)
        if (!isMissing(minute)) for (const value of VALUES) expected += trueValue(value, minute);
      expect(counted).toBe(expected);
    }),
    { numRuns: 100 },
  );
});

import { expect, it } from 'vitest';
import type { Points } from '../../src/decode/points.ts';
import { Completeness, GrowthWatch } from '../../src/settling/completeness.ts';
import { MINUTE_MS } from '../../src/settling/window.ts';

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
  const completeness = new Completeness();
  const watch = new GrowthWatch(completeness);
  for (let minute = 0; minute < 240; minute += every) {
    const points = answer(minute, (age, bucket) => growth(age) * (1_000 + bucket) * 4_097);
    const series = new Map(dimensions(minute).map((name) => [name, points]));
    watch.observe(series, MINUTE_MS, START + minute * MINUTE_MS, finalAge * MINUTE_MS);
  }
  return completeness;
}

it.each([10, 25])(
  'learns the share of its final value that a bucket holds at each age, final after %i min',
  (finalAge) => {
    const completeness = learned({ growth: (age) => Math.min(1, (age + 1) / 8), finalAge });
    for (const age of [0, 1, 4]) expect(completeness.at(age)).toBeCloseTo((age + 1) / 8, 6);
    for (const age of [7, 9]) expect(completeness.at(age)).toBe(1);
    expect(completeness.leastAge(0.98)).toBe(7 * MINUTE_MS);
  },
);

it('a bucket need not be read at every age', () => {
  const completeness = learned({ growth: (age) => (age < 3 ? 0.5 : 1), finalAge: 10, every: 2 });
  expect([0, 1, 2, 3, 9].map((age) => completeness.at(age))).toEqual([0.5, 0.5, 0.5, 1, 1]);
});

it('knows nothing of ages at which buckets are final', () => {
  expect(learned({ growth: () => 1, finalAge: 10 }).at(10)).toBeUndefined();
});

it('learns nothing from sums over different series', () => {
  const dimensions = (minute: number) => (minute % 2 === 0 ? ['a', 'b'] : ['a']);
  expect(learned({ growth: () => 1, finalAge: 10, dimensions }).at(0)).toBeUndefined();
});

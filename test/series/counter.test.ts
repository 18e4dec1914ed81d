import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Points } from '../../src/decode/points.ts';
import { type Counter, firstAtOrAfter, post, type Settlement } from '../../src/series/counter.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 5, 10);
const at = (minute: number) => T0 + minute * MINUTE;
const never = () => false;

/** Points of one minute each: `[minute, value]`. */
function points(rows: readonly (readonly [number, number])[]): Points {
  return {
    timestamps: Float64Array.from(rows, ([minute]) => at(minute)),
    values: Float64Array.from(rows, ([, value]) => value),
  };
}

function settlement(from: number, to: number, settledUntil = to): Settlement {
  return { window: { from: at(from), to: at(to) }, width: MINUTE, settledUntil: at(settledUntil) };
}

const counter = (total: number, minute: number): Counter => ({ total, watermark: at(minute) });

describe('posting an answer', () => {
  const rows = points([
    [0, 1],
    [1, 2],
    [2, 4],
    [3, 8],
  ]);

  it('counts from the watermark up to where the window ends', () => {
    expect(post(counter(100, 1), rows, settlement(0, 3), never)).toEqual({
      counter: counter(106, 3),
      settled: expect.objectContaining({ length: 2 }),
      skipped: 0,
      absent: [],
    });
  });

  it('counts no bucket that has not settled', () => {
    expect(post(counter(0, 0), rows, settlement(0, 4, 1.5), never).counter).toEqual(counter(1, 1));
  });

  it('counts nothing when the window begins after the watermark', () => {
    expect(post(counter(0, 0), rows, settlement(1, 4), never).counter).toEqual(counter(0, 0));
  });

  it('stops at a bucket that is absent, and names all that are', () => {
    const gaps = points([
      [0, 1],
      [2, 4],
    ]);
    expect(post(counter(0, 0), gaps, settlement(0, 4), never)).toEqual({
      counter: counter(1, 1),
      settled: expect.objectContaining({ length: 1 }),
      skipped: 0,
      absent: [at(1), at(3)],
    });
  });

  it('goes on without a bucket that is given up', () => {
    const gaps = points([
      [0, 1],
      [2, 4],
    ]);
    const posting = post(counter(0, 0), gaps, settlement(0, 3), (bucket) => bucket === at(1));
    expect(posting).toMatchObject({ counter: counter(5, 3), settled: { length: 2 }, skipped: 1 });
  });

  it('counts no bucket of a wider grid that the watermark lies inside of', () => {
    const wide = { window: { from: at(0), to: at(20) }, width: 5 * MINUTE, settledUntil: at(20) };
    const fives = points([
      [0, 10],
      [5, 20],
      [10, 40],
    ]);
    expect(post(counter(3, 2), fives, wide, never).counter).toEqual(counter(3, 2));
    expect(post(counter(3, 2), fives, wide, (bucket) => bucket === at(2))).toMatchObject({
      counter: counter(63, 15),
      skipped: 1,
    });
  });

  it('gives the same total for any order, repetition and overlap of answers', () => {
    const all = Array.from({ length: 60 }, (_, minute) => [minute, (minute * 7_919) % 1_000] as const);
    const sum = (until: number) => all.slice(0, until).reduce((total, [, value]) => total + value, 0);
    const window = fc.record({ from: fc.nat(50), length: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(window, { maxLength: 60 }), (windows) => {
        let known = counter(0, 0);
        for (const { from, length } of windows) {
          const to = Math.min(60, from + length);
          const answer = points(all.slice(from, to));
          const before = known;
          known = post(known, answer, settlement(from, to), never).counter;
          expect(known.watermark).toBeGreaterThanOrEqual(before.watermark);
          expect(known.total).toBe(sum((known.watermark - T0) / MINUTE));
        }
        expect(post(known, points(all), settlement(0, 60), never).counter).toEqual(counter(sum(60), 60));
      }),
    );
  });
});

it('finds the first timestamp at or after a time', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1_000)), fc.nat(1_000), (times, time) => {
      const ascending = times.toSorted((a, b) => a - b);
      const expected = ascending.findIndex((candidate) => candidate >= time);
      expect(firstAtOrAfter(Float64Array.from(ascending), time)).toBe(expected < 0 ? times.length : expected);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Points } from '../../src/decode/points.ts';
import { firstAtOrAfter, type Ledger, post, type Settlement } from '../../src/series/ledger.ts';

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

const ledger = (total: number, minute: number): Ledger => ({ total, mark: at(minute) });

describe('posting an answer', () => {
  const rows = points([
    [0, 1],
    [1, 2],
    [2, 4],
    [3, 8],
  ]);

  it('counts from the mark up to where the window ends', () => {
    expect(post(ledger(100, 1), rows, settlement(0, 3), never)).toEqual({
      ledger: ledger(106, 3),
      counted: 2,
      givenUp: 0,
      absent: [],
    });
  });

  it('counts no bucket that has not settled', () => {
    expect(post(ledger(0, 0), rows, settlement(0, 4, 1.5), never).ledger).toEqual(ledger(1, 1));
  });

  it('counts nothing when the window begins after the mark', () => {
    expect(post(ledger(0, 0), rows, settlement(1, 4), never).ledger).toEqual(ledger(0, 0));
  });

  it('stops at a bucket that is absent, and names all that are', () => {
    const gaps = points([
      [0, 1],
      [2, 4],
    ]);
    expect(post(ledger(0, 0), gaps, settlement(0, 4), never)).toEqual({
      ledger: ledger(1, 1),
      counted: 1,
      givenUp: 0,
      absent: [at(1), at(3)],
    });
  });

  it('goes on without a bucket that is given up', () => {
    const gaps = points([
      [0, 1],
      [2, 4],
    ]);
    const posting = post(ledger(0, 0), gaps, settlement(0, 3), (bucket) => bucket === at(1));
    expect(posting).toMatchObject({ ledger: ledger(5, 3), counted: 2, givenUp: 1 });
  });

  it('counts no bucket of a wider grid that the mark lies inside of', () => {
    const wide = { window: { from: at(0), to: at(20) }, width: 5 * MINUTE, settledUntil: at(20) };
    const fives = points([
      [0, 10],
      [5, 20],
      [10, 40],
    ]);
    expect(post(ledger(3, 2), fives, wide, never).ledger).toEqual(ledger(3, 2));
    expect(post(ledger(3, 2), fives, wide, (bucket) => bucket === at(2))).toMatchObject({
      ledger: ledger(63, 15),
      givenUp: 1,
    });
  });

  it('gives the same total for any order, repetition and overlap of answers', () => {
    const all = Array.from({ length: 60 }, (_, minute) => [minute, (minute * 7_919) % 1_000] as const);
    const sum = (until: number) => all.slice(0, until).reduce((total, [, value]) => total + value, 0);
    const window = fc.record({ from: fc.nat(50), length: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(window, { maxLength: 60 }), (windows) => {
        let known = ledger(0, 0);
        for (const { from, length } of windows) {
          const to = Math.min(60, from + length);
          const answer = points(all.slice(from, to));
          const before = known;
          known = post(known, answer, settlement(from, to), never).ledger;
          expect(known.mark).toBeGreaterThanOrEqual(before.mark);
          expect(known.total).toBe(sum((known.mark - T0) / MINUTE));
        }
        expect(post(known, points(all), settlement(0, 60), never).ledger).toEqual(ledger(sum(60), 60));
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

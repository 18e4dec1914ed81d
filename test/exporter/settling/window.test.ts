import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  catchUpWindow,
  coarseWindow,
  dayAround,
  FINEST_WINDOW_MS,
  type FreshNeeds,
  freshWindow,
  HISTORY_MS,
  isCoarse,
  MINUTE_MS,
  type Window,
  windowQuery,
} from '../../../src/exporter/settling/window.ts';

const NOW = Date.UTC(2026, 2, 29, 1, 30);

const minutes = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * MINUTE_MS);

/** Any moment around a change to daylight saving time, anything lacking from long ago to the future, any delay and width. */
const needs: fc.Arbitrary<FreshNeeds> = fc
  .record({
    now: fc.integer({ min: NOW - 48 * FINEST_WINDOW_MS, max: NOW + 48 * FINEST_WINDOW_MS }),
    width: fc.constantFrom(1, 5, 10, 30, 60).map((width) => width * MINUTE_MS),
    horizon: minutes(1, 24 * 60),
    lackingFor: fc.array(minutes(-300, 40_000), { maxLength: 4 }),
    newestAge: fc.option(minutes(-1, 300), { nil: undefined }),
    doubtful: fc.constantFrom(0, 0, 0, 1, 2, 7),
  })
  .map(({ lackingFor, newestAge, ...given }) => ({
    ...given,
    lacking: lackingFor.map((age) => given.now - age),
    newest: newestAge === undefined ? undefined : given.now - newestAge,
  }));

function expectSound({ from, to }: Window, { now }: { now: number }): void {
  expect([from % MINUTE_MS, to % MINUTE_MS]).toEqual([0, 0]);
  expect(to).toBeGreaterThanOrEqual(from);
  expect(to - from).toBeLessThanOrEqual(FINEST_WINDOW_MS);
  expect(to).toBeLessThanOrEqual(now);
}

const PLAIN: FreshNeeds = {
  now: NOW,
  width: MINUTE_MS,
  horizon: 10 * MINUTE_MS,
  newest: NOW - MINUTE_MS,
  lacking: [],
  doubtful: 0,
};

describe('a fresh window', () => {
  it('is of whole UTC minutes, ends now and is short enough for the finest buckets', () => {
    fc.assert(
      fc.property(needs, (given) => {
        const window = freshWindow(given);
        expectSound(window, given);
        expect(window.to).toBe(Math.floor(given.now / MINUTE_MS) * MINUTE_MS);
        if (given.doubtful === 0) expect(window.from % given.width).toBe(0);
      }),
    );
  });

  it('brings what the counters lack, where that is within an hour', () => {
    const from = NOW - 47 * MINUTE_MS;
    // Whole buckets of ten minutes, since the platform may have made wider ones of what is lacking.
    const whole = Math.floor(from / (10 * MINUTE_MS)) * 10 * MINUTE_MS;
    expect(freshWindow({ ...PLAIN, lacking: [NOW - 300 * MINUTE_MS, from] })).toEqual({
      from: whole,
      to: NOW,
    });
  });

  it('is short while nothing is lacking', () => {
    expect(freshWindow(PLAIN)).toEqual({ from: NOW - 15 * MINUTE_MS, to: NOW });
  });

  it('is an hour where the newest bucket of the platform is unknown, and so much longer as that is old', () => {
    const ages = [14, 20, 40, 50, 500].map((age) => NOW - age * MINUTE_MS);
    const lengths = [undefined, ...ages, NOW + 5 * MINUTE_MS].map((newest) => {
      const { from, to } = freshWindow({ ...PLAIN, newest });
      return (to - from) / MINUTE_MS;
    });
    expect(lengths).toEqual([60, 15, 35, 55, 60, 60, 60]);
  });

  it('begins at another minute each time while the width of buckets is in doubt', () => {
    const starts = [1, 2, 3].map((doubtful) => freshWindow({ ...PLAIN, doubtful }).from);
    expect(new Set(starts).size).toBe(3);
  });

  it('reads again what has been counted within the last minutes, so that a change after the platform’s bound is seen', () => {
    const horizon = 10 * MINUTE_MS;
    const watermark = NOW - horizon;
    const { from } = freshWindow({ ...PLAIN, horizon, lacking: [watermark] });
    expect(watermark - from).toBeGreaterThanOrEqual(5 * MINUTE_MS);
  });

  it('asks in UTC', () => {
    const window = { from: Date.UTC(2026, 2, 29, 0, 59), to: Date.UTC(2026, 2, 29, 1, 14) };
    expect(windowQuery(window)).toEqual({ date_from: '2026-03-29T00:59Z', date_to: '2026-03-29T01:14Z' });
  });
});

describe('a catch-up window', () => {
  it('is short enough for the finest buckets, and holds the bucket that is lacking', () => {
    fc.assert(
      fc.property(
        needs,
        minutes(60, 40_000),
        fc.option(fc.nat(20), { nil: undefined }),
        (given, age, attempt) => {
          const time = Math.floor((given.now - age) / given.width) * given.width;
          const window = catchUpWindow(time, given.now, given.width, attempt);
          expectSound(window, given);
          expect(window.from % given.width).toBe(0);
          expect(window.from).toBeLessThanOrEqual(time);
          expect(window.to).toBeGreaterThanOrEqual(time + given.width);
        },
      ),
    );
  });

  it('begins at another minute with each attempt', () => {
    const starts = [0, 1, 2].map(
      (attempt) => catchUpWindow(NOW - HISTORY_MS / 2, NOW, MINUTE_MS, attempt).from,
    );
    expect(new Set(starts).size).toBe(3);
  });
});

describe('the window of a coarse read', () => {
  it('reaches from before what is lacking to the present, and not further back than the history', () => {
    const time = NOW - 8 * FINEST_WINDOW_MS;
    expect(coarseWindow(time, NOW)).toEqual({ from: time - 2 * FINEST_WINDOW_MS, to: NOW });
    expect(coarseWindow(NOW - HISTORY_MS + FINEST_WINDOW_MS, NOW).from).toBe(NOW - HISTORY_MS);
    expect(isCoarse(coarseWindow(time, NOW))).toBe(true);
  });

  it('of a day lies around what is lacking, and does not reach beyond the present', () => {
    const time = NOW - 8 * FINEST_WINDOW_MS;
    expect(dayAround(time, NOW)).toEqual({ from: time - 12 * FINEST_WINDOW_MS, to: NOW });
  });
});

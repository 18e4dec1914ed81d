import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  catchUpWindow,
  coarseWindow,
  FINEST_WINDOW_MS,
  freshWindow,
  MINUTE_MS,
  type Window,
  type WindowNeeds,
  windowQuery,
} from '../../src/settling/window.ts';

const NOW = Date.UTC(2026, 2, 29, 1, 30);

/** Any moment around a change to daylight saving time, any watermark from long ago to the future, any delay and width. */
const needs: fc.Arbitrary<WindowNeeds> = fc
  .record({
    now: fc.integer({ min: NOW - 48 * FINEST_WINDOW_MS, max: NOW + 48 * FINEST_WINDOW_MS }),
    width: fc.constantFrom(1, 5, 10, 30, 60).map((minutes) => minutes * MINUTE_MS),
    settleDelay: fc.integer({ min: 1, max: 24 * 60 }).map((minutes) => minutes * MINUTE_MS),
    markAge: fc.option(fc.integer({ min: -300, max: 40_000 }), { nil: undefined }),
  })
  .map(({ markAge, now, width, settleDelay }) => {
    const watermark =
      markAge === undefined ? undefined : Math.floor((now - markAge * MINUTE_MS) / width) * width;
    return { now, width, settleDelay, watermark };
  });

function expectSound({ from, to }: Window, { now, width }: WindowNeeds): void {
  expect([from % MINUTE_MS, to % MINUTE_MS]).toEqual([0, 0]);
  expect(from % width).toBe(0);
  expect(to).toBeGreaterThanOrEqual(from);
  expect(to - from).toBeLessThanOrEqual(FINEST_WINDOW_MS);
  expect(to).toBeLessThanOrEqual(now);
}

describe('a fresh window', () => {
  it('is of whole UTC minutes, cuts no bucket at its start, ends now and is short enough for the finest buckets', () => {
    fc.assert(
      fc.property(needs, (given) => {
        const window = freshWindow(given);
        expectSound(window, given);
        expect(window.to).toBe(Math.floor(given.now / MINUTE_MS) * MINUTE_MS);
      }),
    );
  });

  it('brings every bucket that has settled since the watermark, where that is within an hour', () => {
    const watermark = NOW - 47 * MINUTE_MS;
    const window = freshWindow({ now: NOW, watermark, width: MINUTE_MS, settleDelay: 10 * MINUTE_MS });
    expect(window).toEqual({ from: watermark, to: NOW });
  });

  it('reads again what has been counted within the last minutes, so that a change after the platform’s bound is seen', () => {
    const settleDelay = 10 * MINUTE_MS;
    const watermark = NOW - settleDelay;
    const { from } = freshWindow({ now: NOW, watermark, width: MINUTE_MS, settleDelay });
    expect(watermark - from).toBeGreaterThanOrEqual(5 * MINUTE_MS);
  });

  it('asks in UTC', () => {
    const window = { from: Date.UTC(2026, 2, 29, 0, 59), to: Date.UTC(2026, 2, 29, 1, 14) };
    expect(windowQuery(window)).toEqual({ date_from: '2026-03-29T00:59Z', date_to: '2026-03-29T01:14Z' });
  });
});

describe('a catch-up window', () => {
  it('is of whole UTC minutes, cuts no bucket at its start, and is short enough for the finest buckets', () => {
    fc.assert(
      fc.property(needs, (given) => {
        const window = catchUpWindow(given);
        if (window !== undefined) expectSound(window, given);
      }),
    );
  });

  it('begins at the watermark, and leaves no gap before the fresh window once its buckets have settled', () => {
    fc.assert(
      fc.property(needs, (given) => {
        const { watermark, now, settleDelay } = given;
        const fresh = freshWindow(given);
        const window = catchUpWindow(given);
        if (watermark === undefined || watermark >= fresh.from) expect(window).toBeUndefined();
        else if (window === undefined) {
          const lacking = Math.min(fresh.from, now - settleDelay - given.width) - watermark;
          expect(lacking).toBeLessThan(10 * MINUTE_MS);
        } else {
          expect(window.from).toBe(watermark);
          expect(window.to >= fresh.from || window.to - window.from >= 10 * MINUTE_MS).toBe(true);
        }
      }),
    );
  });

  it('follows another until the fresh window is reached', () => {
    fc.assert(
      fc.property(needs, (given) => {
        let { watermark } = given;
        for (let windows = 0; windows < 1_000; windows += 1) {
          const window = catchUpWindow({ ...given, watermark });
          if (window === undefined) break;
          expect(window.to).toBeGreaterThan(Number(watermark));
          watermark = window.to;
        }
        expect(catchUpWindow({ ...given, watermark })).toBeUndefined();
      }),
    );
  });
});

describe('the window of an overview', () => {
  it('reaches from the watermark to the present, where that is more than a usual window', () => {
    fc.assert(
      fc.property(needs, (given) => {
        const window = coarseWindow(given);
        const missing = catchUpWindow(given);
        const { to } = freshWindow(given);
        if (missing === undefined || to - missing.from <= FINEST_WINDOW_MS) expect(window).toBeUndefined();
        else expect(window).toEqual({ from: missing.from, to });
      }),
    );
  });
});

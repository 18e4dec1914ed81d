import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FINEST_WINDOW_MS,
  type FreshNeeds,
  freshWindow,
  hourBefore,
  hourFrom,
  MINUTE_MS,
  shiftedHour,
  type Window,
  windowQuery,
} from '../../../src/exporter/settling/window.ts';

const NOW = Date.UTC(2026, 2, 29, 1, 30);

const minutes = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * MINUTE_MS);

const needs: fc.Arbitrary<FreshNeeds> = fc
  .record({
    now: fc.integer({ min: NOW - 48 * FINEST_WINDOW_MS, max: NOW + 48 * FINEST_WINDOW_MS }),
    width: fc.constantFrom(1, 5, 10, 30, 60).map((width) => width * MINUTE_MS),
    horizon: minutes(1, 24 * 60),
    dueAge: minutes(-300, 40_000),
    newestAge: minutes(-1, 300),
  })
  .map(({ dueAge, newestAge, ...given }) => ({
    ...given,
    due: given.now - dueAge,
    newest: given.now - newestAge,
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
  due: NOW,
};

describe('a fresh window', () => {
  it('is of whole UTC minutes, ends now and is short enough for the finest buckets', () => {
    fc.assert(
      fc.property(needs, (given) => {
        const window = freshWindow(given);
        expectSound(window, given);
        expect(window.to).toBe(Math.floor(given.now / MINUTE_MS) * MINUTE_MS);
        if (given.newest <= given.now + MINUTE_MS) expect(window.from % given.width).toBe(0);
      }),
    );
  });

  it('brings what is still to be counted, and some before it, if that is within an hour', () => {
    const due = NOW - 47 * MINUTE_MS;
    expect(freshWindow({ ...PLAIN, due })).toEqual({ from: due - 5 * MINUTE_MS, to: NOW });
    expect(freshWindow({ ...PLAIN, due: NOW - 300 * MINUTE_MS })).toEqual(hourBefore(NOW));
  });

  it('is short while nothing is lacking', () => {
    expect(freshWindow(PLAIN)).toEqual({ from: NOW - 15 * MINUTE_MS, to: NOW });
  });

  it('is so much longer as the newest bucket is old', () => {
    const ages = [14, 20, 40, 50, 500].map((age) => NOW - age * MINUTE_MS);
    const lengths = [...ages, NOW + 5 * MINUTE_MS].map((newest) => {
      const { from, to } = freshWindow({ ...PLAIN, newest });
      return (to - from) / MINUTE_MS;
    });
    expect(lengths).toEqual([15, 35, 55, 60, 60, 60]);
  });

  it('begins at another minute each time while the width of buckets is in doubt', () => {
    for (const every of [1, 2, 3, 5]) {
      const starts = [1, 2, 3].map((turn) => shiftedHour(NOW + turn * every * MINUTE_MS, turn).from);
      expect(new Set(starts.map((from) => (from / MINUTE_MS) % 2)).size).toBe(2);
    }
  });

  it('asks in UTC', () => {
    const window = { from: Date.UTC(2026, 2, 29, 0, 59), to: Date.UTC(2026, 2, 29, 1, 14) };
    expect(windowQuery(window)).toEqual({ date_from: '2026-03-29T00:59Z', date_to: '2026-03-29T01:14Z' });
  });
});

describe('a window of the past', () => {
  it('is an hour from the bucket on that is lacking', () => {
    fc.assert(
      fc.property(needs, minutes(60, 40_000), (given, age) => {
        const time = Math.floor((given.now - age) / given.width) * given.width;
        const window = hourFrom(time, given.now, given.width);
        expectSound(window, given);
        expect(window.from).toBe(time);
        expect(window.to).toBeGreaterThanOrEqual(Math.min(time + given.width, given.now - MINUTE_MS));
      }),
    );
  });
});

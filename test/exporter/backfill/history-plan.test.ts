import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  availableAt,
  changesSince,
  rangeOf,
  requestOf,
  windowsOf,
} from '../../../src/exporter/backfill/history-plan.ts';
import { FINEST_WINDOW_MS, HISTORY_MS, MINUTE_MS } from '../../../src/exporter/settling/window.ts';
import { accountsAt } from './history-bed.ts';

const NOW = Date.UTC(2026, 0, 31, 10, 20, 30);
const AVAILABLE = availableAt(NOW, 10 * MINUTE_MS);

const ranges = fc
  .record({ from: fc.integer({ min: 1, max: 43_000 }), length: fc.integer({ min: 1, max: 3_000 }) })
  .map(({ from, length }) => ({ from: from * MINUTE_MS, to: (from + length) * MINUTE_MS }));

describe('the windows of a range', () => {
  it('follow each other from its start to its end, none across a full hour', () => {
    fc.assert(
      fc.property(ranges, (range) => {
        const windows = windowsOf({ range, latest: range.to });
        expect(windows[0]?.from).toBe(range.from);
        expect(windows.at(-1)?.to).toBe(range.to);
        for (const [index, { from, to }] of windows.entries()) {
          expect(from).toBe(index === 0 ? range.from : windows[index - 1]?.to);
          expect(Math.floor(from / FINEST_WINDOW_MS)).toBe(Math.floor((to - 1) / FINEST_WINDOW_MS));
        }
      }),
    );
  });

  it('are each asked for as a whole finest window that covers them, and rows behind them where there may be such', () => {
    fc.assert(
      fc.property(ranges, fc.nat(30), (range, minutes) => {
        const latest = range.to + minutes * MINUTE_MS;
        for (const { from, to, ask } of windowsOf({ range, latest })) {
          expect(ask.to - ask.from).toBe(FINEST_WINDOW_MS);
          expect(ask.from).toBeLessThanOrEqual(from);
          expect(ask.to).toBeGreaterThanOrEqual(to);
          expect(ask.to).toBeLessThanOrEqual(latest);
          if (to % FINEST_WINDOW_MS !== 0 && minutes > 0) expect(ask.to).toBeGreaterThan(to);
        }
      }),
    );
  });
});

describe('a range', () => {
  it('ends with the newest settled bucket unless told, and holds whole minutes', () => {
    const range = rangeOf(Date.UTC(2026, 0, 30, 8, 0, 1), undefined, AVAILABLE);
    expect(range).toEqual({ from: Date.UTC(2026, 0, 30, 8, 1), to: Date.UTC(2026, 0, 31, 10, 10) });
  });

  it.each([
    [
      '--from (2026-01-31T10:00:00Z) must be at least a minute before --to (2026-01-31T10:00:00Z)',
      AVAILABLE.to - 10 * MINUTE_MS,
      AVAILABLE.to - 10 * MINUTE_MS,
    ],
    [
      '--from (2026-01-01T10:20:00Z) is too early: the platform keeps 30 days, so the earliest is 2026-01-01T11:00:00Z',
      NOW - HISTORY_MS - 30_000,
      AVAILABLE.to,
    ],
    [
      '--to (2026-01-31T10:11:00Z) is too late: only settled buckets are final, and the newest one ends at 2026-01-31T10:10:00Z',
      NOW - HISTORY_MS / 2,
      AVAILABLE.to + MINUTE_MS,
    ],
  ])('is refused with a sentence: %s', (sentence, from, to) => {
    expect(() => rangeOf(from, to, AVAILABLE)).toThrow(sentence);
  });

  it('that starts at the earliest moment a refusal names is good for a while', () => {
    const named = Date.UTC(2026, 0, 1, 11);
    expect(() => rangeOf(0, AVAILABLE.to, AVAILABLE)).toThrow('the earliest is 2026-01-01T11:00:00Z');
    const later = availableAt(NOW + 10 * MINUTE_MS, 10 * MINUTE_MS);
    expect(rangeOf(named, AVAILABLE.to, later)).toEqual({ from: named, to: AVAILABLE.to });
  });
});

const URL = 'http://127.0.0.1:1';
const FROM = Date.UTC(2026, 0, 5);
const metrics = (settings: object) => ({
  collectors: { metrics: { products: { edge_applications: settings } } },
});
const BEGUN = { from: FROM, to: undefined, labels: {}, accounts: accountsAt(URL, metrics({})) };

function changes(changed: Partial<Parameters<typeof requestOf>[0]>): string[] {
  return changesSince({ request: requestOf(BEGUN) }, { ...BEGUN, ...changed });
}

describe('a request differs from the one that a history was begun with', () => {
  it('in nothing when the same is asked for', () => {
    expect(changes({ accounts: accountsAt(URL, metrics({})) })).toEqual([]);
  });

  it('in nothing when only what does not matter has changed: the pace, the credentials', () => {
    const account = { ...metrics({ schedule: '*/5 * * * *' }), quota: { reserve: 0.5 }, token: 'another' };
    expect(changes({ accounts: accountsAt(URL, account) })).toEqual([]);
  });

  it.each([
    [{ from: FROM + 1_000 }, '--from was 2026-01-05T00:00:00Z and is 2026-01-05T00:00:01Z'],
    [{ to: FROM }, '--to was not given and is 2026-01-05T00:00:00Z'],
    [{ labels: { job: 'edge' } }, '--labels was {} and is {"job":"edge"}'],
    [
      { accounts: accountsAt(URL, metrics({ metrics: ['waf'] })) },
      'the configuration of account test has changed',
    ],
    [
      { accounts: accountsAt('http://127.0.0.1:2', metrics({})) },
      'the configuration of account test has changed',
    ],
    [{ accounts: [] }, 'the configuration of account test has changed'],
  ])('in %o', (changed, phrase) => {
    expect(changes(changed)).toEqual([phrase]);
  });
});

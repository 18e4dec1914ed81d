import fc from 'fast-check';
import { expect, test } from 'vitest';
import { halves, namedKeys, piecesOf, rowLimit } from '../../../src/exporter/graphql/question.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 5, 12);

test('pieces cover all of the time, each minute once, with no more rows than an answer may have', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 50, max: 10_000 }),
      (keys, minutes, limit) => {
        const window = { from: NOW - minutes * MINUTE, to: NOW };
        let reached = window.from;
        for (const piece of piecesOf({ window, ids: undefined }, keys, limit)) {
          expect(piece.window.from).toBe(reached);
          reached = piece.window.to;
          const rows = ((piece.window.to - piece.window.from) / MINUTE) * keys;
          expect(rows).toBeLessThanOrEqual(Math.max(limit, keys));
        }
        expect(reached).toBe(window.to);
      },
    ),
  );
});

test('keys are named unless there are many, or the sum of all is asked for', () => {
  const keys = Array.from({ length: 501 }, (_, index) => String(index));
  expect(namedKeys(keys)).toBeUndefined();
  expect(namedKeys(keys.slice(1))).toHaveLength(500);
  expect(namedKeys([''])).toBeUndefined();
});

test('what was cut is halved, by time and then by configuration, until it is one minute of one configuration', () => {
  const keys = ['1', '2'];
  const [older, newer] = halves({ window: { from: NOW - 2 * MINUTE, to: NOW }, ids: undefined }, keys);
  expect([older?.window.to, newer?.window.from]).toEqual([NOW - MINUTE, NOW - MINUTE]);
  const minute = { window: { from: NOW - MINUTE, to: NOW }, ids: undefined };
  expect(halves(minute, keys).map(({ ids }) => ids)).toEqual([['1'], ['2']]);
  expect(halves({ ...minute, ids: ['1'] }, keys)).toEqual([]);
});

test('a day is cut in time where it has more rows of one key than are answered: all of it is minutes', () => {
  const window = { from: NOW - 24 * HOUR, to: NOW };
  const pieces = piecesOf({ window, ids: ['1'] }, 16, 10_000);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.map(({ ids }) => ids)).toEqual(pieces.map(() => ['1']));
  expect(halves({ window, ids: ['1'] }, ['1']).map((half) => half.window.to)).toEqual([NOW - 12 * HOUR, NOW]);
});

test('no more rows are asked for than fit into the largest answer that is accepted', () => {
  expect(rowLimit(1, 8 * 2 ** 20)).toBe(10_000);
  expect(rowLimit(35, 8 * 2 ** 20)).toBeLessThan(6_000);
  expect(rowLimit(35, 64 * 1_024)).toBeGreaterThan(0);
});

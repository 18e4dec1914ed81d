import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  askable,
  halves,
  inKeys,
  type Need,
  type Part,
  partsOf,
  piecesOf,
  type RowsExpected,
  rowLimit,
} from '../../../src/exporter/graphql/question.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 5, 12);

const fresh = { from: NOW - 15 * MINUTE, to: NOW };
const need = (key: string, ...fields: string[]): Need => ({ key, fields });
const fieldsNamed = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

const operationsOf = (part: Part<Need>, rows: RowsExpected) =>
  inKeys(part, rows).flatMap((one) => piecesOf(one, rows));

test('windows that are an hour together are one operation, or the same days, others are not', () => {
  const asked = [
    { need: need('1', 'a'), window: fresh },
    { need: need('2', 'a'), window: { from: NOW - 40 * MINUTE, to: NOW } },
    { need: need('3', 'a'), window: { from: NOW - 5 * HOUR, to: NOW - 4 * HOUR } },
  ];
  expect(partsOf(asked, 2).map(({ window, needs }) => [window.from, needs.length])).toEqual([
    [NOW - 40 * MINUTE, 2],
    [NOW - 5 * HOUR, 1],
  ]);
  // Of wider buckets, only the same window is.
  const days = (from: number) => ({
    need: need('1', 'a'),
    window: { from: NOW - from * 24 * HOUR, to: NOW },
  });
  expect(partsOf([days(30), days(30), days(29)], 2).map(({ needs }) => needs.length)).toEqual([2, 1]);
});

test('a part selects no more fields than are allowed, and every need has all of its fields in one part', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 16 })), { minLength: 1, maxLength: 30 }),
      (given) => {
        const asked = given.map(([metric, count], index) => ({
          need: need(String(index), ...fieldsNamed(`m${metric}-`, count)),
          window: fresh,
        }));
        const parts = partsOf(asked, 2);
        for (const { needs, fields } of parts) {
          expect(fields.length).toBeLessThanOrEqual(35);
          for (const one of needs) for (const field of one.fields) expect(fields).toContain(field);
        }
        expect(parts.flatMap(({ needs }) => needs)).toHaveLength(asked.length);
      },
    ),
  );
});

test('pieces cover all of the time and all keys, each once, with no more rows than an answer may have', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 50, max: 10_000 }),
      (keys, minutes, limit) => {
        const needs = Array.from({ length: keys }, (_, index) => need(String(index), 'a'));
        const window = { from: NOW - minutes * MINUTE, to: NOW };
        const pieces = operationsOf({ needs, fields: ['a'], window }, { limit, perKey: 1 });
        let cells = 0;
        for (const {
          window: { from, to },
          ids,
        } of pieces) {
          const rows = ((to - from) / MINUTE) * (ids?.length ?? keys);
          cells += rows;
          expect(rows).toBeLessThanOrEqual(Math.max(limit, keys, minutes));
        }
        expect(cells).toBe(keys * minutes);
      },
    ),
  );
});

test('where there are more rows than an answer has, keys are asked for in groups, of which each has all readers of its keys', () => {
  const needs = Array.from({ length: 20_000 }, (_, index) => need(String(index % 10_000), `f${index % 2}`));
  const part = { needs, fields: ['f0', 'f1'], window: fresh };
  const groups = inKeys(part, { limit: 6_000, perKey: 1 });
  expect(groups).toHaveLength(25);
  expect(groups.map(({ ids, keys }) => [ids?.length, keys])).toEqual(groups.map(() => [400, 400]));
  for (const { needs, ids } of groups) {
    expect(new Set(needs.map(({ key }) => key))).toEqual(new Set(ids));
    expect(needs).toHaveLength(800);
  }
  // All together are not named: no question grows with the account.
  expect(inKeys(part, { limit: 6_000, perKey: 0.01 }).map(({ ids, keys }) => [ids, keys])).toEqual([
    [undefined, 10_000],
  ]);
  const few = inKeys({ ...part, window: { from: NOW - 24 * HOUR, to: NOW } }, { limit: 6_000, perKey: 1 });
  expect(few.map(({ keys }) => keys)).toEqual(few.map(() => 25));
});

test('no key is asked for among few others where time can be cut instead: by their rows shows which absent one is a zero', () => {
  const sizes = (count: number, rows: RowsExpected) => {
    const needs = Array.from({ length: count }, (_, index) => need(String(index), 'sum'));
    return inKeys({ needs, fields: ['sum'], window: fresh }, rows).map(({ keys }) => keys);
  };
  expect(sizes(26, { limit: 10_000, perKey: 30 })).toEqual([26]);
  expect(sizes(26, { limit: 10_000, perKey: 25 })).toEqual([26]);
  expect(sizes(1_001, { limit: 15_000, perKey: 1 })).toEqual([501, 500]);
  for (const count of [51, 99, 651, 1_301])
    for (const perKey of [1, 20, 200]) {
      const found = sizes(count, { limit: 10_000, perKey });
      expect(found.reduce((sum, size) => sum + size, 0)).toBe(count);
      expect(Math.min(...found)).toBeGreaterThanOrEqual(25);
      expect(Math.max(...found) - Math.min(...found)).toBeLessThanOrEqual(1);
    }
});

test('what was cut is halved, by time and then by configuration, until it is one minute of one configuration', () => {
  const needs = [need('1', 'a'), need('2', 'a')];
  const [older, newer] = halves({ window: { from: NOW - 2 * MINUTE, to: NOW }, ids: undefined }, needs);
  expect([older?.window.to, newer?.window.from]).toEqual([NOW - MINUTE, NOW - MINUTE]);
  const minute = { window: { from: NOW - MINUTE, to: NOW }, ids: undefined };
  expect(halves(minute, needs).map(({ ids }) => ids)).toEqual([['1'], ['2']]);
  expect(halves({ ...minute, ids: ['1'] }, needs)).toEqual([]);
});

test('a long window is never cut in time, since the length decides how wide its buckets are', () => {
  const window = { from: NOW - 30 * 24 * HOUR, to: NOW };
  expect(halves({ window, ids: ['1', '2'] }, []).map((piece) => piece.window)).toEqual([window, window]);
});

test('a day is cut in time where it has more rows of one key than are answered: all of it is minutes', () => {
  const window = { from: NOW - 24 * HOUR, to: NOW };
  const part = { needs: [need('1', 'sum')], fields: ['sum'], window };
  const pieces = operationsOf(part, { limit: 10_000, perKey: 16 });
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.map(({ ids }) => ids)).toEqual(pieces.map(() => ['1']));
  expect(halves({ window, ids: ['1'] }, part.needs).map((half) => half.window.to)).toEqual([
    NOW - 12 * HOUR,
    NOW,
  ]);
});

test('what has no key is asked for in one piece where it cannot be cut in time', () => {
  const window = { from: NOW - 30 * 24 * HOUR, to: NOW };
  const part = { needs: [need('', 'sum')], fields: ['sum'], window };
  expect(operationsOf(part, { limit: 10_000, perKey: 16 })).toEqual([{ window, ids: undefined }]);
});

test('a window whose width no document names is begun earlier', () => {
  expect(askable({ from: NOW - 50 * HOUR, to: NOW })).toEqual({ from: NOW - 60 * HOUR, to: NOW });
  expect(askable({ from: NOW - 48 * HOUR, to: NOW })).toEqual({ from: NOW - 48 * HOUR, to: NOW });
});

test('no more rows are asked for than fit into the largest answer that is accepted', () => {
  expect(rowLimit(1, 8 * 2 ** 20)).toBe(10_000);
  expect(rowLimit(35, 8 * 2 ** 20)).toBeLessThan(6_000);
  expect(rowLimit(35, 64 * 1_024)).toBeGreaterThan(0);
});

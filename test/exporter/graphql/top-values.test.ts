import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { type Column, datasetRows, decodeColumns } from '../../../src/exporter/graphql/dataset-rows.ts';
import { fieldsOf } from '../../../src/exporter/graphql/fields.ts';
import { TopValues, topOf } from '../../../src/exporter/graphql/top-values.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5, 10);
const WINDOW = { from: NOW - 10 * MINUTE, to: NOW };

describe('the values that have series of their own', () => {
  it.each([
    ['the largest at first', [], { a: 100, b: 50, c: 40 }, 'a,b'],
    ['those that had, and the largest for a free place', ['c'], { a: 100, b: 50 }, 'a,c'],
    ['those that had, while another is a little larger', ['a', 'b'], { a: 100, b: 50, c: 90 }, 'a,b'],
    ['those that had, where nothing came of any', ['a', 'b'], {}, 'a,b'],
    ['one that is clearly larger, instead of the smallest', ['a', 'b'], { a: 9, b: 5, c: 40, d: 50 }, 'a,d'],
    ['no value of which nothing came', [], { a: 0 }, ''],
  ] as const)('are %s', (_, shown, sums, expected) => {
    const top = (mayReplace: boolean) =>
      [...topOf(shown, new Map(Object.entries(sums)), { most: 2, mayReplace }).shown].sort().join();
    expect(top(true)).toBe(expected);
    if (shown.length === 2) expect(top(false)).toBe('a,b');
  });

  it('change one an hour', () => {
    const values = new TopValues(() => true, 2);
    let dimensions: readonly string[] = ['a', 'b'];
    const changes: number[] = [];
    for (let minute = 0; minute < 200; minute += 5) {
      const now = NOW + minute * MINUTE;
      const { byKey } = datasetRows([row(1, 'c', 50), row(1, 'd', 40)], {
        key: 'configurationId',
        split: by?.split,
        window: WINDOW,
        now,
      });
      const counters = { dimensions, mayChange: true };
      const columns = values.columns(OPEN, byKey.get('x'), { window: WINDOW, now }, counters);
      const after = columns.map(({ dimension }) => dimension).filter((name) => name !== 'other');
      if (after.join() !== [...dimensions].sort().join()) changes.push(minute);
      dimensions = after;
    }
    expect([changes, [...dimensions].sort()]).toEqual([
      [60, 120],
      ['c', 'd'],
    ]);
  });
});

const [by] = fieldsOf(productOf('metrics', 'edge_applications'), 'requests_by_host');
const OPEN: Column = { dimension: 'other', fields: ['other'], divisor: 1, isRate: false };

function decoded(rows: readonly unknown[], values = new TopValues(() => true, 2)) {
  const answer = datasetRows(rows, { key: 'configurationId', split: by?.split, window: WINDOW, now: NOW });
  const columns = values.columns(
    OPEN,
    answer.byKey.get('x'),
    { window: WINDOW, now: NOW },
    { dimensions: [], mayChange: true },
  );
  return decodeColumns(answer, 'x', columns, { window: WINDOW, faulty: new Map() });
}

const row = (minute: number, host: unknown, sum: unknown) => ({
  ts: new Date(WINDOW.from + minute * MINUTE).toISOString(),
  configurationId: 'x',
  host,
  sum,
});

it('add up to the whole with the others, whatever they are called', () => {
  const host = fc.constantFrom(
    'a',
    'other',
    'none',
    '__proto__',
    'constructor',
    'ts',
    'sum',
    '',
    '-',
    null,
    'null',
    7,
    '\0a',
  );
  const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), host, fc.nat(1_000)), {
    selector: ([minute, name]) => `${minute} ${JSON.stringify(name)}`,
    minLength: 1,
  });
  fc.assert(
    fc.property(rows, (given) => {
      const { series, rejected } = decoded(given.map((one) => row(...one)));
      expect(rejected.size).toBe(0);
      expect(series.size).toBeLessThanOrEqual(3);
      for (let minute = 0; minute < 10; minute += 1) {
        const time = WINDOW.from + minute * MINUTE;
        const found = [...series.values()].map(({ timestamps, values }) => values[timestamps.indexOf(time)]);
        const mine = given.filter(([of]) => of === minute);
        if (mine.length === 0) continue;
        expect(found.reduce((sum: number, value) => sum + Number(value), 0)).toBe(
          mine.reduce((sum, [, , count]) => sum + count, 0),
        );
      }
    }),
  );
});

it('are missing for a minute in which a host is there twice, or is none', () => {
  const rows = [row(1, 'a', 5), row(1, 'a', 6), row(2, 'a', 1), row(2, { b: 1 }, 1), row(3, 'a', 2)];
  const { series, rejected } = decoded(rows);
  expect([...(series.get('a')?.timestamps ?? [])]).toEqual([WINDOW.from + 3 * MINUTE]);
  expect(Object.fromEntries(rejected)).toEqual({ duplicate: 2, bad_item: 1 });
});

it('are those that have counters, of an answer about the past; others get no series', () => {
  const values = new TopValues((value) => value !== 'hidden', 2);
  const answer = datasetRows([row(1, 'large', 9), row(1, 'small', 1), row(1, 'hidden', 50)], {
    key: 'configurationId',
    split: by?.split,
    window: WINDOW,
    now: NOW,
  });
  const told = (counted: readonly string[], mayChange: boolean) =>
    values
      .columns(OPEN, answer.byKey.get('x'), { window: WINDOW, now: NOW }, { dimensions: counted, mayChange })
      .map(({ dimension }) => dimension);
  expect(told(['quiet', 'other'], false)).toEqual(['quiet', 'other']);
  expect(told(['quiet', 'other'], true)).toEqual(['large', 'quiet', 'other']);
  expect(told([], true)).toEqual(['large', 'small', 'other']);
});

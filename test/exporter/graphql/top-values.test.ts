import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { type Column, datasetRows, decodeColumns } from '../../../src/exporter/graphql/dataset-rows.ts';
import { fieldsOf } from '../../../src/exporter/graphql/fields.ts';
import { type Ranking, rankedAgain, TopValues, topOf } from '../../../src/exporter/graphql/top-values.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5, 10);
const WINDOW = { from: NOW - 10 * MINUTE, to: NOW };

/** Hours of polls every five minutes at these rates. */
function hours(
  count: number,
  rates: Record<string, number>,
  before?: { shown: readonly string[]; ranking: Ranking },
) {
  let { shown = [], ranking } = before ?? ({} as { shown?: readonly string[]; ranking?: Ranking });
  const seen = new Set<string>();
  for (let poll = 0; poll < count * 12; poll += 1) {
    const now = (ranking?.at ?? 0) + 5 * MINUTE;
    const top = topOf(shown, rankedAgain(ranking, new Map(Object.entries(rates)), { now, most: 2 }), 2);
    ({ shown, ranking } = top);
    seen.add([...shown].sort().join());
  }
  if (ranking === undefined) throw new Error('nothing was asked');
  return { shown, ranking, seen: [...seen] };
}

describe('the values that have series of their own', () => {
  it('are the largest, and stay while another is a little larger', () => {
    const first = hours(2, { a: 100, b: 50, c: 40 });
    expect(first.seen).toEqual(['a,b']);
    expect(hours(24, { a: 100, b: 50, c: 90 }, first).seen).toEqual(['a,b']);
  });

  it('stay while nothing comes of them for an hour, or another comes for minutes', () => {
    const first = hours(2, { a: 100, b: 50, c: 20 });
    const quiet = hours(1, { a: 100, c: 20 }, first);
    expect(quiet.seen).toEqual(['a,b']);
    expect(hours(1 / 12, { a: 100, b: 50, c: 1_000 }, first).seen).toEqual(['a,b']);
  });

  it('give up their place to one that is clearly larger for long, one an hour', () => {
    const first = hours(2, { a: 100, b: 50 });
    expect(hours(3, { a: 100, b: 50, c: 400, d: 500 }, first).shown).toContain('d');
    expect(hours(1, { c: 4_000, d: 5_000 }, first).seen).toEqual(['a,d']);
    expect([...hours(4, { c: 4_000, d: 5_000 }, first).shown].sort()).toEqual(['c', 'd']);
  });
});

it('follows no more values than five times those that have series, however many are invented', () => {
  let ranking: Ranking | undefined;
  for (let poll = 1; poll <= 100; poll += 1) {
    const invented = Array.from({ length: 100 }, (_, index): [string, number] => [`${poll}.${index}`, 1]);
    const rates = new Map([...invented, ['a', 50], ['b', 40]] as const);
    ranking = rankedAgain(ranking, rates, { now: poll * 5 * MINUTE, most: 2 });
  }
  expect(ranking?.rates.size).toBe(10);
  expect([...(ranking?.rates.keys() ?? [])].slice(0, 2)).toEqual(['a', 'b']);
});

const [by] = fieldsOf(productOf('metrics', 'edge_applications'), 'requests_by_host');
const OPEN: Column = { dimension: 'other', fields: ['other'], divisor: 1, isRate: false };

/** What rows come to, by dimension, where at most two values have series. */
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

import { describe, expect, test } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import {
  columnOf,
  datasetRows,
  decodeColumns,
  type Row,
  rowsOf,
  rowsOfPiece,
} from '../../../src/exporter/graphql/dataset-rows.ts';
import { fieldsOf } from '../../../src/exporter/graphql/fields.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5, 12, 30);
const WINDOW = { from: NOW - 15 * MINUTE, to: NOW };
const PRODUCT = productOf('metrics', 'edge_applications');

const at = (minute: number) => new Date(WINDOW.from + minute * MINUTE).toISOString().replace('.000Z', 'Z');

function row(minute: number, configurationId: string, requestsTotal: unknown, more: object = {}): Row {
  return { ts: at(minute), configurationId, requestsTotal, ...more };
}

/** Rows with one request in every minute, so that the dataset is known to be complete. */
const BUSY = Array.from({ length: 15 }, (_, minute) => row(minute, 'busy', 100 + minute));

const REQUESTS = columnOf(
  { account: 'a', product: PRODUCT, by: 'configuration', id: 'x', name: 'x' },
  'cdn_requests',
  'total',
  { fields: ['requestsTotal'], unit: 'count' },
  {},
);

function requestsOf(key: string, rows: readonly unknown[], window = WINDOW) {
  const answer = datasetRows(rows, { key: 'configurationId', window, now: NOW });
  const decoded = decodeColumns(answer, key, [REQUESTS], { window, faulty: new Map() });
  const { timestamps, values } = decoded.series.get('total') ?? { timestamps: [], values: [] };
  const buckets = [...timestamps].map((time, index) => [(time - window.from) / MINUTE, values[index]]);
  return { decoded, buckets, rejected: Object.fromEntries(decoded.rejected) };
}

describe('an absent row', () => {
  test('is a zero where the dataset has rows of the same minute and newer ones', () => {
    const { buckets, rejected } = requestsOf('idle', [...BUSY, row(3, 'idle', 7)]);
    // The newest row is from minute 14. Rows less than two minutes older may still arrive.
    const expected = Array.from({ length: 12 }, (_, minute) => [minute, minute === 3 ? 7 : 0]);
    expect(buckets).toEqual(expected);
    expect(rejected).toEqual({});
  });

  test('is missing where the dataset has no row at all of its minute, though it has one of every other', () => {
    const lost = [4, 5, 6];
    const rows = BUSY.filter((_, minute) => !lost.includes(minute));
    const minutes = requestsOf('busy', rows).buckets.map(([minute]) => minute);
    expect(minutes).toEqual([0, 1, 2, 3, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(requestsOf('idle', rows).buckets.map(([minute]) => minute)).toEqual([0, 1, 2, 3, 7, 8, 9, 10, 11]);
  });

  test('is a zero of a dataset that is idle in many minutes', () => {
    const { buckets } = requestsOf(
      'quiet',
      [0, 2, 5, 6, 9, 10, 14].map((minute) => row(minute, 'quiet', 1)),
    );
    expect(buckets.slice(0, 6)).toEqual([
      [0, 1],
      [1, 0],
      [2, 1],
      [3, 0],
      [4, 0],
      [5, 1],
    ]);
  });

  test('is missing where nothing was answered at all', () => {
    expect(requestsOf('idle', []).buckets).toEqual([]);
  });

  test('is missing after the newest row of the dataset, however old that is', () => {
    const { buckets } = requestsOf('idle', BUSY.slice(0, 6));
    expect(buckets.map(([minute]) => minute)).toEqual([0, 1, 2]);
  });

  test.each([
    ['has no time', { configurationId: 'idle', requestsTotal: 3 }],
    ['has a time that is none', { ts: 'yesterday', configurationId: 'idle', requestsTotal: 3 }],
    [
      'lies beside the minutes',
      { ts: at(3).replace(':00Z', ':30Z'), configurationId: 'idle', requestsTotal: 3 },
    ],
  ])('is missing where a row of the same configuration %s', (_, bad) => {
    const { buckets, rejected } = requestsOf('idle', [...BUSY, row(5, 'idle', 1), bad]);
    expect(buckets).toEqual([[5, 1]]);
    expect(Object.values(rejected)).toEqual([1]);
  });

  test.each([
    ['of nobody', { ts: at(3), requestsTotal: 3 }],
    ['that is none', 17],
  ])('is missing for all where there is a row %s', (_, bad) => {
    const { buckets, rejected } = requestsOf('idle', [...BUSY, row(5, 'idle', 1), bad]);
    expect(buckets).toEqual([[5, 1]]);
    expect(Object.values(rejected)).toEqual([1]);
  });

  test.each([null, ''])(
    'is a zero beside rows of nobody (%j) in every minute, which are traffic that has no configuration',
    (nobody) => {
      const ofNobody = BUSY.map((one) => ({ ...one, configurationId: nobody }));
      const { buckets, rejected } = requestsOf('idle', [...BUSY, ...ofNobody, row(5, 'idle', 1)]);
      expect(buckets).toEqual(Array.from({ length: 12 }, (_, minute) => [minute, minute === 5 ? 1 : 0]));
      expect(rejected).toEqual({});
    },
  );

  test('is missing in the minutes of a row that only now and then is of nobody: its configuration may be lost', () => {
    const strays = [3, 7].map((minute) => row(minute, '', 4));
    const { buckets, rejected } = requestsOf('idle', [...BUSY, ...strays]);
    expect(buckets.map(([minute]) => minute)).toEqual([0, 1, 2, 4, 5, 6, 8, 9, 10, 11]);
    expect(rejected).toEqual({ bad_item: 2 });
  });

  test('is missing in all minutes where rows of nobody repeat: several configurations are lost', () => {
    const ofNobody = [...BUSY, ...BUSY].map((one) => ({ ...one, configurationId: null }));
    expect(requestsOf('idle', [...BUSY, ...ofNobody]).buckets).toEqual([]);
  });

  test('is missing where all rows are of nobody, or all of some minutes', () => {
    const ofNobody = BUSY.map((one) => ({ ...one, configurationId: null }));
    expect(requestsOf('busy', ofNobody).buckets).toEqual([]);
    const { buckets } = requestsOf('idle', [...BUSY.filter((_, minute) => minute !== 6), ...ofNobody]);
    expect(buckets.map(([minute]) => minute)).toEqual([0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11]);
  });
});

describe('a row', () => {
  test('that repeats another is refused with it, even where both say the same', () => {
    const { buckets, rejected, decoded } = requestsOf('busy', [
      ...BUSY,
      row(4, 'busy', 104),
      row(6, 'busy', 1),
    ]);
    expect(buckets.map(([minute]) => minute)).toEqual([0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(rejected).toEqual({ duplicate: 4 });
    expect(decoded.valueless?.get('total')).toHaveLength(2);
  });

  test.each([
    ['a number as text', '100', 'bad_value'],
    ['null', null, 'bad_value'],
    ['nothing', undefined, 'bad_value'],
    ['less than nothing', -1, 'negative'],
    ['more than can be counted', 1e300, 'bad_value'],
  ])('whose field is %s has no value, and is no zero', (_, value, reason) => {
    const { buckets, rejected } = requestsOf(
      'busy',
      BUSY.map((one, minute) => (minute === 4 ? row(4, 'busy', value) : one)),
    );
    expect(buckets.map(([minute]) => minute)).not.toContain(4);
    expect(rejected).toEqual({ [reason]: 1 });
  });

  test('of the future is dropped', () => {
    expect(requestsOf('busy', [...BUSY, row(20, 'busy', 1)]).rejected).toEqual({ future: 1 });
  });

  test('at the end of the window is left out, whether or not the platform includes it', () => {
    expect(requestsOf('busy', [...BUSY, row(15, 'busy', 1)]).buckets.at(-1)).toEqual([14, 114]);
  });

  test('may name its configuration by a number, and its time without a zone', () => {
    const given = { ts: at(2).replace('Z', ''), configurationId: 12, requestsTotal: 5 };
    expect(requestsOf('12', [given]).buckets).toContainEqual([2, 5]);
  });
});

test('rows that lie further apart than minutes are no minutes: nothing is made up between them', () => {
  const { buckets } = requestsOf(
    'wide',
    [0, 5, 10, 15, 20].map((minute) => row(minute, 'wide', 50)),
    { from: WINDOW.from, to: NOW + 10 * MINUTE },
  );
  expect(buckets.length).toBeLessThan(6);
});

test.each([[[0, 10]], [[0, 5, 10]], [[0, 7, 14]]])(
  'of few rows, of minutes %j, it is not known that they are minutes: nothing is made up',
  (minutes) => {
    const window = { from: WINDOW.from, to: NOW + 10 * MINUTE };
    const rows = minutes.map((minute) => row(minute, 'few', 60));
    const { buckets } = requestsOf('few', rows, window);
    expect(buckets).toEqual(minutes.map((minute) => [minute, 60]));
    expect(requestsOf('idle', rows).buckets).toEqual([]);
  },
);

test('two rows that are a minute apart show that buckets are minutes', () => {
  const { buckets } = requestsOf('few', [row(3, 'few', 1), row(4, 'few', 1), row(10, 'few', 1)]);
  expect(buckets).toContainEqual([6, 0]);
});

test('a row at the seam of two pieces is taken of the one that it belongs to; no other is lost', () => {
  const seam = WINDOW.from + 5 * MINUTE;
  const bad = { ts: 'yesterday' };
  const later = row(40, 'x', 1);
  const first = [row(0, 'x', 1), row(5, 'x', 2), bad];
  const second = [row(4, 'x', 3), row(5, 'x', 2), row(15, 'x', 4), later];
  expect(rowsOfPiece(first, { from: WINDOW.from, to: seam }, WINDOW)).toEqual([row(0, 'x', 1), bad]);
  expect(rowsOfPiece(second, { from: seam, to: WINDOW.to }, WINDOW)).toEqual(second.slice(1));
  expect(rowsOfPiece(second, WINDOW, WINDOW)).toBe(second);
});

describe('an answer', () => {
  test.each([
    [{ data: { workloadMetrics: null } }, 'no list of rows'],
    [{ data: {} }, 'no list of rows'],
    [[], 'no list of rows'],
    ['text', 'no list of rows'],
    [{ data: { workloadMetrics: [] }, errors: [{ message: 'half of it failed' }] }, 'half of it failed'],
    [{ errors: ['plain'] }, 'no message'],
  ])('of %j is none', (body, reason) => {
    expect(() => rowsOf(body, 'workloadMetrics')).toThrow(PlatformFailure);
    expect(() => rowsOf(body, 'workloadMetrics')).toThrow(reason);
  });

  test('without rows has none', () => {
    expect(rowsOf({ data: { workloadMetrics: [] }, errors: [] }, 'workloadMetrics')).toEqual([]);
  });
});

describe('values are in the units of REST, in which the counters are kept', () => {
  const target = { account: 'a', product: PRODUCT, by: 'configuration', id: 'x', name: 'x' } as const;
  const valueIn = (metric: string, dimension: string, fields: object, units = {}) => {
    const found = fieldsOf(PRODUCT, metric)[0]?.dimensions.get(dimension);
    if (found === undefined) throw new Error(`${metric} has no ${dimension}`);
    const column = columnOf(target, metric, dimension, found, units);
    const answer = datasetRows([{ ts: at(1), configurationId: 'x', ...fields }], {
      key: 'configurationId',
      window: WINDOW,
      now: NOW,
    });
    return decodeColumns(answer, 'x', [column], { window: WINDOW, faulty: new Map() }).series.get(dimension)
      ?.values[0];
  };

  test.each([
    ['data_transferred_total', 'total', { dataTransferredTotal: 7_338_000 }, {}, 7.338],
    ['data_transferred_total', 'saved', { savedData: 5e9 }, { data_transferred_total: 'gigabytes' }, 5],
    ['bandwidth', 'total', { bandwidthTotal: 8_000 }, {}, 8_000],
    ['bandwidth', 'total', { bandwidthTotal: 8_000 }, { bandwidth: 'kbps' }, 8],
    ['requests_offloaded', 'offload', { requestsOffloaded: 74.5 }, {}, 74.5],
    ['requests_per_second', 'missed', { missedRequests: 90 }, {}, 1.5],
    ['waf', 'threats', { wafRequestsBlocked: 12, wafRequestsThreat: 3 }, {}, 15],
    ['status_code', '4xx', { requestsStatusCode4xx: 2 }, {}, 2],
  ])('%s %s of %j', (metric, dimension, fields, units, expected) => {
    expect(valueIn(metric, dimension, fields, units)).toBe(expected);
  });
});

describe('rows that are broken down further', () => {
  const [, byStatus] = fieldsOf(PRODUCT, 'upstream_responses');
  const TARGET = { account: 'a', product: PRODUCT, by: 'configuration', id: 'x', name: 'x' } as const;
  const COLUMNS = [...(byStatus?.dimensions ?? [])].map(([dimension, fields]) =>
    columnOf(TARGET, 'upstream_responses', dimension, fields, {}),
  );
  const status = (minute: number, upstreamStatus: unknown, sum: unknown = 1, id: unknown = 'x') => ({
    ts: at(minute),
    configurationId: id,
    upstreamStatus,
    sum,
  });

  function partsOf(rows: readonly unknown[]) {
    const answer = datasetRows(rows, {
      key: 'configurationId',
      split: byStatus?.split,
      window: WINDOW,
      now: NOW,
    });
    const decoded = decodeColumns(answer, 'x', COLUMNS, { window: WINDOW, faulty: new Map() });
    const minutes = new Map<number, Record<string, number>>();
    for (const [dimension, { timestamps, values }] of decoded.series)
      for (const [index, time] of [...timestamps].entries()) {
        const minute = (time - WINDOW.from) / MINUTE;
        const found = minutes.get(minute) ?? {};
        minutes.set(minute, found);
        if (values[index] !== 0) found[dimension] = Number(values[index]);
      }
    return { minutes: Object.fromEntries(minutes), rejected: Object.fromEntries(decoded.rejected) };
  }

  test('are one row of all parts, each of which adds up', () => {
    const rows = [
      ...[status(1, 200, 5), status(1, 201, 2), status(1, 207, 3), status(1, null, 100)],
      ...[status(2, '502, 200', 4), status(2, '502', 1), status(2, '-', 9), status(2, 999, 7)],
      status(3, null, 8),
    ];
    expect(partsOf(rows)).toEqual({
      minutes: { 1: { 200: 5, '2xx': 5 }, 2: { 200: 4, 502: 1, other: 7 }, 3: {} },
      rejected: {},
    });
  });

  test('are refused for a minute in which one is there twice, or of an unknown part', () => {
    const rows = [
      status(1, 200, 5),
      status(1, 200, 5),
      status(2, 200, 5),
      status(2, { a: 1 }, 5),
      status(3, 404, 1),
    ];
    expect(partsOf(rows)).toEqual({ minutes: { 3: { 404: 1 } }, rejected: { duplicate: 2, bad_item: 1 } });
  });

  test('are missing where a part of them has no usable number, with the other parts there', () => {
    const { minutes, rejected } = partsOf([status(1, 200, '5'), status(1, 404, 2), status(2, 200, 1)]);
    expect(minutes).toEqual({ 1: { 404: 2 }, 2: { 200: 1 } });
    expect(rejected).toEqual({ bad_value: 1 });
  });

  test.each([
    ['configuration', { ...status(2, 500), configurationId: undefined }],
    ['time', { ...status(2, 500), ts: 'now' }],
    ['minute', { ...status(2, 500), ts: at(2).replace(':00Z', ':30Z') }],
  ])('are all missing where the %s of a part is not known: it may belong to any of them', (_, stray) => {
    expect(partsOf([status(1, 200, 5), status(2, 200, 5), stray]).minutes).toEqual({});
  });

  test('are missing in the minute of a part that is of nobody, and in no other', () => {
    const rows = [status(1, 200, 5), status(2, 200, 5), status(3, 200, 5), status(2, 500, 1, null)];
    expect(partsOf(rows)).toEqual({ minutes: { 1: { 200: 5 }, 3: { 200: 5 } }, rejected: { bad_item: 1 } });
  });

  test('are there where every minute has parts that are of nobody', () => {
    const rows = [1, 2, 3, 4, 5].flatMap((minute) => [status(minute, 200, 5), status(minute, 500, 1, null)]);
    const minutes = Object.fromEntries([1, 2, 3, 4, 5].map((minute) => [minute, { 200: 5 }]));
    expect(partsOf(rows)).toEqual({ minutes, rejected: {} });
  });
});

describe('values that anybody may send', () => {
  const [byHost] = fieldsOf(PRODUCT, 'requests_by_host');

  function sumsOf(hosts: readonly string[]): Row | undefined {
    const rows = hosts.map((host, index) => ({ ts: at(1), configurationId: 'x', host, sum: 10 ** index }));
    const answer = datasetRows(rows, {
      key: 'configurationId',
      split: byHost?.split,
      window: WINDOW,
      now: NOW,
    });
    return answer.byKey.get('x')?.rows[0];
  }

  test('are one where their labels are: cut, or not a character', () => {
    const long = 'x'.repeat(199);
    expect(sumsOf([`${long}\u{1F600}`, `${long}\u{1F300}`])).toMatchObject({ [`${long}\uFFFD`]: 11 });
    expect(sumsOf(['\uD800', '\uD801', '\u{1F600}'])).toMatchObject({ '\uFFFD': 11, '\u{1F600}': 100 });
  });

  test('are among the others where every object has something of that name', () => {
    const names = ['__proto__', 'constructor', 'toJSON', 'hasOwnProperty', 'a.example'];
    expect(sumsOf(names)).toMatchObject({ other: 1_111, 'a.example': 10_000 });
  });
});

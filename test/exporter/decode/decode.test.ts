import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { percentagesOf } from '../../../src/exporter/catalogue/catalogue.ts';
import {
  type AskedSeries,
  type Decoded,
  decodeSeries,
  mergeDecoded,
} from '../../../src/exporter/decode/decode.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2024, 0, 1, 12);
const NOW = T0 + 60 * MINUTE;
const ASKED: AskedSeries = { metric: 'requests', id: '7' };
const ROWS = [
  [T0, 1],
  [T0 + MINUTE, 2],
  [T0 + 2 * MINUTE, 0.0],
];

function decode(body: unknown, asked: AskedSeries = ASKED): Decoded {
  return decodeSeries(body, asked, NOW);
}

function seriesOf({ series }: Decoded) {
  const pairs = [...series].map(([dimension, { timestamps, values }]) => [
    dimension,
    [...timestamps].map((time, index) => [(time - T0) / MINUTE, values[index]]),
  ]);
  return Object.fromEntries(pairs);
}

function rejections(rows: readonly unknown[]) {
  return Object.fromEntries(decode({ total: rows }).rejected);
}

function failure(body: unknown, asked: AskedSeries = ASKED): PlatformFailure {
  try {
    decode(body, asked);
  } catch (error) {
    if (error instanceof PlatformFailure) return error;
    throw error;
  }
  throw new Error('decoded');
}

describe('timestamps that are not quite on the minute', () => {
  it('are those of the minute, up to half a second', () => {
    const offs = [500, -500, 137];
    const answer = decode({
      total: ROWS.map(([time = 0, value], index) => [time + (offs[index] ?? 0), value]),
    });
    expect(seriesOf(answer)).toEqual(seriesOf(decode({ total: ROWS })));
    expect(answer.rejected.size).toBe(0);
  });

  it('are of others beyond that, and rows of one minute contradict each other', () => {
    const beside = decode({ total: [...ROWS, [T0 + 4 * MINUTE + 501, 4]] });
    expect([...(beside.series.get('total')?.timestamps ?? [])].at(-1)).toBe(T0 + 4 * MINUTE + 501);
    expect(decode({ total: [...ROWS, [T0 + 400, 4]] }).rejected.get('duplicate')).toBe(2);
  });
});

describe('an answer of very many dimensions', () => {
  const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`d${index}`, ROWS]));

  it('is taken up to a limit, and those beyond are counted', () => {
    const { series, rejected } = decode(many);
    expect([...series.keys()]).toEqual(Object.keys(many).slice(0, 1_000));
    expect(rejected).toEqual(new Map([['over_limit', 500]]));
  });

  it('has the one that was asked for, wherever it stands', () => {
    const { series, rejected } = decode(many, { ...ASKED, dimension: 'd1400' });
    expect([...series.keys()]).toEqual(['d1400']);
    expect(rejected.size).toBe(0);
  });
});

describe('the shapes of an answer', () => {
  const decoded = [
    [0, 1],
    [1, 2],
    [2, 0],
  ];

  it.each([
    ['a bare series', ROWS, { '': decoded }],
    ['dimensions', { total: ROWS, http: [] }, { total: decoded, http: [] }],
    ['a dimension that is null', { total: ROWS, http: null }, { total: decoded, http: [] }],
    ['a metric with dimensions', { requests: { total: ROWS } }, { total: decoded }],
    ['a metric without dimensions', { requests: ROWS }, { '': decoded }],
    [
      'a configuration by id',
      { configurations: { 7: { requests: { total: ROWS } }, 8: {} } },
      { total: decoded },
    ],
    ['a product by id', { products: { 7: { requests: { total: ROWS } } } }, { total: decoded }],
    ['a bare series below an id', { products: { 7: { requests: ROWS } } }, { '': decoded }],
    ['dimensions below an id', { products: { 7: { total: ROWS } } }, { total: decoded }],
    ['one point alone', [T0, 5], { '': [[0, 5]] }],
  ])('may be %s, also below results or alone in an array', (_, body, series) => {
    expect(seriesOf(decode(body))).toEqual(series);
    expect(seriesOf(decode({ results: body, schema_version: 3 }))).toEqual(series);
    if (!Array.isArray(body)) expect(seriesOf(decode({ results: [body] }))).toEqual(series);
  });

  it.each([
    ['null', null],
    ['[]', []],
    ['{}', {}],
    ['results: null', { results: null, total_pages: 0 }],
    ['results: []', { results: [] }],
    ['no configurations', { configurations: {} }],
    ['an empty configuration', { configurations: { 7: {} } }],
    ['a metric that is null', { products: { 7: { requests: null } } }],
  ])('may be empty: %s', (_, body) => {
    expect(decode(body)).toEqual({ series: new Map(), width: undefined, rejected: new Map(), rows: 0 });
  });

  it('name the series of a dimension read after the dimension, and leave others out', () => {
    const asked = { ...ASKED, dimension: 'http' };
    expect(seriesOf(decode(ROWS, asked))).toEqual({ http: decoded });
    expect(seriesOf(decode({ requests: { http: ROWS, total: ROWS } }, asked))).toEqual({ http: decoded });
  });

  it.each([
    ['a string', 'oops', 'a string where series of requests were expected'],
    ['a number', 12, 'a number where'],
    ['an error', { detail: 'internal' }, 'no series of requests in "detail"'],
    ['another configuration', { configurations: { 9: { requests: { total: ROWS } } } }, '"9", not about 7'],
    ['another metric', { products: { 7: { waf: { xss: ROWS } } } }, 'no series of requests in "waf"'],
    ['ids in an array', { configurations: [1, 2] }, 'an array below configurations'],
    ['an id that is a string', { configurations: { 7: 'oops' } }, 'a string where'],
    ['too deep', { a: { b: { c: { d: ROWS } } } }, 'no series of requests in "a"'],
  ])('are refused with a reason when they are %s', (_, body, reason) => {
    expect(failure(body).outcome).toBe('undecodable');
    expect(failure(body).message).toContain(reason);
  });

  it('are refused when a dimension read brings another dimension', () => {
    const asked = { ...ASKED, dimension: 'http' };
    expect(failure({ requests: { https: ROWS } }, asked).message).toContain('no dimension http');
  });

  it('give a short reason however long the keys are', () => {
    const keys = Array.from({ length: 1000 }, (_, index) => [`${index}${'x'.repeat(10_000)}`, 'oops']);
    expect(failure(Object.fromEntries(keys)).message.length).toBeLessThan(300);
  });

  it('let the other dimensions live when one is no series', () => {
    const answer = decode({ total: ROWS, http: 'oops', https: { '0': 1 }, '': ROWS });
    expect(seriesOf(answer)).toEqual({ total: decoded });
    expect(Object.fromEntries(answer.rejected)).toEqual({ not_a_series: 3 });
  });

  it('may hold the names of prototypes without harm', () => {
    const rows = JSON.stringify(ROWS);
    const answer = decode(JSON.parse(`{"__proto__": ${rows}, "constructor": ${rows}, "total": ${rows}}`));
    expect([...answer.series.keys()]).toEqual(['__proto__', 'constructor', 'total']);
    expect(Object.hasOwn(Object.prototype, '0')).toBe(false);
    expect(failure(JSON.parse(`{"products": {"__proto__": {"requests": ${rows}}}}`)).outcome).toBe(
      'undecodable',
    );
    const asked = { metric: 'constructor', id: 'toString' };
    expect(seriesOf(decode({ total: ROWS }, asked))).toEqual({ total: decoded });
  });
});

describe('the fate of a row', () => {
  it.each([
    ['not_a_pair', [5, null, 'x', {}, [], [T0], [T0, 1, 2], [[T0, 1]]]],
    [
      'bad_timestamp',
      [
        [null, 1],
        [`${T0}`, 1],
        [0, 1],
        [-T0, 1],
        [Number.POSITIVE_INFINITY, 1],
      ],
    ],
    [
      'bad_value',
      [null, '3', {}, [], true, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e21].map((value) => [
        T0,
        value,
      ]),
    ],
    ['negative', [[T0, -1]]],
    ['seconds', [[T0 / 1000, 1]]],
    [
      'future',
      [
        [NOW + MINUTE + 1, 1],
        [T0 * 1000, 1],
      ],
    ],
  ])('is to be dropped and counted as %s', (reason, rows) => {
    const bad = rows.length === 1 && Array.isArray(rows[0]) ? [...rows, ...rows] : rows;
    const answer = decode({ total: [...ROWS, ...bad] });
    expect(seriesOf(answer)).toEqual(seriesOf(decode({ total: ROWS })));
    expect(Object.fromEntries(answer.rejected)).toEqual({ [reason]: bad.length });
    expect(answer.rows).toBe(ROWS.length + bad.length);
  });

  it('is to be dropped where it is a share above 100 percent', () => {
    const rows = [
      [T0, 100],
      [T0 + MINUTE, 100.000001],
      [T0 + 2 * MINUTE, 101],
    ];
    const asked = { ...ASKED, isPercent: percentagesOf('data_offloaded') };
    const answer = decode({ offload: rows, total: rows }, asked);
    expect(answer.series.get('offload')?.values).toHaveLength(2);
    expect(answer.series.get('total')?.values).toHaveLength(3);
    expect(Object.fromEntries(answer.rejected)).toEqual({ bad_value: 1 });
    // The dimension is also known if the answer does not contain it, or if the read requests only this
    // dimension.
    expect(decode(rows, asked).rejected.get('bad_value')).toBe(1);
    expect(decode(rows, { ...asked, dimension: 'offload' }).rejected.get('bad_value')).toBe(1);
    expect(decode(rows, { ...asked, dimension: 'total' }).rejected.size).toBe(0);
  });

  it('is to be kept when its bucket begins within a minute from now', () => {
    expect(rejections([[NOW + MINUTE, 1]])).toEqual({});
  });

  it('is to be put in order', () => {
    expect(seriesOf(decode([...ROWS].reverse()))).toEqual(seriesOf(decode(ROWS)));
    expect(rejections([...ROWS].reverse())).toEqual({});
  });

  it('is to be one with its like, and silently so', () => {
    const answer = decode([...ROWS, ...ROWS]);
    expect(seriesOf(answer)).toEqual(seriesOf(decode(ROWS)));
    expect(answer.rejected.size).toBe(0);
  });

  it('is to be dropped with all others of its bucket where they differ, since nobody knows which is right', () => {
    const answer = decode({ total: [[T0 + MINUTE, 9], ...ROWS, [T0, 1], [T0 + MINUTE, 2]] });
    expect(seriesOf(answer)).toEqual({
      total: [
        [0, 1],
        [2, 0],
      ],
    });
    expect(Object.fromEntries(answer.rejected)).toEqual({ duplicate: 3 });
  });

  it('is not to be replaced by one without a usable value', () => {
    const answer = decode({ total: [...ROWS, [T0, null]] });
    expect(seriesOf(answer)).toEqual({
      total: [
        [0, 1],
        [1, 2],
        [2, 0],
      ],
    });
    expect(Object.fromEntries(answer.rejected)).toEqual({ bad_value: 1 });
  });
});

describe('recorded and documented payloads', () => {
  const HALF_A_DAY = 12 * 60 * MINUTE;

  it.each([
    ['analytics_aggregate_metric_dimension', '1441740010'],
    ['analytics_configuration_metric_dimension', '1453750337'],
  ])('%s decodes', (name, id) => {
    const body = JSON.parse(readFileSync(new URL(`../../payloads/${name}.json`, import.meta.url), 'utf8'));
    const answer = decode(body, { metric: 'data_transferred', id });
    const total = answer.series.get('total');
    expect([...answer.series.keys()]).toEqual(['total']);
    expect(answer.rows).toBe(62);
    expect(Number(total?.timestamps[1]) - Number(total?.timestamps[0])).toBe(HALF_A_DAY);
    expect(answer.rejected.size).toBe(0);
    expect([total?.timestamps[0], total?.timestamps.at(-1)]).toEqual([1475290800000, 1477926000000]);
    expect(total?.values).toEqual(new Float64Array(62));
  });
});

describe('mergeDecoded', () => {
  it('makes one answer of the reads of single dimensions', () => {
    const answers = [
      decode(ROWS, { ...ASKED, dimension: 'http' }),
      decode([...ROWS, 'junk'], { ...ASKED, dimension: 'https' }),
      decode([], { ...ASKED, dimension: 'saved' }),
    ];
    const merged = mergeDecoded(answers);
    expect(seriesOf(merged)).toEqual(seriesOf(decode({ http: ROWS, https: ROWS })));
    expect(merged.rows).toBe(7);
    expect(Object.fromEntries(merged.rejected)).toEqual({ not_a_pair: 1 });
  });
});

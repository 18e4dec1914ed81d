import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, NOON, startBench } from '../client.ts';
import { documentOf, type Row, rowsOf } from './ask.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BEGIN = NOON - 20_000 - 34 * MINUTE - HOUR;

describe('the arguments of a dataset', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench({ graphqlRateLimit: 10_000 });
  });
  afterAll(() => bench.close());

  const rows = (parameters: string, fields: string, filter = '') =>
    rowsOf(
      bench,
      `{ workloadMetrics(${parameters} filter: {tsRange: {begin: "2026-11-20T11:00", end: "2026-11-20T11:05"} ${filter}}) { ${fields} } }`,
    );
  const times = (all: readonly Row[]) => [...new Set(all.map(({ ts }) => ts))];
  const window = (begin: number, end: number) => rowsOf(bench, documentOf({ begin, end, groupBy: ['ts'] }));

  it('limit cuts silently, at ten rows where nothing is said', async () => {
    expect(await rows('groupBy: [ts, status, host]', 'ts')).toHaveLength(10);
    expect(await rows('limit: 3 groupBy: [ts, status, host]', 'ts')).toHaveLength(3);
    expect(await rows('limit: 0 groupBy: [ts]', 'ts')).toEqual([]);
  });

  it('offset pages through the same rows', async () => {
    const whole = await rows('limit: 100 groupBy: [ts, status]', 'ts status requestsTotal');
    const pages = await Promise.all(
      [0, 20, 40, 60, 80].map((offset) =>
        rows(`limit: 20 offset: ${offset} groupBy: [ts, status]`, 'ts status requestsTotal'),
      ),
    );
    expect(pages.flat()).toEqual(whole);
    expect(whole.length).toBeGreaterThan(40);
  });

  it('orderBy orders by time, by dimensions and by what was counted, either way', async () => {
    const order = async (by: string, field: string) =>
      (await rows(`limit: 1000 groupBy: [ts, status] orderBy: [${by}]`, 'ts status requestsTotal')).map(
        (row) => row[field],
      );
    const ascending = (values: readonly (string | number | null | undefined)[]) =>
      values.every((value, index) => index === 0 || Number(values[index - 1]) <= Number(value));
    expect(ascending(await order('status_ASC', 'status'))).toBe(true);
    expect(ascending((await order('requestsTotal_DESC, ts_ASC', 'requestsTotal')).reverse())).toBe(true);
    expect((await order('ts_DESC', 'ts'))[0]).toBe('2026-11-20T11:04:00Z');
    expect(times(await rows('limit: 1000 groupBy: [ts]', 'ts'))).toEqual(
      [0, 1, 2, 3, 4].map((minute) => `2026-11-20T11:0${minute}:00Z`),
    );
  });

  it('groupBy nothing brings one row, and the rate over the whole window', async () => {
    const [total] = await rows('', 'requestsTotal requestsTotalPerSecond');
    expect(Number(total?.['requestsTotalPerSecond'])).toBeCloseTo(Number(total?.['requestsTotal']) / 300, 9);
    expect(await rows('', 'requestsTotal', 'hostEq: "nobody"')).toEqual([]);
  });

  const statuses = async (filter: string) =>
    (await rows('limit: 1000 groupBy: [status] orderBy: [status_ASC]', 'status', filter)).map(
      ({ status }) => status,
    );
  const ALL = [200, 202, 204, 206, 301, 302, 304, 307, 400, 403, 404, 429, 500, 502, 503, 504];
  const FILTERS: readonly (readonly [filter: string, holds: (status: number) => boolean])[] = [
    ['statusEq: 404', (status) => status === 404],
    ['statusNe: 404', (status) => status !== 404],
    ['statusIn: [200, 404]', (status) => [200, 404].includes(status)],
    ['statusNotIn: [200, 404]', (status) => ![200, 404].includes(status)],
    ['statusLt: 300', (status) => status < 300],
    ['statusLte: 301', (status) => status <= 301],
    ['statusGt: 403', (status) => status > 403],
    ['statusGte: 403', (status) => status >= 403],
    ['statusRange: {begin: 301, end: 403}', (status) => status >= 301 && status <= 403],
    ['statusGte: 300, statusLt: 400', (status) => status >= 300 && status < 400],
    ['and: {statusGte: 300, statusLt: 400}', (status) => status >= 300 && status < 400],
    ['and: [{statusGte: 300}, {statusLt: 400}]', (status) => status >= 300 && status < 400],
    ['or: [{statusEq: 200}, {statusGte: 500}]', (status) => status === 200 || status >= 500],
    ['or: {statusEq: 200, statusGte: 500}', (status) => status === 200 || status >= 500],
    ['not: {statusGte: 300, statusLt: 400}', (status) => status < 300 || status >= 400],
    ['statusIsNull: true', () => false],
    ['statusIsNull: false', () => true],
  ];

  it.each(FILTERS)('filter {%s} lets through what it says', async (filter, holds) => {
    expect(await statuses(filter)).toEqual((await statuses('')).filter((status) => holds(Number(status))));
    expect(ALL).toEqual(expect.arrayContaining(await statuses('')));
  });

  it('filters text by patterns, and knows what is null', async () => {
    const hosts = async (filter: string) =>
      (await rows('limit: 1000 groupBy: [host]', 'host', filter)).map(({ host }) => String(host));
    const all = await hosts('');
    expect(await hosts('hostLike: "www.%"')).toEqual(all.filter((host) => host.startsWith('www.')));
    expect(await hosts('hostLike: "WWW.%"')).toEqual([]);
    expect(await hosts('hostIlike: "WWW_.%"')).toEqual(all.filter((host) => /^www.\./.test(host)));
    expect(await hosts('hostLike: "www"')).toEqual([]);
    const upstream = async (filter: string) =>
      (await rows('limit: 1000 groupBy: [upstreamStatus]', 'upstreamStatus', filter)).map(
        (row) => row['upstreamStatus'],
      );
    expect(await upstream('upstreamStatusIsNull: true')).toEqual([null]);
    expect(await upstream('upstreamStatusNe: 200')).not.toContain(null);
    expect(await upstream('upstreamStatusIsNull: false')).toEqual(
      (await upstream('')).filter((status) => status !== null),
    );
  });

  it('takes the time by tsRange or by tsGt and tsLt, UTC where no zone is said', async () => {
    const by = async (filter: string) =>
      times(await rowsOf(bench, `{ workloadMetrics(limit: 100 groupBy: [ts] filter: {${filter}}) { ts } }`));
    const three = ['2026-11-20T11:00:00Z', '2026-11-20T11:01:00Z', '2026-11-20T11:02:00Z'];
    expect(await by('tsRange: {begin: "2026-11-20T11:00", end: "2026-11-20T11:03"}')).toEqual(three);
    expect(
      await by('tsRange: {begin: "2026-11-20T08:00:00-03:00", end: "2026-11-20T08:03:00-0300"}'),
    ).toEqual(three);
    expect(await by('tsGte: "2026-11-20T11:00:00Z", tsLt: "2026-11-20T11:03:00Z"')).toEqual(three);
    expect(await by('tsGt: "2026-11-20 11:00", tsLte: "2026-11-20 11:02"')).toEqual(three.slice(1));
    expect(
      await by('and: [{tsGte: "2026-11-20T11:00"}, {tsLt: "2026-11-20T11:03"}], tsLt: "2026-11-20T11:02"'),
    ).toEqual(three.slice(0, 2));
  });

  it('leaves the end of a range out, or not, as it is set', async () => {
    const { settings } = bench.sandbox;
    expect(await window(BEGIN, BEGIN + 2 * MINUTE)).toHaveLength(2);
    settings.graphqlWindowEnd = 'included';
    expect(await window(BEGIN, BEGIN + 2 * MINUTE)).toHaveLength(3);
    settings.graphqlWindowEnd = 'excluded';
  });

  it.each([
    [48 * HOUR, MINUTE],
    [60 * HOUR, HOUR],
    [59 * DAY, HOUR],
    [61 * DAY, DAY],
  ])('answers a window of %i ms in buckets of %i ms', async (length, width) => {
    const end = Math.floor(NOON / DAY) * DAY;
    const query = documentOf({ begin: end - length, end, groupBy: ['ts'], filter: 'hostLike: "www.shop.%"' });
    const [first, second] = times(await rowsOf(bench, query));
    expect(Date.parse(String(second)) - Date.parse(String(first))).toBe(width);
    expect(Date.parse(String(first))).toBe(end - length);
  });

  it('answers a reversed window, one of the future and one beyond retention with no rows', async () => {
    expect(await window(BEGIN + MINUTE, BEGIN)).toEqual([]);
    expect(await window(NOON + HOUR, NOON + 2 * HOUR)).toEqual([]);
    expect(await window(NOON - 1000 * DAY, NOON - 900 * DAY)).toEqual([]);
  });

  it('has no row of a bucket that has not begun', async () => {
    const all = times(await window(NOON - 20_000 - 2 * MINUTE, NOON + HOUR));
    expect(all.at(-1)).toBe('2026-11-20T12:34:00Z');
  });
});

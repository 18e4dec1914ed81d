import fc from 'fast-check';
import { expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { type GraphqlSeries, GraphqlSource } from '../../../src/exporter/graphql/graphql-source.ts';
import { groupsOf } from '../../../src/exporter/graphql/question-groups.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5, 12, 30);
const product = productOf('metrics', 'edge_applications');
const never = new AbortController().signal;

/** Returns rows as the platform sends them. */
type Rows = (id: string, time: number) => readonly object[];

const REQUESTS = {
  requestsTotal: 2,
  httpRequestsTotal: 1,
  httpsRequestsTotal: 1,
  savedRequests: 1,
  missedRequests: 1,
};
const oneRow: Rows = () => [REQUESTS];

interface Bed {
  readonly count: number;
  readonly metrics?: readonly string[];
  readonly rows?: Rows;
  readonly mostBytes?: number;
  /** Returns true for a question that the platform refuses. */
  readonly refuses?: (query: string) => boolean;
}

function bed({ count, metrics = ['requests'], rows = oneRow, mostBytes = 8_388_608, refuses }: Bed) {
  const moment = { now: NOW };
  const source = new GraphqlSource({
    platformClock: new PlatformClock(() => moment.now),
    units: {},
    mostBytes,
  });
  const series = Array.from({ length: count }, (_, index) => String(index)).flatMap((id) =>
    metrics.map(
      (metric): GraphqlSeries => ({
        id: `${id}/${metric}`,
        target: { account: 'acme', product, by: 'configuration', id, name: id },
        metric,
        wants: () => true,
        schedule: '* * * * *',
        counterNames: () => [],
      }),
    ),
  );
  const asked: string[] = [];
  const read: Read = async (resource) => {
    const { query, variables } = JSON.parse(resource().question ?? '');
    if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    asked.push(query);
    if (refuses?.(query) === true) throw new PlatformFailure('not_acceptable', 'bad request', 400);
    const ids: string[] = JSON.parse(/In: (\[.*?\])/.exec(query)?.[1] ?? 'null') ?? [
      ...new Set(series.map(({ target }) => target.id)),
    ];
    const found: object[] = [];
    for (let time = Date.parse(variables.begin); time <= Date.parse(variables.end); time += MINUTE)
      for (const configurationId of ids)
        for (const row of rows(configurationId, time))
          found.push({ ts: new Date(time).toISOString(), configurationId, ...row });
    const limit = Number(/limit: (\d+)/.exec(query)?.[1]);
    return { body: { data: { workloadMetrics: found.slice(0, limit) } }, bytes: 0 };
  };
  const questions = source.source();
  const poll = async (minutes = 15) => {
    asked.length = 0;
    const window = (now: number) => ({ from: now - minutes * MINUTE, to: now });
    return questions.read({ series, window, isPast: false }, read, never);
  };
  return { moment, source, series, questions, asked, poll };
}

it.each([
  ['one answer', { count: 40 }, 15, 1],
  ['answers cut in time by their size in bytes', { count: 40, mostBytes: 40_000 }, 30, 4],
  [
    'answers that were cut, since nothing is known of the rows',
    { count: 40, metrics: ['requests_by_host'] },
    60,
    2,
  ],
] as const)('brings every row once, in %s', async (_, given, minutes, least) => {
  const hosts: Rows = () => Array.from({ length: 9 }, (_one, index) => ({ host: `h${index}`, sum: 1 }));
  const { poll, asked, questions, series } = bed({ ...given, ...('metrics' in given && { rows: hosts }) });
  const { answers, rejected, notice } = await poll(minutes);
  expect(notice).toBeUndefined();
  expect(asked.length).toBeGreaterThanOrEqual(least);
  expect([...rejected]).toEqual([]);
  expect(answers).toHaveLength(40);
  for (const [, { decoded, window }] of answers) {
    expect((window.to - window.from) / MINUTE).toBe(minutes);
    const [points] = decoded.series.values();
    expect(points?.timestamps).toHaveLength(minutes);
    expect(new Set(points?.timestamps).size).toBe(minutes);
  }
  // The cost of the next read is known, and no question is split further.
  const first = asked.length;
  await poll(minutes);
  expect(asked.length).toBeLessThanOrEqual(first);
  for (let again = 0; again < 8; again += 1) await poll(minutes);
  expect(Math.round(questions.cost(series))).toBe(Math.ceil((asked.length * 15) / minutes));
});

it('reads one metric and the next of a configuration in one operation', async () => {
  const rows: Rows = () => [
    { requestsTotal: 2, wafRequestsBlocked: 1, wafRequestsAllowed: 1, wafRequestsThreat: 0 },
  ];
  const { poll, asked, series } = bed({ count: 3, metrics: ['requests', 'waf'], rows });
  const { answers } = await poll();
  expect(asked).toHaveLength(1);
  expect(answers.map(([one]) => one)).toEqual(series);
  const blocked = answers[1]?.[1].decoded.series.get('blocked');
  expect([...(blocked?.values ?? [])]).toEqual(Array(15).fill(1));
});

it('leaves out one configuration while it has too many rows in a minute, and says so', async () => {
  const attack = { is: true };
  const rows: Rows = (id) =>
    Array.from({ length: attack.is && id === '7' ? 12_000 : 2 }, (_, index) => ({
      host: `h${index}`,
      sum: 1,
    }));
  const { poll, asked, moment } = bed({ count: 40, metrics: ['requests_by_host'], rows });
  const first = await poll();
  expect(first.notice).toContain('configuration 7 has more rows in a minute');
  expect(first.answers).toHaveLength(40);
  for (const [{ target }, { decoded }] of first.answers) {
    const isCrowded = target.id === '7';
    expect([...decoded.series.values()][0]?.timestamps).toHaveLength(isCrowded ? 0 : 15);
    expect([...decoded.rejected]).toEqual(isCrowded ? [['over_limit', 1]] : []);
  }
  expect(asked.length).toBeLessThan(30);
  moment.now += 9 * MINUTE;
  expect((await poll()).answers).toHaveLength(40);
  expect(asked.length).toBeLessThan(3);
  attack.is = false;
  moment.now += 2 * MINUTE;
  const second = await poll();
  expect([second.answers.length, second.notice]).toEqual([40, undefined]);
  expect(second.answers[7]?.[1].decoded.rows).toBeGreaterThan(0);
});

it('finds a field that is refused in unknown words by asking for halves, and reads the others', async () => {
  const { poll, asked } = bed({ count: 1, refuses: (query) => query.includes('savedRequests') });
  const { notice, answers } = await poll();
  expect(notice).toBe(
    "the account's workloadMetrics does not have savedRequests: what comes of it is left out",
  );
  expect(asked.length).toBeLessThanOrEqual(8);
  expect([...(answers[0]?.[1].decoded.series.keys() ?? [])]).not.toContain('saved');
  await poll();
  expect(asked).toHaveLength(1);
});

it('fails with not_found if the account has none of the fields, and asks for nothing then', async () => {
  const { poll, asked } = bed({ count: 1, metrics: ['requests_by_host'], refuses: () => false });
  expect((await poll()).answers).toHaveLength(1);
  const without = bed({ count: 1, metrics: ['hits'] });
  await expect(without.poll()).rejects.toMatchObject({ outcome: 'not_found' });
  expect([asked.length, without.asked.length]).toEqual([1, 0]);
});

it('chooses the window when its first operation leaves', async () => {
  const { questions, series, moment } = bed({ count: 1 });
  const read: Read = async (resource) => {
    moment.now = NOW + 10 * MINUTE;
    const { variables, query } = JSON.parse(resource().question ?? '');
    if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    expect(variables.end).toBe(new Date(NOW + 10 * MINUTE).toISOString().replace('.000Z', 'Z'));
    return { body: { data: { workloadMetrics: [] } }, bytes: 0 };
  };
  const window = (now: number) => ({ from: now - 15 * MINUTE, to: now });
  const { answers } = await questions.read({ series, window, isPast: false }, read, never);
  expect(answers[0]?.[1].window.to).toBe(NOW + 10 * MINUTE);
});

it('groups series by what one answer may hold: all series once, few fields, few rows', () => {
  const need = fc.record({
    kind: fc.constantFrom('a', 'b'),
    metric: fc.constantFrom('m0', 'm1', 'm2', 'm3'),
    key: fc.integer({ min: 0, max: 3_000 }).map(String),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(need, { selector: (one) => Object.values(one).join(), maxLength: 3_000 }),
      fc.integer({ min: 1, max: 30 }),
      (given, perKey) => {
        const fieldsOf = (metric: string) => Array.from({ length: 14 }, (_, index) => `${metric}-${index}`);
        const needOf = (one: (typeof given)[number]) => ({ ...one, fields: fieldsOf(one.metric), perKey });
        const groups = groupsOf(given, needOf, () => 10_000);
        expect(new Set(groups.flatMap(({ series }) => series))).toEqual(new Set(given));
        expect(groups.reduce((sum, { series }) => sum + series.length, 0)).toBe(given.length);
        expect(new Set(groups.map(({ id }) => id)).size).toBe(groups.length);
        for (const { series } of groups) {
          expect(new Set(series.map(({ kind }) => kind)).size).toBe(1);
          expect(new Set(series.flatMap(({ metric }) => fieldsOf(metric))).size).toBeLessThanOrEqual(35);
          const keys = new Set(series.map(({ key }) => key)).size;
          expect(keys).toBeLessThanOrEqual(Math.min(500, Math.max(25, 10_000 / (15 * perKey))));
        }
      },
    ),
    { numRuns: 30 },
  );
});

it('asks by name for every configuration of a group, however many the account has', () => {
  const { source, series } = bed({ count: 1_100 });
  for (const group of source.groups(series)) {
    expect(group.series.length).toBeLessThanOrEqual(500);
    expect(group.series.length).toBeGreaterThanOrEqual(100);
  }
});

it('changes one group alone when a configuration is added', () => {
  const { source, series } = bed({ count: 1_100 });
  const before = source.groups(series.slice(0, -1));
  const after = source.groups(series);
  const differ = after.filter((group, index) => group.series.length !== before[index]?.series.length);
  expect(differ).toHaveLength(1);
});

it('learns how dense rows are from reads of the whole group, not from one configuration', async () => {
  const dense: Rows = (id) =>
    Array.from({ length: id === '0' ? 50 : 1 }, (_, index) => ({ host: `h${index}`, sum: 1 }));
  const { poll, questions, series, asked, moment } = bed({
    count: 200,
    metrics: ['requests_by_host'],
    rows: dense,
  });
  for (let again = 0; again < 30; again += 1) await poll();
  const usual = asked.length;
  const [first] = series;
  const window = () => ({ from: moment.now - 15 * MINUTE, to: moment.now });
  const read: Read = async (resource) => {
    const { query, variables } = JSON.parse(resource().question ?? '');
    const rows: object[] = [];
    for (let time = Date.parse(variables.begin); time < Date.parse(variables.end); time += MINUTE)
      for (const row of dense('0', time))
        rows.push({ ts: new Date(time).toISOString(), configurationId: '0', ...row });
    return { body: { data: { workloadMetrics: query.includes('__schema') ? [] : rows } }, bytes: 0 };
  };
  if (first === undefined) throw new Error('there are series');
  await questions.read({ series: [first], window, isPast: true }, read, never);
  await poll();
  expect(asked.length).toBeLessThanOrEqual(usual);
});

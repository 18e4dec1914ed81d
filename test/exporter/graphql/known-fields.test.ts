import { expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { type GraphqlSeries, GraphqlSource } from '../../../src/exporter/graphql/graphql-source.ts';
import { KnownFields } from '../../../src/exporter/graphql/known-fields.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';

const HOUR = 3_600_000;
const DATASET = 'workloadMetrics';
const SCHEMA = {
  queryType: { fields: [{ name: DATASET, type: { ofType: { name: 'Row' } } }] },
  types: [{ name: 'Row', fields: [{ name: 'requestsTotal' }, { name: 'bytesSent' }] }],
};
const never = new AbortController().signal;
const answered: Read = async () => ({ body: { data: { __schema: SCHEMA } }, bytes: 0 });

function known(answer: Read = answered) {
  const state = { now: 0, asked: 0 };
  const fields = new KnownFields(() => state.now);
  const ask = () =>
    fields.ask((...args) => {
      state.asked += 1;
      return answer(...args);
    }, never);
  return { state, fields, ask };
}

it('asks once a day, and tells what there is', async () => {
  const { state, fields, ask } = known();
  await Promise.all([ask(), ask()]);
  await ask();
  expect([fields.lacksDataset(DATASET), fields.lacks(DATASET, 'bytesSent')]).toEqual([false, false]);
  state.now = 23 * HOUR;
  await ask();
  expect(state.asked).toBe(1);
  state.now = 25 * HOUR;
  await ask();
  expect(state.asked).toBe(2);
  expect([fields.lacksDataset('dnsMetrics'), fields.lacks(DATASET, 'other')]).toEqual([true, true]);
});

it('asks again each hour while the endpoint does not say, and takes nothing for missing', async () => {
  const { state, fields, ask } = known(() => Promise.reject(new PlatformFailure('server_error', 'no', 503)));
  for (state.now = 0; state.now < 6 * HOUR; state.now += HOUR / 60) await ask();
  expect(state.asked).toBe(6);
  expect(fields.lacks(DATASET, 'anything')).toBe(false);
});

it('forgets refusals when it asks again an hour later, but not those that come meanwhile', async () => {
  const { state, fields, ask } = known(async () => {
    if (state.asked > 1) fields.lack(DATASET, ['requestsTotal']);
    return { body: { data: { __schema: SCHEMA } }, bytes: 0 };
  });
  await ask();
  fields.lack(DATASET, ['bytesSent']);
  expect(fields.lacks(DATASET, 'bytesSent')).toBe(true);
  state.now += HOUR + 1;
  await ask();
  expect(['bytesSent', 'requestsTotal'].map((field) => fields.lacks(DATASET, field))).toEqual([false, true]);
});

function sourceOf(metric: string, now: () => number, read: Read, wants: GraphqlSeries['wants'] = () => true) {
  const source = new GraphqlSource({
    platformClock: new PlatformClock(now),
    units: {},
    mostBytes: 1_000_000,
  });
  const product = productOf('metrics', 'edge_applications');
  const target = { account: 'acme', product, by: 'product', id: '', name: '' } as const;
  const series = { id: '1', target, metric, wants, schedule: '* * * * *', counterNames: () => [] };
  const questions = source.source();
  const window = () => ({ from: now() - 600_000, to: now() });
  return { poll: () => questions.read({ series: [series], window, isPast: false }, read, never) };
}

it('asks again each hour for a dataset that the account lacked, and reads it when it is there', async () => {
  let now = 0;
  let served = ['dnsMetrics'];
  let asked = 0;
  const { poll } = sourceOf(
    'requests',
    () => now,
    async (resource) => {
      const { query } = JSON.parse(resource().question ?? '');
      if (!query.includes('__schema')) return { body: { data: { [DATASET]: [] } }, bytes: 0 };
      asked += 1;
      const fields = served.map((name) => ({ name, type: { name: 'Row' } }));
      return { body: { data: { __schema: { ...SCHEMA, queryType: { fields } } } }, bytes: 0 };
    },
    (dimension) => dimension === 'total',
  );
  for (; now < 6 * HOUR; now += HOUR / 60)
    await expect(poll()).rejects.toMatchObject({ outcome: 'not_found' });
  expect(asked).toBe(6);
  served = [DATASET];
  now += HOUR;
  expect((await poll()).answers).toHaveLength(1);
  for (; now < 20 * HOUR; now += HOUR) await poll();
  expect(asked).toBe(7);
});

it('leaves out only the part of a metric whose measure is refused, and does not ask for it again', async () => {
  const now = Date.UTC(2026, 0, 5, 12, 30);
  const upstream: boolean[] = [];
  const read: Read = async (resource) => {
    const { query } = JSON.parse(resource().question ?? '');
    if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'it does not say', 400);
    const isRefused = query.includes('upstreamResponseTime');
    upstream.push(isRefused);
    if (isRefused)
      throw new PlatformFailure('not_acceptable', 'cannot sum upstreamResponseTime of requests', 400);
    const ts = new Date(now - 300_000).toISOString();
    return { body: { data: { [DATASET]: [{ ts, upstreamStatus: 200, sum: 5 }] } }, bytes: 0 };
  };
  const { poll } = sourceOf('upstream_responses', () => now, read);
  const first = await poll();
  expect(first.notice).toContain('does not have upstreamResponseTime');
  expect(first.answers[0]?.[1].decoded.rows).toBe(1);
  const second = await poll();
  expect(second.answers[0]?.[1].decoded.rows).toBe(1);
  expect(upstream.filter((isRefused) => isRefused)).toHaveLength(1);
});

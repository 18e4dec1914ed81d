import { expect, it, vi } from 'vitest';
import { PRODUCTS, productOf } from '../../../src/exporter/catalogue/products.ts';
import { GraphqlSource } from '../../../src/exporter/graphql/graphql-source.ts';
import { KnownFields } from '../../../src/exporter/graphql/known-fields.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import type { State } from '../../../src/exporter/state/state.ts';
import type { Target } from '../../../src/exporter/targets/target.ts';

const HOUR = 3_600_000;
const DATASET = 'workloadMetrics';
const SCHEMA = {
  queryType: { fields: [{ name: DATASET, type: { ofType: { name: 'Row' } } }] },
  types: [{ name: 'Row', fields: [{ name: 'requestsTotal' }, { name: 'bytesSent' }] }],
};
const never = new AbortController().signal;

/** A process that has asked what there is; `store` is what the account does now and then. */
async function started(state: State, now: number, address = 'https://api.example.net') {
  let operations = 0;
  const read: Read = async () => {
    operations += 1;
    return { body: { data: { __schema: SCHEMA } }, bytes: 0 };
  };
  const memory = new AccountMemory(state);
  const fields = new KnownFields({ name: 'acme', address }, memory, () => now);
  await fields.ask(read, never);
  await fields.ask(read, never);
  const { part } = fields;
  const store = () => state.commit([{ key: part.key, value: part.store(memory.of(part)) }]);
  return { fields, store, operations: () => operations };
}

it('asks once, and a restart within a day keeps the answer and the refusals since', async () => {
  const state = memoryState();
  const first = await started(state, 0);
  const refusal = new PlatformFailure('not_acceptable', 'no field bytesSent', 400);
  expect(first.fields.refused(DATASET, ['requestsTotal', 'bytesSent'], refusal)).toEqual(['bytesSent']);
  expect(first.operations()).toBe(1);
  await first.store();

  const again = await started(state, 23 * HOUR);
  expect(again.operations()).toBe(0);
  const { fields } = again;
  expect([fields.lacksDataset(DATASET), fields.lacksDataset('dnsMetrics')]).toEqual([false, true]);
  const lacked = ['requestsTotal', 'bytesSent', 'other'].filter((field) => fields.lacks(DATASET, field));
  expect(lacked).toEqual(['bytesSent', 'other']);
});

it('asks anew a day later, since platforms gain fields, and where the account is at another address', async () => {
  const state = memoryState();
  await (await started(state, 0)).store();
  expect((await started(state, 25 * HOUR)).operations()).toBe(1);
  expect((await started(state, HOUR, 'https://other.example.net')).operations()).toBe(1);
});

it('asks again where the endpoint could not say, and not where it refuses to', async () => {
  const answers = [503, 429, undefined, 400];
  let operations = 0;
  const read: Read = async () => {
    throw new PlatformFailure('server_error', 'it does not say', answers[operations++]);
  };
  const fields = new KnownFields({ name: 'acme', address: '' }, new AccountMemory(memoryState()), () => 0);
  for (let time = 0; time < 6; time += 1) await fields.ask(read, never);
  expect(operations).toBe(4);
  expect(fields.lacks(DATASET, 'anything')).toBe(false);
});

/** A source whose endpoint serves the datasets that are named at the time. */
function sourceOf(state: State, served: () => readonly string[], now: () => number) {
  let schemaQuestions = 0;
  const read: Read = async (resource) => {
    const { query } = JSON.parse(resource().question ?? '');
    if (!query.includes('__schema')) {
      if (!served().includes(DATASET)) throw new PlatformFailure('not_acceptable', 'no such dataset', 400);
      return { body: { data: { [DATASET]: [] } }, bytes: 0 };
    }
    schemaQuestions += 1;
    const fields = served().map((name) => ({ name, type: { name: 'Row' } }));
    return { body: { data: { __schema: { ...SCHEMA, queryType: { fields } } } }, bytes: 0 };
  };
  const memory = new AccountMemory(state);
  const account = { name: 'acme', address: 'https://api.example.net' };
  const source = new GraphqlSource({
    account,
    memory,
    platformClock: new PlatformClock(now),
    units: {},
    mostBytes: 1_000_000,
  });
  const product = PRODUCTS.find(({ api, slug }) => api === 'metrics' && slug === 'edge_applications');
  if (product === undefined) throw new Error('there is no such product');
  const target: Target = { account: 'acme', product, by: 'product', id: '', name: '' };
  const series = {
    id: '1',
    target,
    metric: 'requests',
    wants: (dimension: string) => dimension === 'total',
    schedule: '* * * * *',
    counterNames: () => [],
  };
  const questions = source.source();
  questions.assign(source.members([series]));
  const poll = async () => {
    const window = () => ({ from: now() - 600_000, to: now() });
    return questions.read({ series: [series], window, isPast: false }, read, never).then(
      () => 'read',
      (failure: unknown) => (failure instanceof PlatformFailure ? failure.outcome : failure),
    );
  };
  const [part] = source.parts;
  const store = () => state.commit([{ key: part.key, value: part.store(memory.of(part)) }]);
  return { poll, store, schemaQuestions: () => schemaQuestions };
}

it('after a restart with another token whoever would go without something waits for the answer', async () => {
  const state = memoryState();
  const before = sourceOf(
    state,
    () => ['dnsMetrics'],
    () => 0,
  );
  await before.poll();
  await before.store();
  const fields = new KnownFields(
    { name: 'acme', address: 'https://api.example.net' },
    new AccountMemory(state),
    () => 0,
  );
  expect(fields.lacksDataset(DATASET)).toBe(true);
  let answer: () => void = () => undefined;
  const held: Read = () =>
    new Promise((resolve) => {
      answer = () => resolve({ body: { data: { __schema: SCHEMA } }, bytes: 0 });
    });
  const order: string[] = [];
  const both = ['first', 'second'].map((name) => fields.ask(held, never).then(() => order.push(name)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(order).toEqual([]);
  answer();
  await Promise.all(both);
});

it('asks again a quarter of an hour later, and then half as often each time, for what the account lacked, and reads what it has gained', async () => {
  let now = 0;
  let served = ['dnsMetrics'];
  const { poll, schemaQuestions } = sourceOf(
    memoryState(),
    () => served,
    () => now,
  );
  expect([await poll(), await poll()]).toEqual(['not_found', 'not_found']);
  // A platform that is renewed may lack it for a minute.
  const asked: number[] = [];
  for (let minute = 1; minute <= 24 * 60; minute += 1) {
    now += HOUR / 60;
    const before = schemaQuestions();
    expect(await poll()).toBe('not_found');
    if (schemaQuestions() > before) asked.push(minute);
  }
  expect(asked).toEqual([16, 47, 108, 229, 470, 951]);
  served = [DATASET];
  now += 23 * HOUR;
  expect(await poll()).toBe('read');
  // What is there is asked for once a day.
  const questions = schemaQuestions();
  now += 23 * HOUR;
  expect(await poll()).toBe('read');
  expect(schemaQuestions()).toBe(questions);
});

it('reads a field again that was refused for a minute, within a quarter of an hour', async () => {
  let now = 0;
  const fields = new KnownFields({ name: 'acme', address: '' }, new AccountMemory(memoryState()), () => now);
  const read: Read = async () => ({ body: { data: { __schema: SCHEMA } }, bytes: 0 });
  await fields.ask(read, never);
  now = 12 * HOUR;
  fields.refused(DATASET, ['bytesSent'], new PlatformFailure('not_acceptable', 'no field bytesSent', 400));
  const lacks: boolean[] = [];
  for (const minutes of [1, 14, 16]) {
    now = 12 * HOUR + (minutes * HOUR) / 60;
    await fields.ask(read, never);
    lacks.push(fields.lacks(DATASET, 'bytesSent'));
  }
  expect(lacks).toEqual([true, true, true]);
  now += 1;
  await fields.ask(read, never);
  expect(fields.lacks(DATASET, 'bytesSent')).toBe(false);
});

it('asks again after a restart where something that is wanted was lacking: the token may be another', async () => {
  const state = memoryState();
  let served = ['dnsMetrics'];
  const start = () =>
    sourceOf(
      state,
      () => served,
      () => HOUR,
    );
  const first = start();
  expect(await first.poll()).toBe('not_found');
  await first.store();

  served = [DATASET];
  const again = start();
  // Those that fall due together wait for the one that asks.
  expect(await Promise.all([again.poll(), again.poll()])).toEqual(['read', 'read']);
  expect(again.schemaQuestions()).toBe(1);
  await again.store();

  const third = start();
  expect(await third.poll()).toBe('read');
  expect(third.schemaQuestions()).toBe(0);
});

it('forgets refusals when it asks again a day later, but not those that come meanwhile', async () => {
  let now = 0;
  const fields = new KnownFields({ name: 'acme', address: '' }, new AccountMemory(memoryState()), () => now);
  const refuse = (field: string) =>
    fields.refused(DATASET, [field], new PlatformFailure('not_acceptable', `no field ${field}`, 400));
  await fields.ask(async () => ({ body: { data: { __schema: SCHEMA } }, bytes: 0 }), never);
  refuse('bytesSent');
  expect(fields.lacks(DATASET, 'bytesSent')).toBe(true);
  now += 25 * HOUR;
  const read: Read = async () => {
    refuse('requestsTotal');
    return { body: { data: { __schema: SCHEMA } }, bytes: 0 };
  };
  await fields.ask(read, never);
  expect(fields.lacks(DATASET, 'bytesSent')).toBe(false);
  expect(fields.lacks(DATASET, 'requestsTotal')).toBe(true);
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
  const source = new GraphqlSource({
    account: { name: 'acme', address: '' },
    memory: new AccountMemory(memoryState()),
    platformClock: new PlatformClock(() => now),
    units: {},
    mostBytes: 1_000_000,
  });
  const product = PRODUCTS.find(({ api, slug }) => api === 'metrics' && slug === 'edge_applications');
  if (product === undefined) throw new Error('there is no such product');
  const target: Target = { account: 'acme', product, by: 'product', id: '', name: '' };
  const series = {
    id: '1',
    target,
    metric: 'upstream_responses',
    wants: () => true,
    schedule: '* * * * *',
    counterNames: () => [],
  };
  const questions = source.source();
  questions.assign(source.members([series]));
  const window = () => ({ from: now - 600_000, to: now });
  const first = await questions.read({ series: [series], window, isPast: false }, read, never);
  expect(first.notice).toContain('does not have upstreamResponseTime');
  expect(first.answers[0]?.[1].decoded.rows).toBe(1);
  const second = await questions.read({ series: [series], window, isPast: false }, read, never);
  expect(second.answers[0]?.[1].decoded.rows).toBe(1);
  expect(upstream.filter((isRefused) => isRefused)).toHaveLength(1);
});

it('is looked up once for all targets of which the same is asked, not for each of their fields', () => {
  const state = memoryState();
  const gets = vi.spyOn(state, 'get');
  const memory = new AccountMemory(state);
  const lookUps = vi.spyOn(memory, 'of');
  const source = new GraphqlSource({
    account: { name: 'acme', address: '' },
    memory,
    platformClock: new PlatformClock(() => 0),
    units: {},
    mostBytes: 1_000_000,
  });
  const product = productOf('metrics', 'edge_applications');
  const series = Array.from({ length: 1_000 }, (_, index) => ({
    id: String(index),
    target: { account: 'acme', product, by: 'configuration', id: `${index}`, name: `site ${index}` } as const,
    metric: 'status_code',
    wants: () => true,
    schedule: '* * * * *',
    counterNames: () => [],
  }));
  const questions = source.source();
  questions.assign(source.members(series));
  for (const one of series)
    for (const code of ['200', '404', '500']) expect(questions.answers(one, code)).toBe(true);
  expect(lookUps.mock.calls.length).toBeLessThan(4 * series.length);
  expect(gets.mock.calls.length).toBeLessThan(5);
});

const WAF = [
  'wafRequestsThreat',
  'wafRequestsXssAttacks',
  'wafRequestsRfiAttacks',
  'wafRequestsOthersAttacks',
];

it.each([
  [
    'Cannot query field "wafRequestsOthersAttacks" on type "WorkloadMetrics". Did you mean "wafRequestsXssAttacks", "wafRequestsRfiAttacks" or "wafRequestsThreat"?',
    ['wafRequestsOthersAttacks'],
  ],
  [
    "Unknown field 'wafRequestsThreat'. Available fields: wafRequestsXssAttacks, wafRequestsRfiAttacks",
    ['wafRequestsThreat'],
  ],
  [
    'Cannot query field "wafRequestsThreat" on type "T".; Cannot query field "wafRequestsXssAttacks" on type "T".',
    ['wafRequestsThreat', 'wafRequestsXssAttacks'],
  ],
  ['invalid query: wafRequestsThreat wafRequestsXssAttacks', []],
  ['wafRequestsThreat is fine', []],
  ['invalid request: field wafRequestsThreat cannot be sorted', []],
  ['cannot group by wafRequestsThreat', []],
  ['a limit was exceeded', []],
])('takes for missing only what a message names as unknown: %s', async (message, expected) => {
  const { fields } = await started(memoryState(), 0);
  const refusal = new PlatformFailure('not_acceptable', message, 400);
  expect(fields.refused(DATASET, WAF, refusal)).toEqual(expected);
});

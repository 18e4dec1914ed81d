import { setMaxListeners } from 'node:events';
import { expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { fieldsOf } from '../../../src/exporter/graphql/fields.ts';
import { KnownFields } from '../../../src/exporter/graphql/known-fields.ts';
import { RowsMemory, rowsLearned } from '../../../src/exporter/graphql/rows-learned.ts';
import {
  type SharedAnswer,
  SharedReads,
  type SharedReadsOptions,
} from '../../../src/exporter/graphql/shared-reads.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';
import { runInSlices } from '../../../src/exporter/slices.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY, type StateKey } from '../../../src/exporter/state/state.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 5, 12, 30);
const ACCOUNT = { name: 'acme', address: '' };
const NEED = { key: 'x', fields: ['requestsTotal'] };
const take = (answer: SharedAnswer) => answer;

/** How an answer about origins' responses is put together again. */
const [, BY_STATUS] = fieldsOf(productOf('metrics', 'edge_applications'), 'upstream_responses');

const forgetful = () => new AccountMemory(NO_MEMORY);

function readsOf(
  mostBytes: number,
  rows = new RowsMemory(ACCOUNT, forgetful()),
  { summed, split }: Pick<SharedReadsOptions, 'summed' | 'split'> = { summed: undefined },
  platformClock = new PlatformClock(() => NOW),
): SharedReads {
  return new SharedReads({
    dataset: 'workloadMetrics',
    key: 'configurationId',
    summed,
    split,
    schema: new KnownFields(ACCOUNT, forgetful(), () => NOW),
    learned: { of: () => rows.of('workloads'), learn: (after) => rows.learn('workloads', after) },
    platformClock,
    mostBytes,
  });
}

/** What so many readers want, each of a key of its own. */
function joinedBy(reads: SharedReads, count: number) {
  const needs = Array.from({ length: count }, (_, index) => ({ ...NEED, key: String(index) }));
  for (const need of needs) reads.join(need);
  return needs;
}

/** A signal that never aborts. */
function manyListen(): AbortSignal {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return signal;
}

/** A minute of each key that is asked for, and of each minute. */
function rowsAsked(question: string | undefined): { readonly body: unknown; readonly bytes: number } {
  const { query, variables } = JSON.parse(question ?? '');
  if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
  const ids: string[] = JSON.parse(/In: (\[.*?\])/.exec(query)?.[1] ?? '["x"]');
  const rows: object[] = [];
  for (let time = Date.parse(variables.begin); time < Date.parse(variables.end); time += MINUTE)
    for (const configurationId of ids)
      rows.push({ ts: new Date(time).toISOString(), configurationId, requestsTotal: 1 });
  return { body: { data: { workloadMetrics: rows } }, bytes: 0 };
}

it('counts a row once where the platform includes the end of each window that is asked for', async () => {
  let operations = 0;
  const read: Read = async (resource) => {
    const { query, variables } = JSON.parse(resource().question ?? '');
    if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    operations += 1;
    const rows: object[] = [];
    for (let time = Date.parse(variables.begin); time <= Date.parse(variables.end); time += MINUTE)
      rows.push({ ts: new Date(time).toISOString(), configurationId: 'x', requestsTotal: 1 });
    return { body: { data: { workloadMetrics: rows } }, bytes: 0 };
  };
  const reads = readsOf(1_300);
  reads.join(NEED);
  const window = { from: NOW - 30 * MINUTE, to: NOW };
  const never = new AbortController().signal;
  const { rows } = await reads.read({ ...NEED, window: () => window, take }, read, never);
  expect(operations).toBeGreaterThan(2);
  const found = rows.byKey.get('x');
  expect(Object.fromEntries(found?.rejected ?? [])).toEqual({});
  expect(found?.rows.filter((row) => row !== undefined)).toHaveLength(30);
});

it('asks once for readers that fall due together, however busy the process is meanwhile', async () => {
  const reads = readsOf(8_388_608);
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const never = manyListen();
  let operations = 0;
  const read: Read = async (resource) => {
    const answer = rowsAsked(resource().question);
    operations += 1;
    return answer;
  };
  const answers: Promise<SharedAnswer>[] = [];
  // A step takes all the time that slices have in a turn of the event loop.
  function* onePerTurn(count: number, step: () => void): Generator<undefined, void> {
    for (let taken = 0; taken < count; taken += 1) {
      step();
      for (const end = performance.now() + 3; performance.now() < end; );
      yield;
    }
  }
  const fallDue = () => {
    answers.push(reads.read({ ...NEED, window: () => window, take }, read, never));
  };
  const others = Array.from({ length: 6 }, () => runInSlices(onePerTurn(10, () => undefined)));
  await Promise.all([...others, runInSlices(onePerTurn(5, fallDue))]);
  await Promise.all(answers);
  expect(operations).toBe(1);
});

it('costs what all of its readers share, also where one of them was read before the others came', async () => {
  const read: Read = async (resource) => {
    if (resource().question?.includes('__schema') === true)
      throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    return { body: { data: { workloadMetrics: [] } }, bytes: 0 };
  };
  const reads = readsOf(8_388_608);
  reads.join(NEED);
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const never = new AbortController().signal;
  await reads.read({ ...NEED, window: () => window, take }, read, never);
  expect(reads.cost()).toBe(1);
  for (let reader = 0; reader < 9; reader += 1) reads.join(NEED);
  expect(10 * reads.cost()).toBe(1);
});

it('serves those whose rows have come before the others are read, and ends the poll of whoever led last', async () => {
  const reads = readsOf(40_000);
  const needs = joinedBy(reads, 120);
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const never = manyListen();
  let operations = 0;
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const read: Read = async (resource) => {
    const answer = rowsAsked(resource().question);
    operations += 1;
    if (operations === 3) await held;
    return answer;
  };
  const served: string[] = [];
  const polls = needs.map(({ key, fields }) =>
    reads
      .read({ key, fields, window: () => window, take: ({ rows }) => rows.byKey.size }, read, never)
      .then((keys) => {
        expect(keys).toBeLessThan(needs.length / 2);
        served.push(key);
      }),
  );
  const early = polls[1];
  await early;
  expect(served).not.toContain('0');
  expect(served.length).toBeLessThan(needs.length);
  go();
  await Promise.all(polls);
  expect(served.at(-1)).toBe('0');
  expect(new Set(served).size).toBe(needs.length);
});

it('asks for some of many configurations at a time, each for a window of its own time, and who comes meanwhile goes last', async () => {
  let now = NOW;
  const reads = readsOf(80_000, undefined, undefined, new PlatformClock(() => now));
  const needs = Array.from({ length: 1_200 }, (_, index) => ({
    key: String(index),
    fields: ['requestsTotal'],
  }));
  for (const need of needs) reads.join(need);
  const never = manyListen();
  const asked: boolean[] = [];
  const ages: number[] = [];
  const poll = (need: (typeof needs)[number]) =>
    reads.read(
      { ...need, window: (at) => ({ from: at - 10 * MINUTE, to: at }), take: (answer) => answer },
      read,
      never,
    );
  let late: Promise<unknown> | undefined;
  const read: Read = async (resource) => {
    const answer = rowsAsked(resource().question);
    now += MINUTE;
    asked.push(resource().question?.includes('late') === true);
    if (asked.length === 2) late = poll({ key: 'late', fields: ['requestsTotal'] });
    return answer;
  };
  await Promise.all(
    needs.map(async (need) => {
      const answer = await poll(need);
      ages.push((answer.now - answer.window.to) / MINUTE);
    }),
  );
  await late;
  expect(asked.length).toBeGreaterThan(20);
  expect(ages).toHaveLength(needs.length);
  // Of its own turn, which takes about eight operations.
  expect(Math.max(...ages)).toBeLessThan(12);
  expect(asked.filter((isLate) => isLate)).toHaveLength(1);
  expect(asked.indexOf(true)).toBeGreaterThan(16);
  // Each costs its share of the operations that all took, once about two rounds have shown it.
  for (let round = 0; round < 2; round += 1) await Promise.all(needs.map(poll));
  asked.length = 0;
  await Promise.all(needs.map(poll));
  const planned = needs.length * reads.cost();
  expect(planned / asked.length).toBeGreaterThan(0.95);
  expect(planned / asked.length).toBeLessThan(1.05);
});

it('brings fresh time while a read of the past still waits for its turn', async () => {
  const reads = readsOf(8_388_608);
  const never = manyListen();
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const asked = { ...NEED, window: () => window, take: () => 'read' };
  let hasLed = false;
  const notYetDue: Read = (resource) => {
    // Whether its endpoint says what there is.
    if (!hasLed) {
      hasLed = true;
      return Promise.resolve(resource()).then(({ question }) => rowsAsked(question));
    }
    return new Promise(() => undefined);
  };
  void reads.read({ ...asked, isPast: true }, notYetDue, never);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const read: Read = async (resource) => rowsAsked(resource().question);
  const waited = new Promise((resolve) => setTimeout(() => resolve('waited'), 1_000));
  expect(await Promise.race([reads.read(asked, read, never), waited])).toBe('read');
});

it('calls an operation off once nobody waits for it any more, and not before', async () => {
  const reads = readsOf(8_388_608);
  let called: AbortSignal | undefined;
  const read: Read = (_, signal) => {
    called = signal;
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const readers = [new AbortController(), new AbortController()];
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const ends = readers.map(({ signal }) =>
    reads.read({ ...NEED, window: () => window, take }, read, signal).catch(() => 'called off'),
  );
  while (called === undefined) await new Promise((resolve) => setImmediate(resolve));
  readers[0]?.abort();
  expect(called.aborted).toBe(false);
  readers[1]?.abort();
  expect(called.aborted).toBe(true);
  expect(await Promise.all(ends)).toEqual(['called off', 'called off']);
});

it('calls operations off also where some were served, once nobody else waits', async () => {
  const reads = readsOf(40_000);
  const needs = joinedBy(reads, 120);
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const unserved = new Map(needs.map(({ key }) => [key, new AbortController()]));
  const hanging: AbortSignal[] = [];
  let operations = 0;
  const read: Read = async (resource, signal) => {
    const answer = rowsAsked(resource().question);
    operations += 1;
    if (operations < 3) return answer;
    hanging.push(signal);
    return new Promise(() => undefined);
  };
  const ends = [...unserved].map(([key, { signal }]) =>
    reads
      .read({ key, fields: NEED.fields, window: () => window, take }, read, signal)
      .then(() => unserved.delete(key))
      .catch(() => 'called off'),
  );
  await ends[1];
  expect(hanging.map(({ aborted }) => aborted)).toContain(false);
  for (const one of unserved.values()) one.abort();
  expect(await Promise.all(ends)).toContain('called off');
  expect(hanging.map(({ aborted }) => aborted)).not.toContain(false);
});

it('knows after a restart how many rows there are', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => String(index));
  const window = { from: NOW - 20 * MINUTE, to: NOW };
  const never = manyListen();
  let operations = 0;
  const read: Read = async (resource) => {
    const { body, bytes } = rowsAsked(resource().question);
    operations += 1;
    const { data } = body as { readonly data: { readonly workloadMetrics: readonly object[] } };
    const some = data.workloadMetrics.filter((_, index) => index % 10 === 0);
    return { body: { data: { workloadMetrics: some } }, bytes };
  };
  const readAll = async (reads: SharedReads) => {
    operations = 0;
    const needs = ids.map((key) => ({ key, fields: ['requestsTotal'] }));
    for (const need of needs) reads.join(need);
    await Promise.all(needs.map((need) => reads.read({ ...need, window: () => window, take }, read, never)));
    return operations;
  };
  const rows = new RowsMemory(ACCOUNT, forgetful());
  const before = readsOf(40_000, rows);
  for (let reading = 0; reading < 30; reading += 1) await readAll(before);
  const { part } = rows;
  const kept = part.store(new Map([['workloads', rows.of('workloads')]]));
  const get = (key: StateKey) => (key.join() === part.key.join() ? kept : undefined);
  const state = { kind: 'memory', get } as const;
  const after = readsOf(40_000, new RowsMemory(ACCOUNT, new AccountMemory(state)));
  expect(await readAll(after)).toBe(1);
  expect(await readAll(readsOf(40_000))).toBeGreaterThan(2);
  // A few that have none say little of all others.
  const quiet = { cells: 20, rows: 0, operations: 1, readers: 1 };
  const known = rowsLearned(rows.of('workloads'), [quiet], {
    readers: ids.length,
    keys: ids.length,
    parts: 1,
    limit: 300,
  });
  expect(known.perKey).toBeGreaterThan(0.8 * rows.of('workloads').perKey);
});

it('brings each status of a gap once, where there are more rows than an answer holds and nothing is known of them', async () => {
  const codes = [200, 204, 206, 301, 304, 403, 404, 500, 502];
  const most = 10_000;
  const read: Read = async (resource) => {
    const { query, variables } = JSON.parse(resource().question ?? '');
    if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    const ids: string[] = JSON.parse(/In: (\[.*?\])/.exec(query)?.[1] ?? '[]');
    const limit = Number(/limit: (\d+)/.exec(query)?.[1]);
    expect(limit).toBeLessThanOrEqual(most);
    const rows: object[] = [];
    for (let time = Date.parse(variables.begin); time < Date.parse(variables.end); time += MINUTE)
      for (const configurationId of ids)
        for (const upstreamStatus of codes)
          rows.push({ ts: new Date(time).toISOString(), configurationId, upstreamStatus, sum: 1 });
    return { body: { data: { workloadMetrics: rows.slice(0, limit) } }, bytes: 0 };
  };
  const reads = readsOf(64 * 2 ** 20, undefined, { summed: 'requests', split: BY_STATUS?.split });
  const window = { from: NOW - 60 * MINUTE, to: NOW };
  const never = manyListen();
  const needs = Array.from({ length: 40 }, (_, index) => ({ key: String(index), fields: ['sum'] }));
  for (const need of needs) reads.join(need);
  expect(needs.length * 60 * codes.length).toBeGreaterThan(2 * most);
  const answers = await Promise.all(
    needs.map((need) => reads.read({ ...need, window: () => window, take }, read, never)),
  );
  for (const [index, { rows }] of answers.entries()) {
    const mine = rows.byKey.get(String(index));
    expect(mine?.times).toHaveLength(60);
    for (const row of mine?.rows ?? [])
      expect(codes.map((code) => row?.[`${code}`])).toEqual(codes.map(() => 1));
  }
  // Known now, so that nothing is cut again: a reader costs no more than its share of as many operations.
  expect(needs.length * reads.cost()).toBeGreaterThan(2);
});

/** Hosts of each configuration and minute that are asked for, as many as the question takes. */
function hostRows(
  query: string,
  { begin, end }: Readonly<Record<'begin' | 'end', string>>,
  hostsOf: (id: string) => number,
): object[] {
  const ids: string[] = JSON.parse(/In: (\[.*?\])/.exec(query)?.[1] ?? '[]');
  const rows: object[] = [];
  for (let time = Date.parse(begin); time < Date.parse(end); time += MINUTE)
    for (const configurationId of ids)
      for (let host = 0; host < hostsOf(configurationId); host += 1)
        rows.push({ ts: new Date(time).toISOString(), configurationId, host: `h${host}`, sum: 1 });
  return rows.slice(0, Number(/limit: (\d+)/.exec(query)?.[1]));
}

it('takes one configuration with too many rows in a minute from nobody else, and asks for it once an hour', async () => {
  const [byHost] = fieldsOf(productOf('metrics', 'edge_applications'), 'requests_by_host');
  const learned = new RowsMemory(ACCOUNT, forgetful());
  let operations = 0;
  let passed = 0;
  let attacked = true;
  let usual = 2;
  const read: Read = async (resource) => {
    const { query, variables } = JSON.parse(resource().question ?? '');
    if (query.includes('__schema')) throw new PlatformFailure('not_acceptable', 'nothing is said of it', 400);
    operations += 1;
    const hostsOf = (id: string) => (attacked && id === '7' ? 12_000 : usual);
    const rows = hostRows(query, variables, hostsOf);
    return { body: { data: { workloadMetrics: rows } }, bytes: 0 };
  };
  const reads = readsOf(
    8_388_608,
    learned,
    { summed: 'requests', split: byHost?.split },
    new PlatformClock(() => NOW + passed),
  );
  const needs = Array.from({ length: 40 }, (_, index) => ({ key: String(index), fields: ['sum'] }));
  for (const need of needs) reads.join(need);
  const never = manyListen();
  const window = { from: NOW - 15 * MINUTE, to: NOW };
  const poll = async () => {
    operations = 0;
    const answers = await Promise.allSettled(
      needs.map(({ key, fields }) =>
        reads.read(
          { key, fields, window: () => window, take: ({ rows }) => rows.byKey.get(key)?.times.length },
          read,
          never,
        ),
      ),
    );
    const failed = answers.flatMap((one, index) => (one.status === 'rejected' ? [index] : []));
    const minutes = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(minutes).toEqual(minutes.map(() => 15));
    return { operations, failed };
  };
  const first = await poll();
  expect(first.failed).toEqual([7]);
  expect(first.operations).toBeLessThan(30);
  expect(await poll()).toEqual({ operations: 1, failed: [7] });
  attacked = false;
  passed = 61 * MINUTE;
  expect(await poll()).toEqual({ operations: 1, failed: [] });
  // It is searched for once, however many operations all need.
  usual = 100;
  const { operations: all } = await poll();
  attacked = true;
  const again = await poll();
  expect(again.failed).toEqual([7]);
  expect(again.operations).toBeLessThan(2 * all);
  // After a restart it is still known.
  const { part } = learned;
  expect(part.open(structuredClone(part.store(new Map([['workloads', learned.of('workloads')]]))))).toEqual(
    new Map([['workloads', learned.of('workloads')]]),
  );
});

it('finds a field that is refused in words that it does not know by asking for halves', async () => {
  const fields = [
    'requestsTotal',
    'savedRequests',
    'missedRequests',
    'httpRequestsTotal',
    'httpsRequestsTotal',
  ];
  let operations = 0;
  const read: Read = async (resource) => {
    const { question } = resource();
    if (question?.includes('__schema') !== true) operations += 1;
    if (question?.includes('savedRequests')) throw new PlatformFailure('not_acceptable', 'bad request', 400);
    return rowsAsked(question);
  };
  const reads = readsOf(8_388_608);
  const need = { key: 'x', fields };
  reads.join(need);
  const window = { from: NOW - 10 * MINUTE, to: NOW };
  const never = new AbortController().signal;
  const { notice } = await reads.read({ ...need, window: () => window, take }, read, never);
  expect(notice).toBe(
    "the account's workloadMetrics does not have savedRequests: what comes of it is left out",
  );
  expect(operations).toBeLessThanOrEqual(8);
  operations = 0;
  await reads.read({ ...need, window: () => window, take }, read, never);
  expect(operations).toBe(1);
});

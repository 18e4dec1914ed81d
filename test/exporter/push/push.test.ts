import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { unlessAborted } from '../../../src/exporter/clock.ts';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import { Push } from '../../../src/exporter/push/push.ts';
import { reportPush } from '../../../src/exporter/self/push-report.ts';
import { createSelfMetrics, measurePush } from '../../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { type State, type StateEntry, StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { hastyClock, sample } from './outbox-bed.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A receiver of remote write 1.0 that takes everything. */
async function startReceiver() {
  const urls: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    urls.push(request.url);
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { urls, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('goes on a minute after a fault of its own, and counts it', async () => {
  const { origin } = await startReceiver();
  const metrics = createSelfMetrics();
  const observer = reportPush(metrics, SILENT);
  let faults = 1;
  const clock = hastyClock();
  const push = new Push({
    clock,
    state: memoryState(),
    observer: {
      ...observer,
      sent(receiver, samples) {
        if (faults-- > 0) throw new TypeError('a mistake');
        observer.sent(receiver, samples);
      },
    },
  });
  onTestFinished(() => push.stop());
  await push.apply(PUSH.parse([{ name: 'r', kind: 'remote_write', url: `${origin}/write` }]));
  await push.commit({ entries: [], samples: [sample('x', 1)], source: 'job' });
  await expect.poll(() => metrics.pushSent.value('r')).toBe(1);
  expect(metrics.pushDefects.value('r')).toBe(1);
  expect(clock.now()).toBeGreaterThanOrEqual(60_000);
});

it('posts to the whole address, its query included', async () => {
  const { origin, urls } = await startReceiver();
  const metrics = createSelfMetrics();
  const clock = hastyClock();
  const push = new Push({ clock, state: memoryState(), observer: reportPush(metrics, SILENT) });
  onTestFinished(() => push.stop());
  const url = `${origin}/write?api-version=2021-11-01-preview&extra_label=a%3Db`;
  await push.apply(PUSH.parse([{ name: 'r', kind: 'remote_write', url }]));
  await push.commit({ entries: [], samples: [sample('x', 1)], source: 'job' });
  await expect.poll(() => metrics.pushSent.value('r')).toBe(1);
  expect(urls[0]).toBe('/write?api-version=2021-11-01-preview&extra_label=a%3Db');
});

it('counts every kind of loss from 0, so that Prometheus sees the first', async () => {
  const metrics = createSelfMetrics();
  const push = new Push({ clock: hastyClock(), state: memoryState(), observer: reportPush(metrics, SILENT) });
  onTestFinished(() => push.stop());
  await push.apply(PUSH.parse([{ name: 'r', kind: 'otlp', url: 'http://127.0.0.1:9/' }]));
  for (const _ of measurePush(metrics, push.receivers()));
  for (const reason of ['outbox_full', 'outbox_age', 'receiver_removed', 'damaged'] as const)
    expect(metrics.pushDropped.value('r', reason), reason).toBe(0);
  for (const reason of ['too_old', 'out_of_order', 'duplicate', 'too_large', 'invalid'] as const)
    expect(metrics.pushRefused.value('r', reason), reason).toBe(0);
});

/** Pushes to a receiver that never answers, which may be configured under any name. */
function startSilent(state: State) {
  const metrics = createSelfMetrics();
  const push = new Push({
    clock: hastyClock(),
    state,
    observer: reportPush(metrics, SILENT),
    sendTo: (_name, _samples, signal) => unlessAborted(new Promise<never>(() => undefined), signal),
  });
  onTestFinished(() => push.stop());
  return {
    metrics,
    push,
    configure: (...names: string[]) =>
      push.apply(PUSH.parse(names.map((name) => ({ name, kind: 'otlp', url: 'http://127.0.0.1:9/' })))),
    commit: (at: number) => push.commit({ entries: [], samples: [sample('x', at)], source: 'job' }),
  };
}

it('stops to remove what waits for a receiver once that is configured again', async () => {
  const state = memoryState();
  const { metrics, push, configure, commit } = startSilent(state);
  await configure('r');
  for (let at = 1; at <= 1_000; at++) await commit(at);
  await configure();
  // Some of it is removed by then.
  while ((await state.range(['queue'], { limit: 1_000 })).length > 900);
  await configure('r');
  await commit(1_001);
  await expect.poll(() => push.receivers()[0]?.samples).toBeGreaterThan(500);
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  const left = await state.range(['queue'], { limit: 2_000 });
  expect(push.receivers()[0]?.samples).toBe(left.length);
  expect(left.length + (metrics.pushDropped.value('r', 'receiver_removed') ?? 0)).toBe(1_001);
});

it('gives a receiver of another name also what was on its way to disk under the name of before', async () => {
  const memory = memoryState();
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  const { push, configure, commit } = startSilent({
    ...memory,
    async commit(entries) {
      if (entries.some(({ key, value }) => key[0] === 'queue' && value !== undefined)) await passed;
      await memory.commit(entries);
    },
  });
  await configure('r');
  const committed = commit(1);
  await configure('central');
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  pass();
  await committed;
  await expect.poll(() => push.receivers()[0]?.samples).toBe(1);
  const waiting = await memory.range(['queue'], { limit: 2 });
  expect(waiting.map(({ key }) => key[2])).toEqual([expect.stringMatching(/^central /)]);
});

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** A state that commits in turn, as a disk does, and keeps such entries, and all behind them, waiting until it is told to let them pass. */
function holding(memory: State, holds: (entry: StateEntry) => boolean) {
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  let before = Promise.resolve();
  const state: State = {
    ...memory,
    commit(entries) {
      before = before
        .then(() => (entries.some(holds) ? passed : undefined))
        .then(() => memory.commit(entries));
      return before;
    },
  };
  return { state, pass: () => pass() };
}

it.each(['before', 'after'] as const)(
  'keeps what waits for a receiver that has its former name back, and another one %s the disk has moved it',
  async (when) => {
    const { state, pass } = holding(
      memoryState(),
      ({ key, value }) => key[0] === 'queue' && value === undefined,
    );
    const { metrics, push, configure, commit } = startSilent(state);
    await configure('r');
    await commit(1);
    await expect.poll(() => push.receivers()[0]?.samples).toBe(1);
    await configure('renamed');
    await turns(20);
    await configure('r');
    const committed = commit(2);
    if (when === 'after') {
      pass();
      await expect.poll(() => push.receivers()[0]?.samples).toBe(2);
    }
    await configure('renamed once more');
    pass();
    await committed;
    await expect.poll(() => push.receivers()[0]?.samples).toBe(2);
    expect(metrics.pushDropped.value('r', 'receiver_removed')).toBeUndefined();
  },
);

it('renames a receiver once the disk lets it, and calls a disk that does not no fault of its own', async () => {
  const memory = memoryState();
  let refusals = 0;
  const { metrics, push, configure, commit } = startSilent({
    ...memory,
    async commit(entries) {
      const isMoved = entries.some(({ key, value }) => key[2]?.startsWith('central ') && value !== undefined);
      if (isMoved && ++refusals < 5) throw new StateWriteFailure('no space left on device');
      await memory.commit(entries);
    },
  });
  await configure('r');
  for (let at = 1; at <= 250; at++) await commit(at);
  await configure('central');
  await expect.poll(() => push.receivers()[0]?.samples).toBe(250);
  expect(refusals).toBeGreaterThan(5);
  expect(metrics.pushDefects.value('central') ?? 0).toBe(0);
  expect(metrics.pushDropped.value('r', 'receiver_removed')).toBeUndefined();
});

it.each([
  ['one that is removed leaves nothing to the other', ['b'], { b: 3 }, 3],
  ['one that is renamed takes along its own', ['b', 'c'], { b: 3, c: 3 }, undefined],
  ['both that are renamed lose nothing', ['c', 'd'], { c: 6, d: 0 }, undefined],
] as const)('of two receivers at one address %s', async (_what, names, waiting, removed) => {
  const { metrics, push, configure, commit } = startSilent(memoryState());
  await configure('a', 'b');
  await expect.poll(() => push.receivers().map(({ samples }) => samples)).toEqual([0, 0]);
  for (let at = 1; at <= 3; at++) await commit(at);
  await configure(...names);
  const samples = () => Object.fromEntries(push.receivers().map((view) => [view.name, view.samples]));
  await expect.poll(() => samples()).toEqual(waiting);
  await expect.poll(() => metrics.pushDropped.value('a', 'receiver_removed')).toBe(removed);
});

/** Receivers at addresses of their own, each for an account of its own. */
const receiversAt = (...names: readonly string[]) =>
  PUSH.parse(
    names.map((name, n) => ({ name, kind: 'otlp', url: `http://127.0.0.1:9/${n}`, accounts: [`${n}`] })),
  );

describe.each(['in one reload', 'in a restart', 'in a reload that is killed'])('%s', (when) => {
  it.each([
    ['two receivers that exchange their names', ['b', 'a', 'c']],
    ['three receivers whose names go round', ['b', 'c', 'a']],
    ['a receiver that leaves its name to another', ['new', 'a', 'c']],
  ])('%s take along what is to arrive at their addresses', async (_what, names) => {
    const state = memoryState();
    let moves = when === 'in a reload that is killed' ? 2 : Number.POSITIVE_INFINITY;
    const before = startSilent({
      ...state,
      async commit(entries) {
        if (entries.some(({ value }) => value === undefined) && moves-- <= 0)
          await new Promise(() => undefined);
        await state.commit(entries);
      },
    });
    await before.push.apply(receiversAt('a', 'b', 'c'));
    for (const [account, count] of [150, 250, 350].entries()) {
      const samples = Array.from({ length: count }, (_, at) => sample('x', at, at, `${account}`));
      await before.push.commit({ entries: [], samples, source: 'job' });
    }
    if (when === 'in a restart') await before.push.stop();
    else await before.push.apply(receiversAt(...names));
    if (when === 'in a reload that is killed') await vi.waitUntil(() => moves < 0);
    const after = when === 'in one reload' ? before : startSilent(state);
    if (after !== before) await after.push.apply(receiversAt(...names));
    await expect.poll(() => after.push.receivers().map(({ samples }) => samples)).toEqual([150, 250, 350]);
    for (const name of ['a', 'b', 'c'])
      expect(after.metrics.pushDropped.value(name, 'receiver_removed')).toBeUndefined();
  });
});

it.each([
  ['goes along', ['a after'], [1]],
  ['stays where another receiver is there now', ['b before', 'a after'], [1, 0]],
])('of a receiver that gets another address what waits %s', async (_what, receivers, waiting) => {
  const { push, commit } = startSilent(memoryState());
  const at = (...described: readonly string[]) =>
    PUSH.parse(
      described.map((one) => {
        const [name, path] = one.split(' ');
        return { name, kind: 'otlp', url: `http://127.0.0.1:9/${path}` };
      }),
    );
  await push.apply(at('a before'));
  await commit(1);
  await push.apply(at(...receivers));
  await expect.poll(() => push.receivers().map(({ samples }) => samples)).toEqual(waiting);
});

it('takes up what an earlier version left under the name alone', async () => {
  const state = memoryState();
  const before = startSilent(state);
  await before.configure('r');
  await before.commit(1);
  await before.push.stop();
  const [entry] = await state.range(['queue'], { limit: 1 });
  if (entry === undefined) throw new Error('nothing waits');
  const key = ['queue', 'push', 'r', entry.key.at(-1) ?? ''];
  await state.commit([
    { ...entry, value: undefined },
    { ...entry, key },
  ]);
  const after = startSilent(state);
  await after.configure('r');
  await expect.poll(() => after.push.receivers()[0]?.samples).toBe(1);
});

/** Receivers at one address that differ by what tells their tenants apart. */
const TENANTS: readonly (readonly [string, (tenant: string) => object])[] = [
  ['a header', (tenant) => ({ headers: { 'X-Scope-OrgID': tenant } })],
  ['their user', (username) => ({ username, password: 'same' })],
  ['their token', (token) => ({ token })],
  ['their token file', (tenant) => ({ token_file: `/run/secrets/${tenant}` })],
  ['their OAuth 2.0 client', (client_id) => ({ oauth2: oauth2Of(client_id) })],
  ['their access key', (access_key) => ({ sigv4: { region: 'eu-central-1', access_key, secret_key: 'k' } })],
  ['the labels that are added', (tenant) => ({ labels: { tenant } })],
];

const oauth2Of = (client_id: string) => ({
  token_url: 'http://127.0.0.1:9/token',
  client_id,
  client_secret: 'same',
});

describe.each(TENANTS)('of two receivers at one address that differ by %s', (_what, settings) => {
  const receivers = (...tenants: readonly string[]) =>
    PUSH.parse(
      tenants.map((tenant) => ({
        ...{ name: `to-${tenant}`, kind: 'remote_write', url: 'http://127.0.0.1:9/' },
        ...{ accounts: [tenant], ...settings(tenant) },
      })),
    );

  it.each(['in one reload', 'in a restart'])(
    'a removed one leaves nothing to another one that is new %s',
    async (when) => {
      const state = memoryState();
      const before = startSilent(state);
      await before.push.apply(receivers('acme', 'globex'));
      await before.push.commit({ entries: [], samples: [sample('x', 1, 1, 'acme')], source: 'job' });
      if (when === 'in a restart') await before.push.stop();
      const after = when === 'in a restart' ? startSilent(state) : before;
      await after.push.apply(receivers('globex', 'initech'));
      await expect.poll(() => after.metrics.pushDropped.value('to-acme', 'receiver_removed')).toBe(1);
      expect(after.push.receivers().map(({ samples }) => samples)).toEqual([0, 0]);
    },
  );

  it('one that is renamed takes along its own', async () => {
    const { push } = startSilent(memoryState());
    const [acme] = receivers('acme');
    await push.apply(receivers('acme', 'globex'));
    await push.commit({ entries: [], samples: [sample('x', 1, 1, 'acme')], source: 'job' });
    await push.apply([...receivers('globex'), ...(acme ? [{ ...acme, name: 'renamed' }] : [])]);
    await expect.poll(() => push.receivers().map(({ samples }) => samples)).toEqual([0, 1]);
  });
});

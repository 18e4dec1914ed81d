import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unlessAborted } from '../../../src/exporter/clock.ts';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import { Push } from '../../../src/exporter/push/push.ts';
import { reportPush } from '../../../src/exporter/self/push-report.ts';
import { beginPush, createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import type { State } from '../../../src/exporter/state/state.ts';
import { ownValue } from '../../own-value.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { hastyClock, sample } from './outbox-bed.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Starts a remote-write 1.0 receiver that accepts all requests. */
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
  await expect.poll(() => ownValue(metrics.pushSent, { receiver: 'r' })).toBe(1);
  expect(await ownValue(metrics.pushDefects, { receiver: 'r' })).toBe(1);
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
  await expect.poll(() => ownValue(metrics.pushSent, { receiver: 'r' })).toBe(1);
  expect(urls[0]).toBe('/write?api-version=2021-11-01-preview&extra_label=a%3Db');
});

it('counts every kind of loss from 0, so that Prometheus sees the first', async () => {
  const metrics = createSelfMetrics();
  const push = new Push({ clock: hastyClock(), state: memoryState(), observer: reportPush(metrics, SILENT) });
  onTestFinished(() => push.stop());
  await push.apply(PUSH.parse([{ name: 'r', kind: 'otlp', url: 'http://127.0.0.1:9/' }]));
  beginPush(metrics, push.receivers());
  for (const reason of ['outbox_full', 'outbox_age', 'receiver_removed', 'damaged'] as const)
    expect(await ownValue(metrics.pushDropped, { receiver: 'r', reason }), reason).toBe(0);
  for (const reason of ['too_old', 'out_of_order', 'duplicate', 'too_large', 'invalid'] as const)
    expect(await ownValue(metrics.pushRefused, { receiver: 'r', reason }), reason).toBe(0);
});

function startSilent(state: State) {
  const metrics = createSelfMetrics();
  const clock = new SimulatedClock(0);
  const push = new Push({
    clock,
    state,
    observer: reportPush(metrics, SILENT),
    sendTo: (_place, _samples, signal) => unlessAborted(new Promise<never>(() => undefined), signal),
  });
  onTestFinished(() => push.stop());
  return {
    clock,
    metrics,
    push,
    configure: (...names: string[]) =>
      push.apply(PUSH.parse(names.map((name) => ({ name, kind: 'otlp', url: 'http://127.0.0.1:9/' })))),
    commit: (at: number, account = 'a') =>
      push.commit({ entries: [], samples: [sample('x', at, at, account)], source: 'job' }),
    waiting: () => push.receivers().map(({ samples }) => samples),
    removed: (name: string) => ownValue(metrics.pushDropped, { receiver: name, reason: 'receiver_removed' }),
  };
}

const DAY_MS = 86_400_000;

it('keeps what waits for a receiver that is removed, and sends it once that is configured again', async () => {
  const { clock, push, configure, commit, waiting, removed } = startSilent(memoryState());
  await configure('r');
  for (let at = 1; at <= 250; at++) await commit(at);
  await configure();
  expect(push.outputOf('a')).toBeUndefined();
  await clock.advance(DAY_MS / 2);
  await configure('r');
  await commit(251);
  expect([waiting(), await removed('r')]).toEqual([[251], undefined]);
});

it.each(['', ' after a restart'])('drops and counts what waits for it once it is too old%s', async (when) => {
  const state = memoryState();
  const before = startSilent(state);
  await before.configure('r');
  for (let at = 1; at <= 250; at++) await before.commit(at);
  if (when === '') await before.configure();
  else await before.push.stop();
  const after = when === '' ? before : startSilent(state);
  if (after !== before) await after.configure();
  await after.clock.advance(DAY_MS - 60_000);
  expect(await after.removed('r')).toBeUndefined();
  await after.clock.advance(180_000);
  await expect.poll(() => after.removed('r')).toBe(250);
  expect(await state.range(['queue'], { limit: 1 })).toEqual([]);
});

it('keeps under another name also what was on its way to disk under the name of before', async () => {
  const memory = memoryState();
  let pass = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  const { configure, commit, waiting } = startSilent({
    ...memory,
    async commit(entries) {
      if (entries.some(({ key, value }) => key[0] === 'queue' && value !== undefined)) await passed;
      await memory.commit(entries);
    },
  });
  await configure('r');
  const committed = commit(1);
  await configure('central');
  pass();
  await committed;
  await expect.poll(() => waiting()).toEqual([1]);
});

it('has a queue of its own for each of two receivers at one destination', async () => {
  const { configure, commit, waiting } = startSilent(memoryState());
  await configure('a', 'b');
  await commit(1);
  await expect.poll(() => waiting()).toEqual([1, 1]);
  await configure('c', 'd');
  await commit(2);
  await expect.poll(() => waiting()).toEqual([2, 2]);
});

const receiversAt = (...names: readonly string[]) =>
  PUSH.parse(
    names.map((name, n) => ({ name, kind: 'otlp', url: `http://127.0.0.1:9/${n}`, accounts: [`${n}`] })),
  );

describe.each(['in one reload', 'in a restart'])('%s', (when) => {
  it.each([
    ['two receivers that exchange their names', ['b', 'a', 'c']],
    ['three receivers whose names go round', ['b', 'c', 'a']],
    ['a receiver that leaves its name to another', ['new', 'a', 'c']],
  ])('%s keep what is to arrive at their addresses', async (_what, names) => {
    const state = memoryState();
    const before = startSilent(state);
    await before.push.apply(receiversAt('a', 'b', 'c'));
    for (const [account, count] of [1, 2, 3].entries())
      for (let at = 1; at <= count; at++) await before.commit(at, `${account}`);
    if (when === 'in a restart') await before.push.stop();
    const after = when === 'in one reload' ? before : startSilent(state);
    await after.push.apply(receiversAt(...names));
    await expect.poll(() => after.waiting()).toEqual([1, 2, 3]);
  });
});

it('sends what waits for one address to no other one', async () => {
  const { push, commit, waiting } = startSilent(memoryState());
  const at = (path: string) => PUSH.parse([{ name: 'r', kind: 'otlp', url: `http://127.0.0.1:9/${path}` }]);
  await push.apply(at('before'));
  await commit(1);
  await push.apply(at('after'));
  await expect.poll(() => waiting()).toEqual([0]);
  await push.apply(at('before'));
  expect(waiting()).toEqual([1]);
});

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

  it('a removed one leaves nothing to another one that is new, and takes along its own where it is renamed', async () => {
    const { push, commit, waiting } = startSilent(memoryState());
    await push.apply(receivers('acme', 'globex'));
    await commit(1, 'acme');
    await push.apply(receivers('globex', 'initech'));
    await expect.poll(() => waiting()).toEqual([0, 0]);
    const [acme] = receivers('acme');
    await push.apply([...receivers('globex'), ...(acme ? [{ ...acme, name: 'renamed' }] : [])]);
    expect(waiting()).toEqual([0, 1]);
  });
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import snappy from 'snappyjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../../src/exporter/clock.ts';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import { ReplicaPush, shareOf } from '../../../src/exporter/push/push.ts';
import { reportPush } from '../../../src/exporter/self/push-report.ts';
import { createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { type State, StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { ownValue } from '../../own-value.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { hastyClock, sample, shown } from './outbox-bed.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const NOW = new AbortController().signal;

interface Received {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly at: number;
}

const incompressible = (length: number) => randomBytes(0.75 * length).toString('base64');

function* fieldsOf(message: Buffer): Generator<readonly [number, number | Buffer]> {
  let at = 0;
  const varint = () => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  };
  while (at < message.length) {
    const key = varint();
    const [field, type] = [key >> 3, key & 7];
    if (type === 0) yield [field, varint()];
    else {
      const length = type === 1 ? 8 : varint();
      at += length;
      yield [field, message.subarray(at - length, at)];
    }
  }
}

const partsOf = (message: Buffer, field: number) =>
  [...fieldsOf(message)].flatMap(([of, part]) => (of === field && Buffer.isBuffer(part) ? [part] : []));

function samplesOf(request: Buffer): Received[] {
  return partsOf(request, 1).flatMap((series) => {
    const labels = Object.fromEntries(
      partsOf(series, 1).map((label) => [...fieldsOf(label)].map(([, text]) => String(text))),
    );
    return partsOf(series, 2).map((point) => {
      const fields = new Map(fieldsOf(point));
      const value = fields.get(1);
      return {
        labels,
        value: Buffer.isBuffer(value) ? value.readDoubleLE() : 0,
        at: Number(fields.get(2) ?? 0),
      };
    });
  });
}

/** Starts a receiver that supports only remote write 1.0 and can be switched off. */
async function startReceiver() {
  const receiver = { isAway: false, requests: 0, received: [] as Received[], url: '' };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      receiver.requests += 1;
      if (receiver.isAway) return response.writeHead(503).end();
      if (String(request.headers['content-type']).includes('v2')) return response.writeHead(415).end();
      receiver.received.push(...samplesOf(Buffer.from(snappy.uncompress(Buffer.concat(chunks)))));
      return response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/write`;
  return receiver;
}

const soon = (holds: () => unknown) => vi.waitFor(holds, { timeout: 600_000, interval: 10 });

const receiverAt = (url: string, more: object = {}) =>
  PUSH.parse([{ name: 'r', kind: 'remote_write', url, labels: { job: 'edge' }, ...more }]);

function sharedState() {
  const records = memoryState();
  let newest = 0;
  return {
    records,
    open(): State {
      newest += 1;
      const token = newest;
      return {
        ...records,
        kind: 'durable',
        async commit(entries) {
          if (token !== newest) throw new StateWriteFailure('another replica owns it');
          await records.commit(entries);
        },
      };
    },
  };
}

function replica(instance: string, clock: Clock = hastyClock()) {
  const metrics = createSelfMetrics();
  const push = new ReplicaPush({ clock, observer: reportPush(metrics, SILENT), instance });
  onTestFinished(() => push.stop());
  const accounts = push.alongside({ own: () => undefined, disown: async () => undefined, demands: () => [] });
  const commit = async (account: string, at: number, series = 'x') =>
    push
      .outputOf(account)
      ?.commit({ entries: [], samples: [sample(series, at, at, account)], source: 'job' });
  return { push, accounts, commit, metrics };
}

const waiting = ({ push }: ReturnType<typeof replica>) => push.receivers()[0]?.samples;

test('what waits goes with its account to whoever owns it next, and reaches the receiver once', async () => {
  const receiver = await startReceiver();
  const state = sharedState();
  const [former, next] = [replica('one'), replica('two')];
  for (const { push } of [former, next]) await push.apply(receiverAt(receiver.url), 2);
  receiver.isAway = true;
  former.accounts.own('a', { state: state.open(), mayAct: () => true });
  for (let at = 1; at <= 5; at++) await former.commit('a', at);
  expect(waiting(former)).toBe(5);
  await soon(() => expect(receiver.requests).toBeGreaterThan(0));
  await former.accounts.disown('a', NOW);
  expect(waiting(former)).toBe(0);
  next.accounts.own('a', { state: state.open(), mayAct: () => true });
  await next.commit('a', 6);
  receiver.isAway = false;
  await soon(() => expect(receiver.received).toHaveLength(6));
  expect(receiver.received.map(({ at, value }) => [at, value])).toEqual(
    [1, 2, 3, 4, 5, 6].map((at) => [at, at]),
  );
  await soon(async () => expect(await state.records.range(['queue'], { limit: 1 })).toEqual([]));
  expect([
    (await ownValue(former.metrics.pushSent, { receiver: 'r' })) ?? 0,
    await ownValue(next.metrics.pushSent, { receiver: 'r' }),
  ]).toEqual([0, 6]);
});

test('a replica whose lease is over sends nothing of the account, and cannot remove what waits', async () => {
  const receiver = await startReceiver();
  const state = sharedState();
  const former = replica('one');
  await former.push.apply(receiverAt(receiver.url), 1);
  let mayAct = true;
  receiver.isAway = true;
  former.accounts.own('a', { state: state.open(), mayAct: () => mayAct });
  await former.commit('a', 1);
  await soon(() => expect(receiver.requests).toBeGreaterThan(0));
  mayAct = false;
  // Each failure is an attempt to send. The first one may belong to an earlier request.
  const triesAgain = async () => {
    const before = (await ownValue(former.metrics.pushFailures, { receiver: 'r' })) ?? 0;
    await soon(async () =>
      expect(await ownValue(former.metrics.pushFailures, { receiver: 'r' })).toBeGreaterThan(before + 3),
    );
  };
  await triesAgain();
  receiver.isAway = false;
  await triesAgain();
  expect(receiver.received).toEqual([]);
  state.open();
  mayAct = true;
  await soon(() => expect(receiver.received.length).toBeGreaterThan(0));
  await former.accounts.disown('a', NOW);
  expect(await state.records.range(['queue'], { limit: 9 })).toHaveLength(1);
});

test('what may wait is divided among all accounts, but each may keep 16 MiB, or all of less', () => {
  const MIB = 2 ** 20;
  expect(shareOf(256 * MIB, 0)).toBe(256 * MIB);
  expect(shareOf(256 * MIB, 2)).toBe(128 * MIB);
  expect(shareOf(256 * MIB, 16)).toBe(16 * MIB);
  expect([300, 301].map((accounts) => shareOf(256 * MIB, accounts))).toEqual([16 * MIB, 16 * MIB]);
  expect(shareOf(MIB, 1_024)).toBe(MIB);
});

test('a reload while an account is given away leaves no sender behind', async () => {
  const receiver = await startReceiver();
  receiver.isAway = true;
  const { push, accounts, commit, metrics } = replica('one');
  await push.apply(receiverAt(receiver.url), 1);
  accounts.own('a', { state: sharedState().open(), mayAct: () => true });
  await commit('a', 1);
  await soon(() => expect(receiver.requests).toBeGreaterThan(0));
  const owned = push.outputOf('a');
  const applying = owned?.apply(receiverAt(receiver.url, { labels: { job: 'other' } }));
  await accounts.disown('a', NOW);
  await applying;
  const before = await ownValue(metrics.pushFailures, { receiver: 'r' });
  // A leftover sender would retry immediately, because sleeps end immediately on this clock.
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(owned?.receivers().map(({ name }) => name)).toEqual(['r']);
  expect(await ownValue(metrics.pushFailures, { receiver: 'r' })).toBe(before);
});

test('what an account keeps is bounded, and its oldest goes first', async () => {
  const receiver = await startReceiver();
  receiver.isAway = true;
  const { push, accounts, commit, metrics } = replica('one');
  const most = 2 ** 20;
  await push.apply(receiverAt(receiver.url, { outbox: { max_bytes: most } }), 1_024);
  for (const account of ['a', 'b']) {
    accounts.own(account, { state: sharedState().open(), mayAct: () => true });
    for (let at = 1; at <= 40; at++) await commit(account, at, incompressible(100_000));
  }
  const dropped = async () =>
    (await ownValue(metrics.pushDropped, { receiver: 'r', reason: 'outbox_full' })) ?? 0;
  await soon(() => expect(push.receivers()[0]?.bytes).toBeLessThanOrEqual(2 * most));
  expect(await dropped()).toBeGreaterThan(0);
  expect((await dropped()) + (push.receivers()[0]?.samples ?? 0)).toBe(80);
});

test('buckets have the labels of their series alone; what else each replica shows has its name', async () => {
  const receiver = await startReceiver();
  const { push, accounts, commit } = replica('one');
  await push.apply(receiverAt(receiver.url), 1);
  accounts.own('a', { state: sharedState().open(), mayAct: () => true });
  await commit('a', 1);
  await push.takeSnapshot(async () => new Map([['edge_up', shown('edge_up', 1)]]));
  await soon(() => expect(receiver.received).toHaveLength(3));
  const instances = receiver.received.map(({ labels }) => [labels['__name__'], labels['instance']]);
  expect(new Map(instances as [string, string | undefined][])).toEqual(
    new Map([
      ['edge_x_total', undefined],
      ['edge_up', 'one'],
      ['up', 'one'],
    ]),
  );
  expect(receiver.received.map(({ labels }) => labels['job'])).toEqual(['edge', 'edge', 'edge']);
});

test('what waits for a receiver that is configured no more is dropped by whoever owns the account', async () => {
  const receiver = await startReceiver();
  receiver.isAway = true;
  const state = sharedState();
  const { push, accounts, commit, metrics } = replica('one');
  await push.apply(receiverAt(receiver.url), 1);
  accounts.own('a', { state: state.open(), mayAct: () => true });
  await commit('a', 1);
  await push.apply([], 1);
  expect(push.outputOf('a')).toBeUndefined();
  await soon(async () =>
    expect(await ownValue(metrics.pushDropped, { receiver: 'r', reason: 'receiver_removed' })).toBe(1),
  );
  expect(await state.records.range(['queue'], { limit: 1 })).toEqual([]);
});

test('a replica that is not updated yet keeps what waits for a new receiver, for the one that sends it', async () => {
  const receiver = await startReceiver();
  receiver.isAway = true;
  const state = sharedState();
  const [updated, next] = [replica('one'), replica('three')];
  const clock = new SimulatedClock(0);
  const behind = replica('two', clock);
  for (const { push } of [updated, next]) await push.apply(receiverAt(receiver.url), 1);
  await behind.push.apply([], 1);
  updated.accounts.own('a', { state: state.open(), mayAct: () => true });
  await updated.commit('a', 1);
  await updated.accounts.disown('a', NOW);
  behind.accounts.own('a', { state: state.open(), mayAct: () => true });
  await clock.advance(60 * 60_000);
  await behind.accounts.disown('a', NOW);
  receiver.isAway = false;
  next.accounts.own('a', { state: state.open(), mayAct: () => true });
  await soon(() => expect(receiver.received.map(({ at }) => at)).toEqual([1]));
  expect(
    await ownValue(behind.metrics.pushDropped, { receiver: 'r', reason: 'receiver_removed' }),
  ).toBeUndefined();
});

import { setMaxListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { Transport } from '../../../src/exporter/platform/exchange.ts';
import { HugeAnswerSlots } from '../../../src/exporter/platform/large-answers.ts';
import { readPage } from '../../../src/exporter/platform/pages.ts';
import { isLarge } from '../../../src/exporter/platform/response-body.ts';
import { Turns } from '../../../src/exporter/poll/operations.ts';
import { Secret } from '../../../src/exporter/secret.ts';
import { eventually } from '../../eventually.ts';
import { unobserved } from '../poll/polling.ts';
import { startUpstream } from './upstream.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);

test('eight huge answers have a place at a time, one of each account; who waited longest is next', async () => {
  const places = new HugeAnswerSlots();
  const owners = Array.from({ length: 10 }, () => ({}));
  const [first = {}, second = {}] = owners;
  const entered: number[] = [];
  for (const [index, owner] of [first, first, ...owners.slice(1)].entries())
    void places.take(owner, never).then(() => entered.push(index));
  await turn();
  expect(entered).toEqual([0, 2, 3, 4, 5, 6, 7, 8]);
  places.leave(second);
  await turn();
  expect(entered.slice(8)).toEqual([9]);
  places.leave(first);
  await turn();
  expect(entered.slice(9)).toEqual([1]);
});

test('who no longer waits for a place does not get one', async () => {
  const places = new HugeAnswerSlots();
  const [owner, ending] = [{}, new AbortController()];
  await places.take(owner, never);
  const waiting = places.take(owner, ending.signal);
  ending.abort(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
  await expect(places.take({}, ending.signal)).rejects.toThrow('over');
  places.leave(owner);
  await places.take(owner, never);
});

async function transports(body: Buffer, headers: Record<string, string> = {}) {
  const upstream = await startUpstream((_, response) => void response.writeHead(200, headers).end(body));
  const waiting: (() => void)[] = [];
  const places = new HugeAnswerSlots();
  const get = async () => {
    const turn = () => new Promise<void>((resolve) => waiting.push(resolve));
    const transport = new Transport({
      baseUrl: upstream.origin,
      timeoutMs: 300_000,
      maxResponseBytes: 8 * 2 ** 20,
      connections: 1,
      clock: systemClock,
      largeAnswers: { places, turn },
    });
    onTestFinished(() => transport.close());
    const authorization = new Secret('Token abc');
    return transport.exchange({ method: 'GET', path: '/', version: 1, authorization, secrets: [] }, never);
  };
  return { get, waiting };
}

test.each([
  ['plain', (body: Buffer) => body, {}],
  ['packed', (body: Buffer) => gzipSync(body), { 'content-encoding': 'gzip' }],
])(
  'huge answers wait to be parsed, %s: as text for eight of them, the others unread',
  async (_, pack, headers) => {
    const { get, waiting } = await transports(
      pack(Buffer.from(JSON.stringify('x'.repeat(1_100_000)))),
      headers,
    );
    let answered = 0;
    const all = Array.from({ length: 10 }, () => get().then(() => (answered += 1)));
    for (let done = 0; done < 10; done += 1) {
      await eventually('answers wait', () => waiting.length === Math.min(8, 10 - done));
      expect(answered).toBe(done);
      waiting.shift()?.();
      await eventually('one is answered', () => answered === done + 1);
    }
    await Promise.all(all);
  },
);

test('a small answer waits for no turn', async () => {
  const { get, waiting } = await transports(Buffer.from('[1]'));
  expect(await get()).toMatchObject({ body: [1] });
  expect(waiting).toHaveLength(0);
});

test('a large answer, which had its turn before it was parsed, is used at once', async () => {
  const turns = new Turns();
  const operations = unobserved(
    { clock: systemClock, queue: { turn: async () => () => undefined }, timeoutMs: 1_000, turns },
    async ({ path }) => ({ body: path, bytes: path === '/large' ? 70_000 : 100 }),
  );
  const read = operations.readFor('group');
  // Somebody else has the next turn, and does not give it up.
  turns.arrivals.turn = () => new Promise(() => undefined);
  const got: string[] = [];
  for (const path of ['/small', '/large'])
    void read(() => ({ path, version: 1 }), never).then(({ body }) => got.push(String(body)));
  await eventually('one is there', () => got.length > 0);
  expect(got).toEqual(['/large']);
  expect([isLarge(65_536), isLarge(65_537)]).toEqual([false, true]);
});

test('a page of a list has a bound, since each of its items is checked in one go', () => {
  const list = (length: number) => Array.from({ length }, () => ({}));
  expect(readPage(list(20_000)).items).toHaveLength(20_000);
  expect(() => readPage(list(20_001))).toThrow('more than 20000 items');
  expect(() => readPage({ results: list(20_001) })).toThrow('more than 20000 items');
});

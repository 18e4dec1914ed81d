import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../../src/exporter/clock.ts';
import { PUSH, type Receiver } from '../../../src/exporter/configuration/push-settings.ts';
import { Push } from '../../../src/exporter/push/push.ts';
import { reportPush } from '../../../src/exporter/self/push-report.ts';
import { createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { type State, StateReadFailure, StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { ownValue } from '../../own-value.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { ModelReceiver } from './model-receiver.ts';
import { hastyClock, outboxBed, sample } from './outbox-bed.ts';

interface Answer {
  readonly status: number;
  readonly words?: string;
}

const WELL: Answer = { status: 204 };

async function startReceiver(first = WELL) {
  const receiver = { answer: first, requests: 0, url: '' };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      receiver.requests += 1;
      response.writeHead(receiver.answer.status).end(receiver.answer.words);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/write`;
  return receiver;
}

function pushBed(state: State = memoryState(), clock: Clock = hastyClock()) {
  const metrics = createSelfMetrics();
  const warnings: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_: unknown, words: string) => void warnings.push(words),
    error: (_: unknown, words: string) => void warnings.push(words),
  };
  const observer = reportPush(metrics, log);
  const make = () => new Push({ clock, state, observer });
  let push = make();
  onTestFinished(() => push.stop());
  return {
    clock,
    metrics,
    warnings,
    receivers: () => push.receivers(),
    apply: (receivers: readonly Receiver[]) => push.apply(receivers),
    async restart() {
      await push.stop();
      push = make();
    },
    async commit(at: number): Promise<void> {
      for (;;) {
        try {
          return await push.commit({ entries: [], samples: [sample('x', at)], source: 'job' });
        } catch (error) {
          if (!(error instanceof StateWriteFailure)) throw error;
          await clock.sleep(1_000);
        }
      }
    },
  };
}

const receiverAt = (url: string, timeout = '5s') =>
  PUSH.parse([{ name: 'r', kind: 'remote_write', url, request: { timeout } }]);

/**
 * Returns a state that does not respond for a while. Callers get a failure after 10 s, as from a real state.
 */
function stallingState(clock: ReturnType<typeof hastyClock>) {
  const state = memoryState();
  let until = 0;
  const answered = async () => {
    if (clock.now() < until) await clock.sleep(10_000);
    return clock.now() >= until;
  };
  const stalling: State = {
    ...state,
    async range(prefix, options) {
      if (!(await answered())) throw new StateReadFailure('the disk has not answered for 10 s');
      return await state.range(prefix, options);
    },
    async commit(entries) {
      if (!(await answered())) throw new StateWriteFailure('the disk has not answered for 10 s');
      await state.commit(entries);
    },
  };
  return {
    state: stalling,
    stallFor(ms: number) {
      until = clock.now() + ms;
    },
  };
}

it.each([
  ['409', { status: 409, words: 'busy' }],
  ['400 to everything, as of HTTP to HTTPS', { status: 400, words: 'HTTP request to an HTTPS server' }],
  ['400 without words', { status: 400 }],
  ['415 to either version', { status: 415, words: 'unsupported media type' }],
] as const)('a receiver that answers %s loses nothing by it', async (_what, answer) => {
  const receiver = await startReceiver(answer);
  const { metrics, apply, commit, receivers } = pushBed();
  await apply(receiverAt(receiver.url));
  for (let at = 1; at <= 20; at++) await commit(at);
  await expect.poll(() => receiver.requests).toBeGreaterThan(30);
  expect((await ownValue(metrics.pushSent, { receiver: 'r' })) ?? 0).toBe(0);
  receiver.answer = WELL;
  await expect.poll(() => ownValue(metrics.pushSent, { receiver: 'r' })).toBe(20);
  expect(await ownValue(metrics.pushFailures, { receiver: 'r' })).toBeGreaterThan(0);
  expect(await ownValue(metrics.pushRefused, { receiver: 'r', reason: 'invalid' })).toBeUndefined();
  await expect.poll(() => receivers()[0]).toMatchObject({ samples: 0 });
});

it('five disk stalls of 35 s, at starts and reloads, lose nothing and are not blamed on the receiver', async () => {
  const receiver = await startReceiver();
  const clock = hastyClock();
  const { state, stallFor } = stallingState(clock);
  const { metrics, warnings, apply, commit, restart, receivers } = pushBed(state, clock);
  await apply(receiverAt(receiver.url));
  let made = 0;
  for (let stall = 1; stall <= 5; stall++) {
    for (let more = 0; more < 3; more++) await commit(++made);
    stallFor(35_000);
    if (stall % 2 === 0) await restart();
    await apply(receiverAt(receiver.url, `${stall}s`));
    for (let more = 0; more < 3; more++) await commit(++made);
  }
  await expect.poll(() => receivers()[0]).toMatchObject({ samples: 0 });
  // Samples of a request at the start of a stall are sent again if their removal failed.
  expect(await ownValue(metrics.pushSent, { receiver: 'r' })).toBeGreaterThanOrEqual(made);
  expect((await ownValue(metrics.pushFailures, { receiver: 'r' })) ?? 0).toBe(0);
  expect((await ownValue(metrics.pushDefects, { receiver: 'r' })) ?? 0).toBe(0);
  expect(await ownValue(metrics.pushDropped, { receiver: 'r', reason: 'damaged' })).toBeUndefined();
  expect(warnings).toContain('the outbox cannot be read: nothing is sent until it can');
});

it('shows since when a backlog of an earlier run waits that cannot be read, so that it is noticed', async () => {
  const clock = new SimulatedClock(5_000);
  let isDown = true;
  const memory = memoryState();
  const state: State = {
    ...memory,
    async range(...what) {
      if (isDown) throw new StateReadFailure('the disk has not answered for 10 s');
      return await memory.range(...what);
    },
  };
  const { apply, receivers } = pushBed(state, clock);
  await apply(receiverAt('http://127.0.0.1:9/'));
  await expect.poll(() => receivers()[0]).toMatchObject({ samples: undefined, oldest: 5_000 });
  isDown = false;
  await clock.advance(20_000);
  await expect.poll(() => receivers()[0]).toMatchObject({ samples: 0, oldest: undefined });
});

it('on a full disk nothing is queued by half, what is sent stays until it can be removed, and all arrives', async () => {
  const memory = memoryState();
  const receiver = new ModelReceiver();
  let isFull = false;
  let refusals = 0;
  const state: State = {
    ...memory,
    async commit(entries) {
      if (isFull && ++refusals % 4 !== 0) throw new StateWriteFailure('no space left on device');
      await memory.commit(entries);
    },
  };
  const bed = outboxBed({ state, send: (samples) => receiver.take(samples, 'taken') });
  onTestFinished(() => bed.stop());
  await bed.commit('job', [sample('x', 1), sample('y', 1)]);
  isFull = true;
  for (let at = 2; at <= 30; ) {
    const isKept = await bed.commit('job', [sample('x', at), sample('y', at)]).then(
      () => true,
      () => false,
    );
    if (isKept) at += 1;
  }
  await bed.empty();
  expect(refusals).toBeGreaterThan(30);
  const times = Array.from({ length: 30 }, (_, index) => index + 1);
  for (const samples of receiver.stored.values()) expect(samples.map(([at]) => at)).toEqual(times);
  expect([receiver.stored.size, bed.dropped, bed.refused]).toEqual([2, [], []]);
});

it('an outbox of 1 MiB is drained to its end, and what is not sent is counted to the sample', async () => {
  const receiver = new ModelReceiver();
  let isAway = true;
  const bed = outboxBed({
    send: (samples) => (isAway ? { kind: 'failed', words: 'HTTP 503' } : receiver.take(samples, 'taken')),
    maxBytes: 2 ** 20,
  });
  onTestFinished(() => bed.stop());
  const [buckets, series] = [900, 100];
  for (let at = 1; at <= buckets; at++) {
    const samples = Array.from({ length: series }, (_, index) => sample(`s${index}`, at, at + 0.5));
    await bed.commit('job', samples);
    expect(bed.queue.waiting.bytes).toBeLessThanOrEqual(2 ** 20);
  }
  isAway = false;
  await bed.empty();
  const dropped = bed.dropped.reduce((sum, [, samples]) => sum + samples, 0);
  expect(new Set(bed.dropped.map(([reason]) => reason))).toEqual(new Set(['outbox_full']));
  expect(dropped).toBeGreaterThan(0);
  expect(bed.sent).toBe(buckets * series - dropped);
  const stored = [...receiver.stored.values()].reduce((sum, { length }) => sum + length, 0);
  expect(stored).toBe(bed.sent);
  expect(await bed.state.range(['queue'], { limit: 10 })).toEqual([]);
});

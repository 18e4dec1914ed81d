import { expect, it, onTestFinished } from 'vitest';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import type { DropReason } from '../../../src/exporter/push/destination-queue.ts';
import { Outbox } from '../../../src/exporter/push/outbox.ts';
import { Push } from '../../../src/exporter/push/push.ts';
import { reportPush } from '../../../src/exporter/self/push-report.ts';
import { createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import type { State } from '../../../src/exporter/state/state.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { doneInTurns } from '../../work-in-turns.ts';
import { hastyClock, sample } from './outbox-bed.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

const { signal } = new AbortController();

function outboxOn(state: State, max_bytes = 2 ** 30) {
  const dropped: [DropReason, number][] = [];
  const onDropped = (_: string, reason: DropReason, samples: number) => void dropped.push([reason, samples]);
  const outbox = new Outbox({ state, clock: hastyClock(), onDropped, signal });
  const receiver = {
    ...{ name: 'r', kind: 'otlp' as const, url: 'http://127.0.0.1:9/', families: ['*'], accounts: ['*'] },
    outbox: { max_bytes, max_age: 86_400_000 },
  };
  const [{ queue } = never()] = outbox.configure([receiver]);
  return {
    dropped,
    queue,
    load: () => outbox.load(),
    commit: (at: number, source = 'job') =>
      outbox.commit({ entries: [], samples: [sample('x', at)], source }),
  };
}

function never(): never {
  throw new Error('it has a queue');
}

it('says how much waits for a receiver once it is known what an earlier run left, not that nothing does', async () => {
  const state = memoryState();
  const before = outboxOn(state);
  for (let at = 1; at <= 3; at++) await before.commit(at);
  let read = (): void => undefined;
  const mayRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const range: State['range'] = async (...what) => {
    await mayRead;
    return await state.range(...what);
  };
  const metrics = createSelfMetrics();
  const push = new Push({
    clock: new SimulatedClock(0),
    state: { ...state, range },
    observer: reportPush(metrics, SILENT),
    sendTo: async () => ({ kind: 'failed', words: 'away' }),
  });
  onTestFinished(() => {
    read();
    return push.stop();
  });
  await push.apply(PUSH.parse([{ name: 'r', kind: 'otlp', url: 'http://127.0.0.1:9/' }]));
  await push.commit({ entries: [], samples: [sample('x', 4)], source: 'job' });
  const measured = () => push.receivers().map(({ samples, bytes }) => [samples, bytes]);
  expect(measured()).toEqual([[undefined, undefined]]);
  // The waiting entry is known, so a long failure of the outbox is visible.
  expect(push.receivers()[0]?.oldest).toBeDefined();
  read();
  await expect.poll(measured).toEqual([[4, expect.any(Number)]]);
});

it('takes up a backlog, and reads it, in turns between which scrapes go on', async () => {
  const ENTRIES = 500;
  const state = memoryState();
  const before = outboxOn(state);
  // The queue sends one entry of each source at a time.
  for (let at = 1; at <= ENTRIES; at++) await before.commit(at, String(at));
  const { queue, load } = outboxOn(state);
  for (const work of [load, () => queue.next(10 * ENTRIES)]) {
    let isDone = 0;
    const done = work().then(() => {
      isDone = 1;
    });
    expect((await doneInTurns(() => isDone, 1)).length).toBeGreaterThan(ENTRIES / 50);
    await done;
  }
  expect(queue.waiting.samples).toBe(ENTRIES);
});

it('reads of a backlog what is sent next, and nothing else', async () => {
  const memory = memoryState();
  let read = 0;
  const outbox = outboxOn({
    ...memory,
    async read(keys) {
      read += keys.length;
      return memory.read(keys);
    },
  });
  for (let at = 1; at <= 300; at++) await outbox.commit(at, `${at % 3}`);
  expect((await outbox.queue.next(2)).samples.map(({ at }) => at)).toEqual([1, 2]);
  expect(read).toBe(2);
});

it('does not take up what it took in and dropped itself while the disk did not let it take up', async () => {
  const memory = memoryState();
  let isDown = true;
  const outbox = outboxOn(
    {
      ...memory,
      async range(...what) {
        if (isDown) throw new Error('the disk has not answered for 10 s');
        return await memory.range(...what);
      },
      async commit(entries) {
        // A full disk refuses removals.
        if (entries.some(({ value }) => value === undefined)) throw new Error('database or disk is full');
        await memory.commit(entries);
      },
    },
    300,
  );
  await expect(outbox.load()).rejects.toThrow('has not answered');
  let made = 0;
  while (outbox.dropped.length === 0) await outbox.commit(++made);
  isDown = false;
  await outbox.load();
  expect(outbox.queue.waiting.samples).toBe(made - 1);
  await outbox.queue.next(100);
  expect(outbox.dropped).toEqual([['outbox_full', 1]]);
});

it('drops and counts entries that it cannot read, together, and sends those around them', async () => {
  const state = memoryState();
  const before = outboxOn(state);
  for (let at = 1; at <= 300; at++) await before.commit(at, `${at}`);
  const found = await state.range(['queue'], { limit: 300 });
  await state.commit(found.slice(1, -1).map(({ key }) => ({ key, value: 'something else' })));
  const outbox = outboxOn(state);
  await outbox.load();
  expect(outbox.queue.waiting.samples).toBe(300);
  const batch = await outbox.queue.next(1_000);
  expect(batch.samples.map(({ at }) => at)).toEqual([1, 300]);
  await outbox.queue.remove(batch, signal);
  expect(outbox.dropped).toEqual([['damaged', 298]]);
  expect(await state.range(['queue'], { limit: 1 })).toEqual([]);
});

it('counts a damaged entry once that leaves for want of space while it is read', async () => {
  const state = memoryState();
  const { queue, dropped, commit } = outboxOn(state, 4_000);
  for (let at = 1; at <= 20; at++) await commit(at);
  const [oldest] = await state.range(['queue'], { limit: 1 });
  await state.commit([{ key: oldest?.key ?? [], value: 'something else' }]);
  const reading = queue.next(1_000);
  let made = 20;
  while (dropped.length === 0) await commit(++made);
  await reading;
  expect(queue.waiting.samples + dropped.reduce((sum, [, samples]) => sum + samples, 0)).toBe(made);
});

it('takes up what there is once the state can be used at last', async () => {
  const memory = memoryState();
  const before = outboxOn(memory);
  for (let at = 1; at <= 3; at++) await before.commit(at);
  let isDown = true;
  const outbox = outboxOn({
    ...memory,
    get kind() {
      return isDown ? 'unavailable' : memory.kind;
    },
    get: (key) => (isDown ? undefined : memory.get(key)),
    range: async (...what) => (isDown ? [] : memory.range(...what)),
  });
  const loaded = outbox.load();
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  isDown = false;
  await loaded;
  expect(outbox.queue.waiting.samples).toBe(3);
  await outbox.commit(4);
  const sent: number[] = [];
  while (outbox.queue.waiting.samples > 0) {
    const batch = await outbox.queue.next(10);
    await outbox.queue.remove(batch, signal);
    sent.push(...batch.samples.map(({ at }) => at));
  }
  expect(sent).toEqual([1, 2, 3, 4]);
});

it('lets go of the labels that it has read once nothing waits', async () => {
  const { commit, queue } = outboxOn(memoryState());
  const labels = [];
  for (let at = 1; at <= 2; at++) {
    await commit(at);
    const batch = await queue.next(10);
    labels.push(batch.samples[0]?.series.labels);
    await queue.remove(batch, signal);
  }
  expect(labels[1]).toEqual(labels[0]);
  expect(labels[1]).not.toBe(labels[0]);
});

it('sends what a database that has failed over still has, drops what it lost, and sends nothing again that came back', async () => {
  const state = memoryState();
  const { commit, dropped, queue } = outboxOn(state);
  const sendNext = async () => {
    const batch = await queue.next(1);
    await queue.remove(batch, signal);
    return batch.samples.map(({ at }) => at);
  };
  for (let at = 1; at <= 5; at++) await commit(at);
  const before = await state.range(['queue'], { limit: 10 });
  for (let at = 1; at <= 5; at++) expect(await sendNext()).toEqual([at]);
  for (let at = 6; at <= 8; at++) await commit(at);
  const [, lost] = await state.range(['queue'], { limit: 10 });
  await state.commit([...before, { key: lost?.key ?? [], value: undefined }]);
  expect([await sendNext(), await sendNext(), await sendNext()]).toEqual([[6], [], [8]]);
  expect(dropped).toEqual([['damaged', 1]]);
  expect(queue.waiting).toMatchObject({ samples: 0, bytes: 0, oldest: undefined });
});

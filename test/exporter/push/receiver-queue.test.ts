import { expect, it, onTestFinished } from 'vitest';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import { Outbox } from '../../../src/exporter/push/outbox.ts';
import { Push } from '../../../src/exporter/push/push.ts';
import { type DropReason, ReceiverQueue } from '../../../src/exporter/push/receiver-queue.ts';
import { reportPush } from '../../../src/exporter/self/push-report.ts';
import { createSelfMetrics, measurePush } from '../../../src/exporter/self/self-metrics.ts';
import type { Database } from '../../../src/exporter/state/database.ts';
import { DurableState } from '../../../src/exporter/state/durable.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { Records } from '../../../src/exporter/state/records.ts';
import type { State } from '../../../src/exporter/state/state.ts';
import { doneInTurns } from '../../work-in-turns.ts';
import { hastyClock, sample } from './outbox-bed.ts';

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

const { signal } = new AbortController();

/** An outbox of a run of its own, whose only queue has a new reader each time that one is made. */
function outboxOn(state: State, max_bytes = 2 ** 30) {
  const outbox = new Outbox(state, hastyClock());
  const dropped: [DropReason, number][] = [];
  return {
    dropped,
    commit: (at: number, source = 'job') =>
      outbox.commit({ entries: [], samples: [sample('x', at)], source }),
    /** With no receiver any more. */
    async removeAll() {
      outbox.queues = [];
      let removed = 0;
      const note = (_: string, samples: number) => {
        removed += samples;
      };
      await outbox.removeOthers(note, signal);
      return removed;
    },
    queue(name = 'r') {
      const queue = new ReceiverQueue({
        receiver: {
          ...{ name, kind: 'otlp', url: 'http://r/', families: ['*'], accounts: ['*'] },
          outbox: { max_bytes, max_age: 86_400_000 },
        },
        state,
        clock: hastyClock(),
        onDropped: (reason, samples) => void dropped.push([reason, samples]),
        onAdded: () => undefined,
      });
      const takeUp = outbox.takingUp(queue);
      outbox.queues = [queue];
      return { queue, takeUp: () => takeUp(signal) };
    },
  };
}

it('says how much waits for a receiver once it is known what an earlier run left, not that nothing does', async () => {
  const state = memoryState();
  const before = outboxOn(state);
  before.queue();
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
    clock: hastyClock(),
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
  const measured = () => {
    for (const _ of measurePush(metrics, push.receivers()));
    return [metrics.outboxSamples.value('r'), metrics.outboxBytes.value('r')];
  };
  expect(measured()).toEqual([undefined, undefined]);
  // It is known that this one waits, and an outbox that cannot be read for long is noticed by it.
  expect(metrics.outboxOldest.value('r')).toBeDefined();
  read();
  await expect.poll(measured).toEqual([4, expect.any(Number)]);
});

it('takes up a backlog, and reads it, in turns between which scrapes go on', async () => {
  const ENTRIES = 500;
  const outbox = outboxOn(memoryState());
  const first = outbox.queue();
  // What is sent of each source is one entry at a time.
  for (let at = 1; at <= ENTRIES; at++) await outbox.commit(at, String(at));
  await first.takeUp();
  const { queue, takeUp } = outbox.queue();
  for (const work of [takeUp, () => queue.next(10 * ENTRIES)]) {
    let isDone = 0;
    const done = work().then(() => {
      isDone = 1;
    });
    expect((await doneInTurns(() => isDone, 1)).length).toBeGreaterThan(ENTRIES / 50);
    await done;
  }
  expect(queue.waiting.samples).toBe(ENTRIES);
});

it('drops an entry once, and counts it once, if a queue that takes over begins while it is on its way out', async () => {
  const memory = memoryState();
  let pass = (): void => undefined;
  let removal: Promise<void> | undefined;
  const state: State = {
    ...memory,
    async commit(entries) {
      if (entries.every(({ value }) => value === undefined)) await removal;
      await memory.commit(entries);
    },
  };
  const outbox = outboxOn(state, 300);
  const before = outbox.queue();
  await before.takeUp();
  removal = new Promise((resolve) => {
    pass = resolve;
  });
  const commits: Promise<void>[] = [];
  while (outbox.dropped.length === 0) {
    commits.push(outbox.commit(commits.length + 1));
    await new Promise(setImmediate);
  }
  const { queue, takeUp } = outbox.queue();
  const taken = takeUp();
  await new Promise(setImmediate);
  pass();
  await Promise.all([...commits, taken]);
  expect(queue.waiting.samples).toBe(commits.length - 1);
  expect(outbox.dropped).toEqual([['outbox_full', 1]]);
});

it('does not take up what it took in and dropped itself while the disk did not let it take up', async () => {
  const memory = memoryState();
  let isDown = true;
  const state: State = {
    ...memory,
    async range(...what) {
      if (isDown) throw new Error('the disk has not answered for 10 s');
      return await memory.range(...what);
    },
    async commit(entries) {
      // A disk that is full lets nothing go.
      if (entries.some(({ value }) => value === undefined)) throw new Error('database or disk is full');
      await memory.commit(entries);
    },
  };
  const outbox = outboxOn(state, 300);
  const { queue, takeUp } = outbox.queue();
  await expect(takeUp()).rejects.toThrow('has not answered');
  let made = 0;
  while (outbox.dropped.length === 0) await outbox.commit(++made);
  isDown = false;
  await takeUp();
  expect(queue.waiting.samples).toBe(made - 1);
  await queue.next(100);
  expect(outbox.dropped).toEqual([['outbox_full', 1]]);
});

it('knows what waits once, also where it begins again after a fault of its own', async () => {
  const outbox = outboxOn(memoryState());
  outbox.queue();
  for (let at = 1; at <= 3; at++) await outbox.commit(at);
  const { queue, takeUp } = outbox.queue();
  await takeUp();
  const { samples, bytes } = queue.waiting;
  await takeUp();
  expect(queue.waiting).toMatchObject({ samples, bytes });
  expect(samples).toBe(3);
});

it('drops and counts entries that it cannot read, and sends those around them', async () => {
  const state = memoryState();
  const outbox = outboxOn(state);
  outbox.queue();
  for (let at = 1; at <= 3; at++) await outbox.commit(at);
  const found = await state.range(['queue'], { limit: 3 });
  const second = found[1]?.key ?? [];
  await state.commit([{ key: second, value: 'something else' }]);
  const { queue, takeUp } = outbox.queue();
  await takeUp();
  expect(queue.waiting.samples).toBe(3);
  for (const at of [1, 3]) {
    const batch = await queue.next(10);
    expect(batch.samples.map((one) => one.at)).toEqual([at]);
    await queue.remove(batch, signal);
  }
  expect(outbox.dropped).toEqual([['damaged', 1]]);
  expect(await state.range(['queue'], { limit: 1 })).toEqual([]);
});

/** A state in a database that lies in memory, by name. */
function namedState() {
  const stored = new Map<string, Uint8Array>();
  const database: Database = {
    read: async ({ from, until, limit }) =>
      [...stored]
        .map(([name, bytes]) => ({ name, bytes }))
        .filter(({ name }) => name >= from && name < until)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .slice(0, limit),
    write: async (changes) => {
      for (const [name, bytes] of changes) {
        if (bytes === undefined) stored.delete(name);
        else stored.set(name, bytes);
      }
    },
    close: async () => undefined,
  };
  const state = new DurableState({ directory: '', database, records: new Records() });
  return { stored, state };
}

it.each([
  ['no percent-encoding', /2\/$/, '%/'],
  ['a character that would be encoded, and sorted, otherwise', /2\/$/, '</'],
  ['no end', /\/$/, 'o'],
  ['one part more', /000002\/$/, '00/002/'],
  ['a run that is yet to come', /0(\d{9}-\d+)\/$/, '8$1/'],
  ['another receiver, and a run that is yet to come', /[^/]+\/0(\d{9}-\d+)\/$/, 'r/8$1/'],
  ['a character that comes after all others', /0(\d{9}-\d+)\/$/, '\x7f$1/'],
])('drops and counts an entry whose name is damaged: %s', async (_what, intact, damaged) => {
  const { stored, state } = namedState();
  const outbox = outboxOn(state);
  outbox.queue();
  for (let at = 1; at <= 3; at++) await outbox.commit(at);
  const name = [...stored.keys()].find((one) => /-0+2\/$/.test(one)) ?? '';
  stored.set(name.replace(intact, damaged), stored.get(name) ?? Buffer.of());
  stored.delete(name);
  const { queue, takeUp } = outbox.queue();
  await takeUp();
  const sent: number[] = [];
  while (queue.waiting.samples > 0) {
    const batch = await queue.next(10);
    await queue.remove(batch, signal);
    sent.push(...batch.samples.map(({ at }) => at));
  }
  expect(sent).toEqual([1, 3]);
  expect(outbox.dropped).toEqual([['damaged', 1]]);
  expect([...stored.keys()].filter((one) => one.startsWith('queue'))).toEqual([]);
});

it('removes and counts an entry whose name is damaged to that of a receiver', async () => {
  const { stored, state } = namedState();
  const outbox = outboxOn(state);
  outbox.queue();
  await outbox.commit(1);
  const name = [...stored.keys()].find((one) => /-0+1\/$/.test(one)) ?? '';
  stored.set(name.replace(/\/(\d+-\d+\/)$/, 'o$1'), stored.get(name) ?? Buffer.of());
  stored.delete(name);
  expect(await outbox.removeAll()).toBe(1);
  expect([...stored.keys()].filter((one) => one.startsWith('queue'))).toEqual([]);
});

it('drops entries that it cannot read together, so that many of them do not hold up what came later', async () => {
  const state = memoryState();
  const outbox = outboxOn(state);
  outbox.queue();
  for (let at = 1; at <= 300; at++) await outbox.commit(at);
  const found = await state.range(['queue'], { limit: 300 });
  await state.commit(found.slice(0, -1).map(({ key }) => ({ key, value: 'something else' })));
  const { queue, takeUp } = outbox.queue();
  await takeUp();
  expect((await queue.next(1_000)).samples.map(({ at }) => at)).toEqual([300]);
  expect(outbox.dropped).toHaveLength(299);
});

it('removes a large backlog of a receiver that is gone, and tells how many samples it had', async () => {
  const outbox = outboxOn(memoryState());
  outbox.queue();
  for (let at = 1; at <= 250; at++) await outbox.commit(at);
  expect(await outbox.removeAll()).toBe(250);
});

it('counts what is removed once, where two removals overlap', async () => {
  const outbox = outboxOn(memoryState());
  outbox.queue();
  for (let at = 1; at <= 250; at++) await outbox.commit(at);
  const removed = await Promise.all([outbox.removeAll(), outbox.removeAll()]);
  expect(removed.toSorted((a, b) => a - b)).toEqual([0, 250]);
});

it('counts a damaged entry once that leaves for want of space while it is read', async () => {
  const state = memoryState();
  const outbox = outboxOn(state, 4_000);
  const first = outbox.queue();
  await first.takeUp();
  for (let at = 1; at <= 30; at++) await outbox.commit(at);
  expect([first.queue.waiting.samples, outbox.dropped]).toEqual([30, []]);
  const [oldest] = await state.range(['queue'], { limit: 1 });
  await state.commit([{ key: oldest?.key ?? [], value: 'something else' }]);
  const reading = first.queue.next(1_000);
  let made = 30;
  while (outbox.dropped.length === 0) await outbox.commit(++made);
  await reading;
  const dropped = outbox.dropped.reduce((sum, [, samples]) => sum + samples, 0);
  expect(first.queue.waiting.samples + dropped).toBe(made);
});

/** A state that holds what another does, and cannot be used until it is let. */
function awaited(memory: State) {
  const awaiting = { isDown: true };
  const state: State = {
    ...memory,
    get kind() {
      return awaiting.isDown ? 'unavailable' : memory.kind;
    },
    get: (key) => (awaiting.isDown ? undefined : memory.get(key)),
    keys: (prefix) => (awaiting.isDown ? [] : memory.keys(prefix)),
    range: async (...what) => (awaiting.isDown ? [] : memory.range(...what)),
    async commit(entries) {
      if (awaiting.isDown) throw new Error('the state cannot be used yet');
      await memory.commit(entries);
    },
  };
  return { awaiting, state };
}

it.each(['takes up', 'removes'] as const)(
  '%s what there is once the state can be used at last',
  async (what) => {
    const memory = memoryState();
    const before = outboxOn(memory);
    before.queue();
    for (let at = 1; at <= 3; at++) await before.commit(at);
    const { awaiting, state } = awaited(memory);
    const outbox = outboxOn(state);
    const { queue, takeUp } = outbox.queue();
    const done = what === 'takes up' ? takeUp().then(() => queue.waiting.samples) : outbox.removeAll();
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    awaiting.isDown = false;
    expect(await done).toBe(3);
  },
);

it('lets go of the labels that it has read once nothing waits', async () => {
  const outbox = outboxOn(memoryState());
  const { queue, takeUp } = outbox.queue();
  await takeUp();
  const labels = [];
  for (let at = 1; at <= 2; at++) {
    await outbox.commit(at);
    const batch = await queue.next(10);
    labels.push(batch.samples[0]?.series.labels);
    await queue.remove(batch, signal);
  }
  expect(labels[1]).toEqual(labels[0]);
  expect(labels[1]).not.toBe(labels[0]);
});

it('sends what a database that has failed over still has, drops what it lost, and sends nothing again that came back', async () => {
  const state = memoryState();
  const outbox = outboxOn(state);
  const { queue, takeUp } = outbox.queue();
  await takeUp();
  const sendNext = async () => {
    const batch = await queue.next(1);
    await queue.remove(batch, signal);
    return batch.samples.map(({ at }) => at);
  };
  for (let at = 1; at <= 5; at++) await outbox.commit(at);
  const before = await state.range(queue.prefix, { limit: 10 });
  for (let at = 1; at <= 5; at++) expect(await sendNext()).toEqual([at]);
  for (let at = 6; at <= 8; at++) await outbox.commit(at);
  const [, lost] = await state.range(queue.prefix, { limit: 10 });
  await state.commit([...before, { key: lost?.key ?? [], value: undefined }]);
  expect([await sendNext(), await sendNext()]).toEqual([[6], [8]]);
  expect(outbox.dropped).toEqual([['damaged', 1]]);
  expect(queue.waiting).toMatchObject({ samples: 0, bytes: 0, oldest: undefined });
});

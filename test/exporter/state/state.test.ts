import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DamagedState, type Database, OutcomeUnknown } from '../../../src/exporter/state/database.ts';
import { DurableState } from '../../../src/exporter/state/durable.ts';
import { memoryState, openState } from '../../../src/exporter/state/open-state.ts';
import { type Change, Records, textOfKey } from '../../../src/exporter/state/records.ts';
import { LockedDirectory } from '../../../src/exporter/state/sqlite.ts';
import { QUEUE, StateReadFailure, StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { describeState } from './state-suite.ts';
import { UNHURRIED } from './unhurried.ts';

const log = { info() {}, warn() {} };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'state-'));
});

afterEach(() => rm(directory, { recursive: true }));

describeState('in memory', false, async () => memoryState());
describeState('on disk', true, () => openState(join(directory, 'state'), log, UNHURRIED));

describe('durable state', () => {
  it('equals a plain map after any commits, also when it is opened again', async () => {
    const commits = fc.array(
      fc.array(
        fc.record({
          key: fc.constantFrom('a', 'b', 'c', 'd'),
          value: fc.option(fc.double({ noNaN: true, min: 0 }), { nil: undefined }),
        }),
      ),
      { maxLength: 12 },
    );
    const run = async (plan: { key: string; value: number | undefined }[][]) => {
      const place = await mkdtemp(join(directory, 'run-'));
      const expected = new Map<string, number>();
      const state = await openState(place, log, UNHURRIED);
      for (const { key, value } of plan.flat()) {
        if (value === undefined) expected.delete(key);
        else expected.set(key, value);
      }
      await Promise.all(
        plan.map((entries) => state.commit(entries.map(({ key, value }) => ({ key: [key], value })))),
      );
      await state.close();
      const again = await openState(place, log, UNHURRIED);
      expect(again.note).toBeUndefined();
      expect(new Map([...again.keys([])].map(([key = '']) => [key, again.get([key])]))).toEqual(expected);
      await again.close();
    };
    await fc.assert(fc.asyncProperty(commits, run), { numRuns: 12 });
  });

  it('grows with what it holds', async () => {
    const state = await openState(directory, log, UNHURRIED);
    const value = 'x'.repeat(20_000);
    for (let round = 0; round < 10; round++) {
      await state.commit(Array.from({ length: 50 }, (_, n) => ({ key: [`${round}`, `${n}`], value })));
    }
    expect([...state.keys([])]).toHaveLength(500);
    expect(state.get(['9', '49'])).toBe(value);
    await state.close();
  });

  it('finishes the commits under way when it is closed, takes none after, and still says what it held', async () => {
    const state = await openState(directory, log, UNHURRIED);
    const commits = [1, 2, 3].map((value) => state.commit([{ key: ['n'], value }]));
    await state.close();
    await Promise.all(commits);
    await expect(state.commit([{ key: ['n'], value: 4 }])).rejects.toThrow('closed');
    expect([state.get(['n']), [...state.keys([])]]).toEqual([3, [['n']]]);
    const again = await openState(directory, log, UNHURRIED);
    expect(again.get(['n'])).toBe(3);
    await again.close();
  });
});

interface ScriptedOptions {
  readonly range?: Database['range'];
  readonly timeLimitMs?: number;
}

function scriptedState({ range = async () => [], timeLimitMs = 60_000 }: ScriptedOptions = {}) {
  const closed: true[] = [];
  const writes: {
    changes: readonly Change[];
    succeed: (nothing?: unknown) => void;
    fail: (error: Error) => void;
  }[] = [];
  const database: Database = {
    range,
    read: async () => [],
    write: (changes) =>
      new Promise((succeed, fail) => {
        writes.push({ changes, succeed, fail });
      }),
    close: async () => void closed.push(true),
  };
  const state = new DurableState(directory, { loaded: { database, records: new Records() } }, timeLimitMs);
  return { writes, closed, state };
}

it('durable state tells a queue that is damaged from a disk that does not let it be read', async () => {
  const reading = (error: Error) =>
    scriptedState({ range: () => Promise.reject(error) }).state.range([QUEUE], { limit: 1 });
  await expect(reading(new DamagedState('malformed'))).rejects.toThrow(DamagedState);
  await expect(reading(new Error('disk I/O error'))).rejects.toThrow(StateReadFailure);
});

it('durable state closes its database once, however often it is closed', async () => {
  const { closed, state } = scriptedState();
  await state.close();
  await state.close();
  expect(closed).toHaveLength(1);
});

it('durable state writes nothing for a commit of nothing, and takes it though the disk hangs', async () => {
  const { writes, state } = scriptedState({ timeLimitMs: 50 });
  await state.commit([]);
  expect(writes).toEqual([]);
  await expect(state.commit([{ key: ['n'], value: 1 }])).rejects.toThrow(/has not responded/);
  await state.commit([]);
  expect(writes).toHaveLength(1);
});

describe('concurrent commits', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('go to disk together while another write is under way', async () => {
    const { writes, state } = scriptedState();
    const first = state.commit([{ key: ['first'], value: 0 }]);
    await turn();
    const others = Array.from({ length: 100 }, (_, n) => state.commit([{ key: [`${n}`], value: n }]));
    await turn();
    expect(writes).toHaveLength(1);
    expect(state.get(['first'])).toBeUndefined();
    writes[0]?.succeed();
    await first;
    expect(state.get(['first'])).toBe(0);
    while (writes.length < 2) await turn();
    expect(writes[1]?.changes).toHaveLength(100);
    writes[1]?.succeed();
    await Promise.all(others);
    expect(writes).toHaveLength(2);
  });

  it('are told in their order, also where those of the next write are few', async () => {
    const { writes, state } = scriptedState();
    const told: number[] = [];
    const commit = (n: number) =>
      state.commit([{ key: [`${n}`], value: n }]).then(() => {
        for (const end = performance.now() + 1; performance.now() < end; );
        told.push(n);
      });
    const commits = Array.from({ length: 20 }, (_, n) => commit(n));
    await turn();
    commits.push(commit(20));
    writes[0]?.succeed();
    while (writes.length < 2) await turn();
    writes[1]?.succeed();
    await Promise.all(commits);
    expect(told).toEqual(Array.from({ length: 21 }, (_, n) => n));
  });

  it('are all refused with a refused write, and later ones are written again', async () => {
    const { writes, state } = scriptedState();
    const refused = [1, 2].map((value) => state.commit([{ key: ['n'], value }]));
    await turn();
    writes[0]?.fail(new Error('disk I/O error'));
    for (const commit of refused) await expect(commit).rejects.toThrow(StateWriteFailure);
    expect(state.get(['n'])).toBeUndefined();
    const later = state.commit([{ key: ['n'], value: 3 }]);
    await turn();
    writes[1]?.succeed();
    await later;
  });
});

describe('a disk that hangs', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('is not waited for: commits are refused, at once while it is known to hang, and none piles up', async () => {
    const { writes, state } = scriptedState({ timeLimitMs: 50 });
    const commits = [1, 2].map((value) => state.commit([{ key: ['n'], value }]));
    await turn();
    const joined = state.commit([{ key: ['m'], value: 3 }]);
    for (const commit of [...commits, joined]) await expect(commit).rejects.toThrow(/has not responded/);
    await expect(state.commit([{ key: ['m'], value: 4 }])).rejects.toThrow(StateWriteFailure);
    expect(writes).toHaveLength(1);
  });

  it('is written to again when it answers, and what it wrote after the refusal is taken back', async () => {
    const { writes, state } = scriptedState({ timeLimitMs: 50 });
    const before = state.commit([{ key: ['n'], value: 1 }]);
    await turn();
    const kept = writes[0]?.changes[0]?.[1];
    writes[0]?.succeed();
    await before;
    const refused = state.commit([
      { key: ['n'], value: 2 },
      { key: ['m'], value: 2 },
      { key: [QUEUE, 'q'], value: 2 },
      { key: [QUEUE, 'gone'], value: undefined },
    ]);
    await expect(refused).rejects.toThrow(/has not responded/);
    writes[1]?.succeed();
    await turn();
    expect(state.get(['n'])).toBe(1);
    const after = state.commit([{ key: ['m'], value: 3 }]);
    await turn();
    const written = new Map(writes[2]?.changes);
    expect([...written.keys()]).toEqual([textOfKey(['n']), textOfKey(['m']), textOfKey([QUEUE, 'q'])]);
    expect(written.get(textOfKey(['n']))).toEqual(kept);
    expect(written.get(textOfKey([QUEUE, 'q']))).toBeUndefined();
    writes[2]?.succeed();
    await after;
    expect([state.get(['n']), state.get(['m'])]).toEqual([1, 3]);
  });
});

it('a write that is refused empties the log, so that the next one finds the room that it took', async () => {
  const database = await (await LockedDirectory.lock(directory)).openDatabase();
  const log = () => statSync(join(directory, 'state.db-wal')).size;
  const record = new Uint8Array(50_000);
  await database.write([['a', record]]);
  expect(log()).toBeGreaterThan(record.length);
  const unwritable = {} as Uint8Array;
  await expect(
    database.write([
      ['b', record],
      ['c', unwritable],
    ]),
  ).rejects.toThrow(/argument must be/);
  expect(log()).toBe(0);
  const all = { from: '', until: '\uffff', limit: 9 };
  expect((await database.range(all)).map(({ name }) => name)).toEqual(['a']);
  await database.close();
});

describe('a database whose answer was lost', () => {
  it('has taken back with the next write what may have been written', async () => {
    const { writes, state } = scriptedState();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const before = state.commit([{ key: ['n'], value: 1 }]);
    await turn();
    writes[0]?.succeed();
    await before;
    const lost = state.commit([
      { key: ['n'], value: 2 },
      { key: [QUEUE, 'q'], value: 2 },
    ]);
    await turn();
    writes[1]?.fail(new OutcomeUnknown('the connection broke'));
    await expect(lost).rejects.toThrow(StateWriteFailure);
    expect(state.get(['n'])).toBe(1);
    const after = state.commit([{ key: ['m'], value: 3 }]);
    await turn();
    const written = new Map(writes[2]?.changes);
    expect(written.get(textOfKey(['n']))).toEqual(new Map(writes[0]?.changes).get(textOfKey(['n'])));
    expect([...written.keys()]).toContain(textOfKey([QUEUE, 'q']));
    expect(written.get(textOfKey([QUEUE, 'q']))).toBeUndefined();
    writes[2]?.succeed();
    await after;
  });
});

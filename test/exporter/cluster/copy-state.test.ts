import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type CopiedDatabase,
  copyToDatabase,
  copyToDirectory,
} from '../../../src/exporter/cluster/copy-state.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { type State, type StateEntry, StateWriteFailure } from '../../../src/exporter/state/state.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const entryOf = (account: string, value: unknown): StateEntry => ({ key: ['series', account], value });

async function holding(...entries: readonly StateEntry[]): Promise<State> {
  const state = memoryState();
  await state.commit(entries);
  return state;
}

function databaseOf(states: ReadonlyMap<string, State>, slowness: Promise<void> = Promise.resolve()) {
  const beats: number[] = [];
  const tokens = new Map([...states.keys()].map((account) => [account, '1']));
  const database: CopiedDatabase = {
    registry: {
      beat: async () => {
        beats.push(Date.now());
        return {
          mine: [...tokens].map(([account, token]) => ({ account, token, demand: 1 })),
          free: [],
          replicas: [],
        };
      },
      leave: async () => undefined,
    },
    accounts: async () => [...states.keys()],
    open: async ({ account }) => {
      await slowness;
      return states.get(account) ?? memoryState();
    },
    session: 's',
  };
  return { database, beats, tokens };
}

test('the lease is renewed for as long as the copy takes', async () => {
  const directory = await holding(entryOf('a', 1));
  const slow = new Promise<void>((resolve) => void setTimeout(resolve, 60_000));
  const { database, beats } = databaseOf(new Map([['a', memoryState()]]), slow);
  const copied = copyToDatabase(directory, database);
  await vi.advanceTimersByTimeAsync(60_000);
  await copied;
  beats.push(Date.now());
  const gaps = beats.slice(1).map((at, n) => at - (beats[n] ?? at));
  expect(Math.max(...gaps)).toBeLessThan(5_000);
});

test('a copy whose lease ended is no copy', async () => {
  const { database, tokens } = databaseOf(new Map([['a', await holding(entryOf('a', 1))]]));
  const directory = memoryState();
  const taken = {
    ...database,
    open: (owned: { account: string; token: string }) => {
      tokens.set('a', '2');
      return database.open(owned);
    },
  };
  await expect(copyToDirectory(taken, directory)).rejects.toThrow('the lease ended');
  expect([...directory.keys([])]).toEqual([]);
});

test('a copy that ended half-way is completed by the next', async () => {
  const directory = await holding(entryOf('a', 1), entryOf('b', 2));
  const b = memoryState();
  let isFull = true;
  const refusing: State = {
    ...b,
    commit: async (entries) => {
      if (isFull) throw new StateWriteFailure('full');
      await b.commit(entries);
    },
  };
  const { database } = databaseOf(
    new Map([
      ['a', memoryState()],
      ['b', refusing],
    ]),
  );
  await expect(copyToDatabase(directory, database)).rejects.toThrow('full');
  isFull = false;
  expect(await copyToDatabase(directory, database)).toEqual({ accounts: 2, records: 2 });
  expect(b.get(['series', 'b'])).toBe(2);
});

test('counters that are others are not overwritten', async () => {
  const directory = await holding(entryOf('a', 1));
  const { database } = databaseOf(new Map([['a', await holding(entryOf('a', 2))]]));
  await expect(copyToDatabase(directory, database)).rejects.toThrow('the database has counters already of a');
  await expect(copyToDirectory(database, directory)).rejects.toThrow('the directory has a state already');
});

test('samples that wait to be pushed are not left behind, and the outbox begins anew', async () => {
  const waiting: StateEntry = { key: ['queue', 'push', 'r', '1'], value: new Uint8Array([1]) };
  const run: StateEntry = { key: ['push', 'run'], value: 7 };
  const { database } = databaseOf(new Map([['a', await holding(entryOf('a', 1), run, waiting)]]));
  const directory = memoryState();
  await expect(copyToDirectory(database, directory)).rejects.toThrow('samples wait to be pushed');
  expect([...directory.keys([])]).toEqual([]);
  const full = await holding(entryOf('a', 1), waiting);
  const empty = memoryState();
  const { database: other } = databaseOf(new Map([['a', empty]]));
  await expect(copyToDatabase(full, other)).rejects.toThrow('samples wait to be pushed');
  expect([...empty.keys([])]).toEqual([]);
  const sent = databaseOf(new Map([['a', await holding(entryOf('a', 1), run)]]));
  await copyToDirectory(sent.database, directory);
  expect([...directory.keys([])]).toEqual([['series', 'a']]);
  await copyToDatabase(await holding(entryOf('a', 1), run), other);
  expect([...empty.keys([])]).toEqual([['series', 'a']]);
});

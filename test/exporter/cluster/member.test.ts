import { expect, test } from 'vitest';
import type { BeatAnswer } from '../../../src/exporter/cluster/lease.ts';
import { type AccountsOfReplica, Member } from '../../../src/exporter/cluster/member.ts';
import type { Registry } from '../../../src/exporter/cluster/registry.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import type { State } from '../../../src/exporter/state/state.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

async function ownsOne(
  ownership: () => ReturnType<Registry['ownership']> = async () => ({ accounts: [], moves: [] }),
) {
  const clock = new SimulatedClock();
  let hangs = false;
  const mine: BeatAnswer = {
    mine: [{ account: 'a', token: '1', demand: 1 }],
    free: [],
    replicas: [{ id: 's', name: 'r', digest: '', ageMs: 0, renewedMs: 0, accounts: 1, load: 1 }],
  };
  const loads: { succeed: (state: State) => void; fail: () => void }[] = [];
  const logged: string[] = [];
  const log = (_: object, message: string) => void logged.push(message);
  const owned: { readonly state: State; readonly mayAct: () => boolean }[] = [];
  const accounts: AccountsOfReplica = {
    own: (_, ownership) => void owned.push(ownership),
    disown: async () => undefined,
    demands: () => [],
  };
  const member = new Member({
    clock,
    registry: {
      beat: async () => {
        // The connection waits for its answer, and then fails.
        if (!hangs) return mine;
        await clock.sleep(4_000);
        throw new Error('no answer');
      },
      leave: async () => undefined,
      ownership,
    },
    openState: () =>
      new Promise((resolve, reject) =>
        loads.push({ succeed: resolve, fail: () => reject(new Error('too late')) }),
      ),
    name: 'r',
    newSession: () => 's',
    log: { info: log, warn: log },
  });
  member.share(['a'], accounts);
  await clock.advance(100);
  /** Lets the lease expire while the account is being loaded, and be renewed with the same token. */
  const lapse = async () => {
    hangs = true;
    await clock.advance(15_000);
    hangs = false;
    await clock.advance(5_000);
  };
  const hang = (does: boolean) => {
    hangs = does;
  };
  return { clock, member, loads, owned, logged, lapse, hang };
}

test('an account that is opened anew while it is still being loaded runs with what was loaded last', async () => {
  const { clock, loads, owned, lapse } = await ownsOne();
  await lapse();
  expect(loads).toHaveLength(2);
  const [first, second] = [memoryState(), memoryState()];
  loads[0]?.succeed(first);
  loads[1]?.succeed(second);
  await clock.advance(10);
  expect(owned.map(({ state }) => state === second)).toEqual([true]);
  expect(owned[0]?.mayAct()).toBe(true);
});

test('a load that fails after the account was opened anew takes nothing from it', async () => {
  const { clock, member, loads, owned, lapse } = await ownsOne();
  await lapse();
  loads[1]?.succeed(memoryState());
  await clock.advance(10);
  loads[0]?.fail();
  await clock.advance(5_000);
  expect(member.owned()).toEqual(['a']);
  expect(owned.map(({ mayAct }) => mayAct())).toEqual([true]);
  expect(loads).toHaveLength(2);
});

test('what is remembered of an account and cannot be loaded is trouble until it can be, and is logged once', async () => {
  const { clock, member, loads, owned, logged } = await ownsOne();
  for (let load = 0; load < 3; load += 1) {
    loads[load]?.fail();
    await clock.advance(2_500);
    expect(member.trouble).toBe('a cannot be polled, since what is remembered cannot be loaded: too late');
  }
  loads[3]?.succeed(memoryState());
  await clock.advance(10);
  expect([member.trouble, owned.length]).toEqual([undefined, 1]);
  expect(logged).toEqual([
    'accounts are polled here now',
    'could not load what is remembered',
    'what is remembered is loaded: the account is polled here now',
  ]);
});

test('what ran before the lease lapsed may not act when the account is opened anew under the same token', async () => {
  const { clock, loads, owned, lapse } = await ownsOne();
  loads[0]?.succeed(memoryState());
  await lapse();
  loads[1]?.succeed(memoryState());
  await clock.advance(10);
  expect(owned.map(({ mayAct }) => mayAct())).toEqual([false, true]);
});

test('a machine that slept, whose clock was set when it woke, asks the database before it acts again', async () => {
  const { clock, member, loads, owned } = await ownsOne();
  loads[0]?.succeed(memoryState());
  await clock.advance(10);
  expect(owned.map(({ mayAct }) => mayAct())).toEqual([true]);
  clock.setWall(60_000);
  expect(owned.map(({ mayAct }) => mayAct())).toEqual([false]);
  expect(member.trouble).toMatch(/holds no lease/);
  await clock.advance(5_000);
  loads[1]?.succeed(memoryState());
  await clock.advance(10);
  expect(owned.map(({ mayAct }) => mayAct())).toEqual([false, true]);
});

test('a clock that is set back, or kept right by small steps, ends no lease', async () => {
  const { clock, loads, owned } = await ownsOne();
  loads[0]?.succeed(memoryState());
  await clock.advance(10);
  for (let n = 0; n < 100; n += 1) {
    clock.setWall(n === 50 ? -3_600_000 : 400);
    expect(owned[0]?.mayAct()).toBe(true);
  }
});

test('since when the database has not answered is known from the first renewal that fails', async () => {
  const { clock, member, hang } = await ownsOne();
  expect(member.silentSince).toBeUndefined();
  hang(true);
  const from = clock.now();
  await clock.advance(60_000);
  expect(member.silentSince).toBeLessThanOrEqual(from);
  expect(member.silentSince).toBeGreaterThan(from - 3_000);
  hang(false);
  await clock.advance(5_000);
  expect(member.silentSince).toBeUndefined();
});

test('a picture of all that is long in coming delays no renewal and is asked for once', async () => {
  let asked = 0;
  const { clock, member } = await ownsOne(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  await clock.advance(30_000);
  expect(asked).toBe(1);
  expect(member.trouble).toBeUndefined();
});

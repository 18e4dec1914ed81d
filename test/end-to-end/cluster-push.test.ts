import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { unpackEntry } from '../../src/exporter/push/outbox-entry.ts';
import { QUEUE, type State } from '../../src/exporter/state/state.ts';
import { fraction, keyOf } from '../../src/sandbox/hash.ts';
import { eventually } from '../eventually.ts';
import { seriesKey } from '../parse-exposition.ts';
import {
  auditAll,
  countFromNow,
  type ReplicaPlace,
  replicaPlace,
  servePlatform,
  shownBy,
} from './cluster.ts';
import { compareSamples, expectedSamples } from './expected-samples.ts';
import { startPostgres } from './postgres.ts';
import { openedByToken } from './postgres-state.ts';
import { prometheusReceiver, type StoredSamples } from './push-receivers.ts';
import { startTroubledProxy, type Trouble } from './troubled-proxy.ts';

const ROUNDS = Number(process.env['CLUSTER_PUSH_ROUNDS'] ?? 1);
const ACCOUNTS = 6;
/** Pause (ms) of a process; longer than a lease. */
const PAUSE_MS = 14_000;
const TROUBLES: readonly Trouble[] = ['none', 'none', 'none', 'hangs', 'answers 500', 'cuts the answer'];

it('three replicas push to one receiver through kills, pauses and moves: every bucket is there once', async () => {
  const began = Date.now();
  const database = await startPostgres();
  const connections = database.connections();
  const names = ['a', 'b', 'c'];
  const accounts = Array.from({ length: ACCOUNTS }, (_, n) => `account-${n}`);
  const platform = await servePlatform(names, accounts);
  await countFromNow(platform, connections);
  const receiver = await prometheusReceiver('prometheus3', { outOfOrderWindow: '1d' });
  const proxy = await startTroubledProxy(new URL(receiver.url).origin);
  onTestFinished(async () => {
    await proxy.stop();
    await receiver.stop();
  });
  const push = [
    {
      name: 'central',
      kind: 'remote_write',
      url: `${proxy.url}/api/v1/write`,
      request: { timeout: '1s' },
    },
  ];
  const replicas: ReplicaPlace[] = [];
  for (const name of names) replicas.push(await replicaPlace(name, platform, database, push));
  await Promise.all(replicas.map(({ start }) => start()));
  const newest = async () => newestByAccount(await receiver.stored());
  const isPushedSince = async (before: ReadonlyMap<string, number>) => {
    const now = await newest();
    return accounts.every((account) => (now.get(account) ?? 0) > (before.get(account) ?? 0));
  };
  // Each check reads all stored samples.
  const every = 2_000;
  await eventually('buckets of every account are pushed', () => isPushedSince(new Map()), { every });

  let drawn = 0;
  proxy.trouble = () => TROUBLES[Math.floor(TROUBLES.length * fraction(keyOf(1, 'push'), drawn++))] ?? 'none';
  for (let round = 0; round < ROUNDS; round++) {
    for (const [n, event] of [kill, stopped, update].entries()) {
      const replica = replicas[(round + n) % replicas.length];
      if (replica === undefined) throw new Error('no replica');
      const others = replicas.filter((other) => other !== replica);
      const goOn = await event(replica);
      await eventually('the others show every account', async () => {
        return (await shownBy(others)).size === accounts.length;
      });
      await goOn();
    }
  }
  await eventually('a request meets trouble', () => proxy.met.size > 1, { every });
  proxy.trouble = () => 'none';
  const before = await newest();
  await eventually('what came after all that is pushed, of every account', () => isPushedSince(before), {
    every,
  });
  for (const replica of replicas) expect(await replica.process().stop()).toMatchObject({ code: 0 });

  const { wrong } = await auditAll(platform, connections);
  expect(wrong).toEqual([]);
  const stored = await receiver.stored();
  const configurations = new Map(
    [...stored.keys()].map(labelsOf).map((labels) => [labels['configuration_id'], labels['configuration']]),
  ) as Map<string, string>;
  for (const [account, sandbox] of platform.accounts) {
    const state = await openedByToken(connections, account);
    const all = expectedSamples({ state, sandbox }, configurations, began, 'earlier');
    const counters = new Map([...all].filter(([key]) => key.includes('_total"')));
    const { samples, missing, doubled, wrong } = compareSamples(stored, counters);
    const waits = await waiting(state);
    expect({ missing: missing.filter((one) => !waits.has(one)), doubled, wrong }, account).toEqual({
      missing: [],
      doubled: [],
      wrong: [],
    });
    expect(samples).toBeGreaterThan(counters.size);
  }
});

type Event = (replica: ReplicaPlace) => Promise<() => Promise<void>>;

const kill: Event = async (replica) => {
  await replica.process().kill('SIGKILL');
  return () => replica.start();
};

const update: Event = async (replica) => {
  expect(await replica.process().stop()).toMatchObject({ code: 0 });
  return () => replica.start();
};

const stopped: Event = async (replica) => {
  const { process } = replica.process();
  process.kill('SIGSTOP');
  await pause(PAUSE_MS);
  return async () => void process.kill('SIGCONT');
};

function labelsOf(key: string): Record<string, string> {
  const [, labels] = JSON.parse(key) as [string, [string, string][]];
  return Object.fromEntries(labels);
}

function newestByAccount(stored: StoredSamples): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const [key, samples] of stored) {
    const { account, configuration_id: configuration } = labelsOf(key);
    if (account === undefined || configuration === undefined || !key.includes('_total"')) continue;
    newest.set(account, Math.max(newest.get(account) ?? 0, samples.at(-1)?.[0] ?? 0));
  }
  return newest;
}

async function waiting(state: State): Promise<ReadonlySet<string>> {
  const entries = await state.range([QUEUE], { limit: 10_000 });
  const samples = entries.flatMap(({ value }) => unpackEntry(value)?.samples ?? []);
  return new Set(
    samples.map(
      ({ series, at }) => `${seriesKey(series.family.name, series.labels)} at ${new Date(at).toISOString()}`,
    ),
  );
}

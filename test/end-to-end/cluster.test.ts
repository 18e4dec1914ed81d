import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { PostgresConnections } from '../../src/exporter/state/postgres-connections.ts';
import { fraction, keyOf } from '../../src/sandbox/hash.ts';
import { eventually } from '../eventually.ts';
import { inLongSuite } from '../long-suite.ts';
import {
  auditAll,
  countFromNow,
  foreignRequests,
  noteOwners,
  type ReplicaPlace,
  replicaPlace,
  servePlatform,
  shownBy,
} from './cluster.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

const KILLS = Number(process.env['CLUSTER_KILLS'] ?? inLongSuite(2, 1));
const PAUSES = Number(process.env['CLUSTER_PAUSES'] ?? 1);
const RESTARTS = Number(process.env['CLUSTER_RESTARTS'] ?? 1);
const PARTITIONS = Number(process.env['CLUSTER_PARTITIONS'] ?? 1);
const UPDATES = Number(process.env['CLUSTER_UPDATES'] ?? 1);
/** Pauses (ms) of a process, each longer than a lease. They are used in turn. */
const PAUSES_MS = [14_000, 60_000, 20_000, 35_000];
const CUT_MS = 14_000;
/** Minimum time (ms) for which no replica exposes an account when its owner changes. */
const TOGETHER_MS = 500;
const ACCOUNTS = Number(process.env['CLUSTER_ACCOUNTS'] ?? inLongSuite(30, 9));
const SEED = keyOf(Number(process.env['CLUSTER_SEED'] ?? 1), 'cluster');

it('three replicas share accounts through kills, pauses, updates and a database that restarts: one owner for each, every bucket once', async () => {
  const database = await startPostgres();
  const connections = database.connections();
  await noteOwners(connections);
  const names = ['a', 'b', 'c'];
  const accounts = Array.from({ length: ACCOUNTS }, (_, n) => `account-${String(n).padStart(2, '0')}`);
  const platform = await servePlatform(names, accounts);
  await countFromNow(platform, connections);
  const replicas: ReplicaPlace[] = [];
  for (const name of names) replicas.push(await replicaPlace(name, platform, database));
  await Promise.all(replicas.map(({ start }) => start()));

  const twice: string[] = [];
  const watch = watchScrapes(replicas, twice);
  const allShown = async () => (await shownBy(replicas)).size === accounts.length;
  await eventually('every account is shown', allShown);
  const all = [...platform.accounts.values()].reduce((sum, { account }) => sum + account.domains.size, 0);
  const first = await eventually('every series is counted', async () => {
    const counted = await countedUntil(replicas);
    return counted.size === all && counted;
  });

  const gaps: number[] = [];
  const happened: string[] = [];
  for (const [n, event] of EVENTS.entries()) {
    const replica = replicas[n % replicas.length];
    if (replica === undefined) throw new Error('no replica');
    const others = event === 'restart' ? replicas : replicas.filter((other) => other !== replica);
    const began = Date.now();
    happened.push(`${new Date(began).toISOString()} ${event} ${replica.name}`);
    await BEGIN[event](replica, database);
    await eventually(
      'the others show every account',
      async () => (await shownBy(others)).size === accounts.length,
    );
    if (event === 'kill') gaps.push(Date.now() - began);
    await END[event](replica);
    await eventually('every replica has its share', () => areEven(connections));
  }
  await eventually('every account is shown', allShown);
  await eventually(
    'two further buckets of every series are counted',
    async () => {
      const now = await countedUntil(replicas);
      return [...first].every(([series, at]) => (now.get(series) ?? 0) >= at + 120);
    },
    { every: 2_000 },
  );
  watch.stop();
  for (const replica of replicas) expect(await replica.process().stop()).toMatchObject({ code: 0 });

  expect(twice).toEqual([]);
  expect(await foreignRequests(replicas, platform, connections), happened.join('\n')).toEqual([]);
  expect(platform.arrivals.filter(({ status }) => status === 429)).toEqual([]);
  const { wrong, series, buckets } = await auditAll(platform, connections);
  expect(wrong).toEqual([]);
  expect(series).toBeGreaterThanOrEqual(accounts.length);
  expect(buckets).toBeGreaterThan(series);
  if (process.env['CLUSTER_REPORT'] !== undefined) {
    const requests = platform.arrivals.length;
    const report = { requests, series, buckets, killedShownElsewhereMs: gaps, scrapes: watch.scrapes() };
    await writeFile(process.env['CLUSTER_REPORT'], JSON.stringify(report));
  }
});

async function countedUntil(replicas: readonly ReplicaPlace[]): Promise<Map<string, number>> {
  const bodies = replicas.map(({ process }) => fetch(`${process().url}/metrics`).then((body) => body.text()));
  const lines = (await Promise.all(bodies))
    .join('')
    .matchAll(/^edge_counted_until_timestamp_seconds(\{.*\}) (\S+)$/gm);
  return new Map([...lines].map(([, labels = '', at]) => [labels, Number(at)]));
}

type Event = 'kill' | 'partition' | 'pause' | 'restart' | 'update';

const EVENTS = shuffled(
  Object.entries({
    kill: KILLS,
    partition: PARTITIONS,
    pause: PAUSES,
    restart: RESTARTS,
    update: UPDATES,
  }).flatMap(([event, times]) => Array.from({ length: times }, () => event as Event)),
);

let paused = 0;

const BEGIN: Readonly<Record<Event, (replica: ReplicaPlace, database: PostgresServer) => Promise<void>>> = {
  async kill(replica) {
    await replica.process().kill('SIGKILL');
  },
  async partition(replica) {
    replica.database.cut();
    await pause(CUT_MS);
  },
  async update(replica) {
    expect(await replica.process().stop()).toMatchObject({ code: 0 });
  },
  async restart(_, database) {
    await database.kill('SIGQUIT');
    await database.start();
  },
  async pause(replica) {
    replica.process().process.kill('SIGSTOP');
    await pause(PAUSES_MS[paused % PAUSES_MS.length] ?? 0);
    paused += 1;
  },
};

const END: Readonly<Record<Event, (replica: ReplicaPlace) => Promise<void>>> = {
  kill: (replica) => replica.start(),
  update: (replica) => replica.start(),
  restart: async () => undefined,
  async partition(replica) {
    replica.database.mend();
  },
  async pause(replica) {
    replica.process().process.kill('SIGCONT');
  },
};

async function areEven(connections: PostgresConnections): Promise<boolean> {
  const rows = await connections
    .query(
      'SELECT owner, count(*) AS owned FROM exporter_state.accounts WHERE owner IS NOT NULL GROUP BY owner',
    )
    .catch(() => []);
  const counts = rows.map(({ owned }) => Number(owned));
  return (
    counts.length === 3 &&
    counts.reduce((sum, count) => sum + count, 0) === ACCOUNTS &&
    counts.every((count) => Math.abs(count - ACCOUNTS / 3) <= 1)
  );
}

function watchScrapes(replicas: readonly ReplicaPlace[], twice: string[]) {
  let isOver = false;
  let scrapes = 0;
  const run = async () => {
    while (!isOver) {
      // An account that moves is absent for at least as long as these scrapes take. So they never see two
      // replicas with one account.
      const shown = await shownBy(replicas, TOGETHER_MS).catch(() => new Map<string, string[]>());
      for (const [account, by] of shown) if (by.length > 1) twice.push(`${account} by ${by.join(' and ')}`);
      scrapes += 1;
      await pause(500);
    }
  };
  void run();
  return {
    stop() {
      isOver = true;
    },
    scrapes: () => scrapes,
  };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((value, index) => ({ value, order: fraction(SEED, index) }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

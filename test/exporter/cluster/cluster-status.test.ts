import { expect, test } from 'vitest';
import { clusterStatus } from '../../../src/exporter/cluster/member.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const NOW = Date.UTC(2026, 0, 5, 10);

test('the status tells times as text, and of what nobody owns nothing more', () => {
  const clock = new SimulatedClock(NOW);
  const replica = { id: 's', name: 'r', digest: '', ageMs: 90_000, renewedMs: 500, accounts: 1, load: 7 };
  const picture = {
    at: NOW - 3_000,
    accounts: [
      { account: 'a', owner: 'r', since: NOW - 60_000, token: '4' },
      { account: 'b', owner: null, since: null, token: '1' },
    ],
    moves: [{ at: NOW - 60_000, account: 'a', from: null, to: 'r', reason: 'first' }],
  };
  const member = {
    name: 'r',
    leaseLeftMs: 8_500,
    trouble: undefined,
    silentSince: undefined,
    replicas: [replica],
    replicasAt: clock.now(),
    picture,
  };
  expect(clusterStatus(member, clock)).toEqual({
    replica: 'r',
    lease_left_seconds: 8.5,
    note: '',
    database_silent_since: null,
    replicas: [
      {
        name: 'r',
        joined_seconds_ago: 90,
        lease_age_seconds: 0.5,
        lease_over: false,
        accounts: 1,
        demand: 7,
      },
    ],
    as_of: '2026-01-05T09:59:57.000Z',
    accounts: [
      { account: 'a', owner: 'r', since: '2026-01-05T09:59:00.000Z', token: '4' },
      { account: 'b', owner: null, since: null, token: '1' },
    ],
    moves: [{ at: '2026-01-05T09:59:00.000Z', account: 'a', from: null, to: 'r', reason: 'first' }],
  });
  const alone = { ...member, leaseLeftMs: 0, trouble: 'no lease', replicas: [], picture: undefined };
  expect(clusterStatus(alone, clock)).toMatchObject({
    note: 'no lease',
    as_of: null,
    accounts: [],
    moves: [],
  });
});

test('ages are those of the moment, and a replica whose lease is over is no owner', async () => {
  const clock = new SimulatedClock(NOW);
  const replica = { digest: '', ageMs: 90_000, accounts: 1, load: 7 };
  const owned = (owner: string) => ({ account: `of ${owner}`, owner, since: NOW - 60_000, token: '1' });
  const at = clock.now();
  const member = {
    name: 'alive',
    leaseLeftMs: 0,
    trouble: undefined,
    silentSince: at,
    replicas: [
      { ...replica, id: '1', name: 'alive', renewedMs: 500 },
      { ...replica, id: '2', name: 'dead', renewedMs: 9_000 },
    ],
    replicasAt: at,
    picture: { at, accounts: ['alive', 'dead', 'buried'].map(owned), moves: [] },
  };
  const shown = () => {
    const { replicas, accounts, database_silent_since } = clusterStatus(member, clock);
    const leases = replicas.map(({ lease_age_seconds, lease_over }) => [lease_age_seconds, lease_over]);
    return { leases, owners: accounts.map(({ owner, since }) => owner ?? since), database_silent_since };
  };
  const database_silent_since = new Date(NOW).toISOString();
  await clock.advance(2_000);
  const soon = [
    [2.5, false],
    [11, true],
  ];
  expect(shown()).toEqual({ leases: soon, owners: ['alive', null, null], database_silent_since });
  await clock.advance(58_000);
  const later = [
    [60.5, true],
    [69, true],
  ];
  expect(shown()).toEqual({ leases: later, owners: [null, null, null], database_silent_since });
});

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
  const member = { name: 'r', leaseLeftMs: 8_500, trouble: undefined, replicas: [replica], picture };
  expect(clusterStatus(member, clock)).toEqual({
    replica: 'r',
    lease_left_seconds: 8.5,
    note: '',
    replicas: [{ name: 'r', joined_seconds_ago: 90, lease_age_seconds: 0.5, accounts: 1, demand: 7 }],
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

import { describe, expect, it } from 'vitest';
import {
  accountsToGive,
  accountsToTake,
  type Demand,
  LEAVING,
  type Replica,
} from '../../../src/exporter/cluster/lease.ts';

function replica(id: string, load: number, more: Partial<Replica> = {}): Replica {
  return { id, name: id, digest: 'same', ageMs: 60_000, renewedMs: 1_000, accounts: load, load, ...more };
}

function accounts(count: number, demand = 1): Demand[] {
  return Array.from({ length: count }, (_, n) => ({
    account: `${demand}-${String(n).padStart(3, '0')}`,
    demand,
  }));
}

describe('free accounts', () => {
  it('go to whoever has least, and each of them to one', () => {
    const replicas = [replica('a', 4), replica('b', 1), replica('c', 0)];
    const taken = replicas.map(({ id }) => accountsToTake(id, accounts(7), replicas));
    expect(taken.map(({ length }) => length)).toEqual([0, 3, 4]);
    expect(new Set(taken.flat()).size).toBe(7);
  });

  it('go to none that leaves, whose lease is over, or that has other accounts configured', () => {
    const others = [
      replica('b', 0, { digest: LEAVING }),
      replica('c', 0, { renewedMs: 11_000 }),
      replica('d', 0, { digest: 'other' }),
    ];
    expect(accountsToTake('a', accounts(3), [replica('a', 9), ...others])).toHaveLength(3);
  });
});

describe('accounts that are owned', () => {
  it('move to a replica that joins: its share, and no more', () => {
    const replicas = [replica('a', 15), replica('b', 15), replica('c', 0)];
    expect(accountsToGive('a', accounts(15), replicas)).toHaveLength(5);
    expect(accountsToGive('c', [], replicas)).toEqual([]);
  });

  it('stay while a replica has just joined, or where all have alike', () => {
    expect(accountsToGive('a', accounts(9), [replica('a', 9), replica('b', 0, { ageMs: 9_000 })])).toEqual(
      [],
    );
    expect(accountsToGive('a', accounts(4), [replica('a', 4), replica('b', 3), replica('c', 3)])).toEqual([]);
  });

  it('are weighed by their demand', () => {
    const mine = [...accounts(1, 100), ...accounts(10, 10)];
    expect(accountsToGive('a', mine, [replica('a', 200), replica('b', 0)])).toEqual(['100-000']);
  });

  it('stay where they ask for nothing: moving them evens nothing out', () => {
    const mine = [...accounts(5, 0), ...accounts(4, 10)];
    const replicas = [replica('a', 40), replica('b', 0)];
    expect(accountsToGive('a', mine, replicas)).toEqual(['10-000', '10-001']);
    expect(
      accountsToGive('a', [...accounts(5, 0), ...accounts(1, 10)], [replica('a', 10), replica('b', 9)]),
    ).toEqual([]);
  });

  it('are given by one of those that have most alone', () => {
    const replicas = [replica('a', 3), replica('b', 2), replica('c', 2), replica('d', 2), replica('e', 0)];
    const given = replicas.map(({ id, load }) => accountsToGive(id, accounts(load), replicas).length);
    expect(given).toEqual([1, 0, 0, 0, 0]);
  });

  it('move one at a time where no replica has a whole account too many', () => {
    const replicas = [replica('a', 2), replica('b', 2), replica('c', 2), replica('d', 0)];
    const given = ['a', 'b', 'c'].map((id) => accountsToGive(id, accounts(2), replicas).length);
    expect(given).toEqual([1, 0, 0]);
  });
});

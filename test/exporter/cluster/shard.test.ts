import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasWhole, isOfShard, ownIds, shardOfLimit } from '../../../src/exporter/cluster/shard.ts';

const NAMES = Array.from({ length: 1_000 }, (_, n) => `account-${n}`);

function shardOf(name: string, of: number): number[] {
  return Array.from({ length: of }, (_, index) => index).filter((index) => isOfShard(name, { index, of }));
}

describe('shards of an account', () => {
  const shards = [0, 1, 2, 3].map((index) => ({ name: 'a', shard: { index, of: 4 } }));

  it('have each id once, and one of them what the account has once', () => {
    const owners = shards.map((one) => ownIds(one));
    for (const name of NAMES) expect(owners.filter((isOwn) => isOwn(name))).toHaveLength(1);
    expect(shards.filter(hasWhole)).toHaveLength(1);
    expect([hasWhole({ name: 'a' }), ownIds({ name: 'a' })('1')]).toEqual([true, true]);
  });

  it('never have more of a limit together than there is, unless it is less than one for each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 1, max: 99 }), (limit, of) => {
        const part = shardOfLimit(limit, { index: 0, of });
        expect(part).toBeGreaterThanOrEqual(1);
        expect(part * of).toBeLessThanOrEqual(Math.max(limit, of));
        expect(shardOfLimit(limit)).toBe(limit);
      }),
    );
  });
});

describe('shards', () => {
  it('have each account once, whatever it is called and however many there are', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), (name, of) => {
        expect(shardOf(name, of)).toHaveLength(1);
      }),
    );
  });

  it('have about as many accounts each', () => {
    for (const index of [0, 1, 2, 3, 4]) {
      const own = NAMES.filter((name) => isOfShard(name, { index, of: 5 }));
      expect(own.length).toBeGreaterThan(150);
      expect(own.length).toBeLessThan(250);
    }
  });

  it('give a new one its share, and keep all else', () => {
    const moved = NAMES.filter((name) => shardOf(name, 4)[0] !== shardOf(name, 3)[0]);
    expect(moved.every((name) => shardOf(name, 4)[0] === 3)).toBe(true);
    expect(moved.length).toBeGreaterThan(200);
    expect(moved.length).toBeLessThan(300);
  });
});

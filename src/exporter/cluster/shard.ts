import { createHash } from 'node:crypto';
import type { RateLimit } from '../platform/platform-clock.ts';

/** One of several processes that divide accounts, or the configurations of each, by name without communication. */
export interface Shard {
  /** Index from 0, as in kube-state-metrics and StatefulSets. */
  readonly index: number;
  readonly of: number;
}

/** Returns true if an account belongs to a shard. Uses rendezvous hashing: a new shard takes accounts, and no others move. */
export function isOfShard(account: string, { index, of }: Shard): boolean {
  const scores = Array.from({ length: of }, (_, shard) => scoreOf(shard, account));
  return scores.toSorted().at(-1) === scores[index];
}

/** Account that a process may poll only in part (`shard`). */
export interface Sharded {
  readonly name: string;
  readonly shard?: Shard | undefined;
}

/** Returns true if this process reads the account's settings and whole products, which only one shard does. */
export function hasWhole({ name, shard }: Sharded): boolean {
  return shard === undefined || isOfShard(name, shard);
}

/**
 * Returns a function that is true if this process reads the series of an id. It caches its results, because thousands of ids are
 * checked again and again.
 */
export function ownIds({ shard }: Sharded): (id: string) => boolean {
  if (shard === undefined) return () => true;
  const known = new Map<string, boolean>();
  return (id) => {
    const isOwn = known.get(id) ?? isOfShard(id, shard);
    known.set(id, isOwn);
    return isOwn;
  };
}

/** Returns a shard's part of a number of operations. The parts of all shards never exceed the number. */
export function shardOfLimit(operations: number, { of }: Shard = { index: 0, of: 1 }): number {
  return Math.max(1, Math.floor(operations / of));
}

/**
 * Returns a shard's part of a limit and of its remainder. However unevenly shards use it, together they respect the reserve, and
 * none exceeds its part. `remaining` is at most two below the part, so that no response looks like the first of a window.
 */
export function partOfRate({ limit, remaining, ...rest }: RateLimit, shard: Shard): RateLimit {
  const part = limit && shardOfLimit(limit, shard);
  const left = remaining && Math.min(Math.floor(remaining / shard.of), Math.max(0, (part ?? Infinity) - 2));
  return {
    ...rest,
    ...(part !== undefined && { limit: part }),
    ...(left !== undefined && { remaining: left }),
  };
}

/** Returns a description of the part of an account that a shard polls, and of its share of the quota. */
export function shardText({ index, of }: Shard): string {
  return `shard ${index}/${of}: its part of the configurations, and 1/${of} of what the platform allows`;
}

function scoreOf(shard: number, account: string): string {
  return createHash('sha256').update(`${shard}/${account}`).digest('hex');
}

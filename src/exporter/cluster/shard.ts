import { createHash } from 'node:crypto';
import type { RateLimit } from '../platform/platform-clock.ts';

/** One of several processes that divide accounts, or the configurations of each, by names alone, without knowing of each other. */
export interface Shard {
  /** From 0, as kube-state-metrics counts and a StatefulSet numbers its pods. */
  readonly index: number;
  readonly of: number;
}

/** True if an account belongs to a shard: by rendezvous hashing, so that one shard more moves only what that one gets. */
export function isOfShard(account: string, { index, of }: Shard): boolean {
  const scores = Array.from({ length: of }, (_, shard) => scoreOf(shard, account));
  return scores.toSorted().at(-1) === scores[index];
}

/** An account of which a process polls a part alone, where `shard` says so. */
export interface Sharded {
  readonly name: string;
  readonly shard?: Shard | undefined;
}

/** True if what an account has once, its settings and the series of whole products, is this process': one shard has it. */
export function hasWhole({ name, shard }: Sharded): boolean {
  return shard === undefined || isOfShard(name, shard);
}

/** True if the series under an id are this process'. It remembers: there are thousands, asked for again and again. */
export function ownIds({ shard }: Sharded): (id: string) => boolean {
  if (shard === undefined) return () => true;
  const known = new Map<string, boolean>();
  return (id) => {
    const isOwn = known.get(id) ?? isOfShard(id, shard);
    known.set(id, isOwn);
    return isOwn;
  };
}

/** A shard's part of a number of operations: all shards together never have more. */
export function shardOfLimit(operations: number, { of }: Shard = { index: 0, of: 1 }): number {
  return Math.max(1, Math.floor(operations / of));
}

/**
 * A shard's part of a limit, and of what all together have left of it: however unevenly they spend it, they meet the reserve
 * together, and none has more than its part. `remaining` is capped at two below the part, so that no answer looks like the
 * first of a window.
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

/** Returns in words what a shard polls of an account, and its share of the quota. */
export function shardText({ index, of }: Shard): string {
  return `shard ${index}/${of}: its part of the configurations, and 1/${of} of what the platform allows`;
}

function scoreOf(shard: number, account: string): string {
  return createHash('sha256').update(`${shard}/${account}`).digest('hex');
}

import { createHash } from 'node:crypto';

/** One of several processes that divide the accounts by their names alone, without knowing of each other. */
export interface Shard {
  /** From 0, as kube-state-metrics counts and a StatefulSet numbers its pods. */
  readonly index: number;
  readonly of: number;
}

/**
 * Whether an account belongs to a shard: each account goes to the shard that scores highest for its name (rendezvous
 * hashing), so that with one shard more only the accounts move that the new one gets.
 */
export function isOfShard(account: string, { index, of }: Shard): boolean {
  const scores = Array.from({ length: of }, (_, shard) => scoreOf(shard, account));
  return scores.toSorted().at(-1) === scores[index];
}

/** Hexadecimal digits, all of the same length. */
function scoreOf(shard: number, account: string): string {
  return createHash('sha256').update(`${shard}/${account}`).digest('hex');
}

import { type Clock, wallAt } from '../clock.ts';
import type { Member } from './member.ts';

/** The replicas that share the accounts: who owns what, since when, and what moved last. Times are ISO 8601 in UTC. */
export interface ClusterStatus {
  /** The name of this replica. */
  readonly replica: string;
  /** How long its own lease still holds; 0 where it does not, and nothing is polled or shown. */
  readonly lease_left_seconds: number;
  /** Why it holds none; empty where it does. */
  readonly note: string;
  readonly replicas: readonly {
    readonly name: string;
    readonly joined_seconds_ago: number;
    /** How old its lease was when the database was asked last. */
    readonly lease_age_seconds: number;
    readonly accounts: number;
    /** Operations a minute. */
    readonly demand: number;
  }[];
  /** When the lists below were read from the database; `null` before the first time. They have 1,000 accounts and 50 moves at most. */
  readonly as_of: string | null;
  readonly accounts: readonly {
    readonly account: string;
    /** `null` where nobody owns it at the moment. */
    readonly owner: string | null;
    readonly since: string | null;
    /** How often it has changed hands. */
    readonly token: string;
  }[];
  /** The newest first. */
  readonly moves: readonly {
    readonly at: string;
    readonly account: string;
    readonly from: string | null;
    readonly to: string;
    readonly reason: string;
  }[];
}

export function clusterStatus(
  member: Pick<Member, 'name' | 'leaseLeftMs' | 'trouble' | 'replicas' | 'picture'>,
  clock: Clock,
): ClusterStatus {
  const { picture } = member;
  return {
    replica: member.name,
    lease_left_seconds: member.leaseLeftMs / 1_000,
    note: member.trouble ?? '',
    replicas: member.replicas.map(({ name, ageMs, renewedMs, accounts, load }) => ({
      name,
      joined_seconds_ago: ageMs / 1_000,
      lease_age_seconds: renewedMs / 1_000,
      accounts,
      demand: load,
    })),
    as_of: picture === undefined ? null : timeOf(wallAt(clock, picture.at)),
    accounts: (picture?.accounts ?? []).map(({ since, ...one }) => ({
      ...one,
      since: since === null ? null : timeOf(since),
    })),
    moves: (picture?.moves ?? []).map(({ at, ...move }) => ({ at: timeOf(at), ...move })),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

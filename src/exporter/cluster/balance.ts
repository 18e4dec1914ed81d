import { LEASE_MS } from './timing.ts';

/** A replica that has joined, as the database knows it. */
export interface Replica {
  readonly id: string;
  readonly name: string;
  /** Of the accounts in its configuration; of one that stops, `LEAVING`. */
  readonly digest: string;
  /** How long ago (ms) it joined, and renewed its lease. */
  readonly ageMs: number;
  readonly renewedMs: number;
  /** How many accounts it owns, and what they ask for together (operations a minute). */
  readonly accounts: number;
  readonly load: number;
}

export interface Demand {
  readonly account: string;
  /** Operations a minute. */
  readonly demand: number;
}

/** The digest of a replica that stops: it gets no account. */
export const LEAVING = 'leaving';

/** A replica is given what others own once it has been there for so long (ms): one that starts and dies moves nothing. */
const RIPE_MS = 10_000;

/** Loads that differ by less than this share of their mean are even. */
const TOLERANCE = 0.05;

/** Which free accounts a replica takes: the largest first, each goes to whoever has least; all come to the same result. */
export function accountsToTake(
  me: string,
  free: readonly Demand[],
  replicas: readonly Replica[],
): readonly string[] {
  const loads = new Map(peersOf(me, replicas).map(({ id, load }) => [id, load]));
  const mine: string[] = [];
  for (const { account, demand } of largestFirst(free)) {
    const [id] = [...loads].reduce((least, one) => (one[1] < least[1] ? one : least), [me, Infinity]);
    loads.set(id, (loads.get(id) ?? 0) + demand);
    if (id === me) mine.push(account);
  }
  return mine;
}

/** Which of its accounts a replica gives away, so that all have alike and as few as possible move. */
export function accountsToGive(
  me: string,
  mine: readonly Demand[],
  replicas: readonly Replica[],
): readonly string[] {
  const peers = peersOf(me, replicas);
  const others = peers.filter(({ id }) => id !== me);
  if (others.length === 0 || peers.some(({ ageMs }) => ageMs < RIPE_MS)) return [];
  let load = mine.reduce((sum, { demand }) => sum + demand, 0);
  const mean = (others.reduce((sum, other) => sum + other.load, 0) + load) / peers.length;
  let least = Math.min(...others.map((other) => other.load));
  const given: string[] = [];
  const give = ({ account, demand }: Demand) => {
    given.push(account);
    load -= demand;
    least += demand;
  };
  if (load <= mean * (1 + TOLERANCE)) return [];
  for (const one of largestFirst(mine)) {
    if (one.demand > 0 && load - one.demand >= mean && least + one.demand < load) give(one);
  }
  // What no replica can give without falling below the mean: then the one that has most gives one.
  const hasMost = others.every((other) => other.load < load || (other.load === load && me < other.id));
  const one = largestFirst(mine).findLast(({ demand }) => demand > 0 && least + demand < load);
  if (given.length === 0 && hasMost && one !== undefined) give(one);
  return given;
}

/** The replicas that share these accounts: those that live, and have the same configured. */
function peersOf(me: string, replicas: readonly Replica[]): readonly Replica[] {
  const digest = replicas.find(({ id }) => id === me)?.digest;
  const peers = replicas.filter((one) => one.digest === digest && one.renewedMs < LEASE_MS);
  return peers.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function largestFirst(accounts: readonly Demand[]): readonly Demand[] {
  return accounts.toSorted((a, b) => b.demand - a.demand || (a.account < b.account ? -1 : 1));
}

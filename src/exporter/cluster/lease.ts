/** Duration (ms) of a lease after each renewal, in the database's time. */
export const LEASE_MS = 10_000;

/** Time (ms) before the end of a lease at which a replica treats it as expired. It covers clocks that drift by 10 %. */
export const MARGIN_MS = 1_000;

/** Interval (ms) of renewals. A killed replica is replaced within the lease and one interval. */
export const BEAT_MS = 2_000;

/** Delay (ms) before a failed renewal is repeated. */
export const RETRY_MS = 500;

/** Time (ms) for which a replica must renew without a gap before it declares others dead: all return after an outage. */
export const STEADY_MS = 4_000;

/** Interval (ms) between two renewals from which on it counts as a gap. */
export const GAP_MS = 5_000;

/** A replica that has joined, according to the database. */
export interface Replica {
  readonly id: string;
  readonly name: string;
  /** Digest of the accounts in the replica's configuration; `LEAVING` while it stops. */
  readonly digest: string;
  /** Time (ms) since the replica joined, and since its last renewal. */
  readonly ageMs: number;
  readonly renewedMs: number;
  /** Number of accounts that the replica owns, and their demand (operations per minute). */
  readonly accounts: number;
  readonly load: number;
}

export interface Demand {
  readonly account: string;
  /** Operations per minute. */
  readonly demand: number;
}

/** Digest of a replica that is stopping, which gets no account. */
export const LEAVING = 'leaving';

/** Age (ms) from which a replica gets accounts of others, so that a replica in a crash loop moves nothing. */
const RIPE_MS = 10_000;

/** Share of the mean below which differences of load count as even. */
const TOLERANCE = 0.05;

/**
 * Returns the free accounts that a replica takes. Assigns the largest account first, each to the replica with the least demand. All
 * replicas compute the same result.
 */
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

/** Returns the accounts that a replica gives away, so that demand becomes even while few accounts move. */
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
  // If every release would leave a replica below the mean, the largest replica releases one.
  const hasMost = others.every((other) => other.load < load || (other.load === load && me < other.id));
  const one = largestFirst(mine).findLast(({ demand }) => demand > 0 && least + demand < load);
  if (given.length === 0 && hasMost && one !== undefined) give(one);
  return given;
}

/** Returns the live replicas with the same configured accounts. */
function peersOf(me: string, replicas: readonly Replica[]): readonly Replica[] {
  const digest = replicas.find(({ id }) => id === me)?.digest;
  const peers = replicas.filter((one) => one.digest === digest && one.renewedMs < LEASE_MS);
  return peers.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function largestFirst(accounts: readonly Demand[]): readonly Demand[] {
  return accounts.toSorted((a, b) => b.demand - a.demand || (a.account < b.account ? -1 : 1));
}

/** An account that this replica owns, or owned and has not returned yet. */
export interface HeldAccount {
  /** Fencing token, which increased when this replica took the account. */
  readonly token: string;
  /** `open`: it may be polled while the lease is valid. `closing`: its polls are ending. `closed`: nothing of it runs. */
  readonly phase: 'open' | 'closing' | 'closed';
  /** Reason for returning the account, which is never opened again with this token; undefined while it stays. */
  readonly released: string | undefined;
}

/** Request of a replica to the database, run in one transaction. */
export interface BeatRequest {
  readonly session: string;
  readonly digest: string;
  /** True if the session may be created, because the database has never confirmed it. */
  readonly joins: boolean;
  /** True to remove sessions with an expired lease, which frees their accounts. */
  readonly buries: boolean;
  /** Configured accounts, which may be new to the database. */
  readonly wanted: readonly string[];
  readonly released: readonly { readonly account: string; readonly token: string; readonly reason: string }[];
  /** Accounts to take if they are free. */
  readonly acquired: readonly string[];
}

/** Response of the database; undefined if the session no longer exists. */
export type BeatAnswer =
  | {
      readonly mine: readonly (Demand & { readonly token: string })[];
      readonly free: readonly Demand[];
      readonly replicas: readonly Replica[];
    }
  | undefined;

/** State of a replica's lease, as an immutable value. Times are local ms, which no change of the machine's clock affects. */
export interface LeaseView {
  readonly session: string;
  readonly isJoined: boolean;
  /** Time until which the lease is certainly valid. */
  readonly until: number;
  /** Renewal in progress; undefined if there is none. */
  readonly beat:
    | { readonly number: number; readonly sentAt: number; readonly wanted: ReadonlySet<string> }
    | undefined;
  readonly beats: number;
  readonly nextBeatAt: number;
  /** Time at which the last successful renewal was sent, and the time since which renewals have had no gap. */
  readonly renewedAt: number;
  readonly steadySince: number;
  readonly holds: ReadonlyMap<string, HeldAccount>;
  readonly wanted: ReadonlySet<string>;
  /** True if the database has all configured accounts. */
  readonly isAnnounced: boolean;
  readonly digest: string;
  readonly acquire: readonly string[];
  readonly isLeaving: boolean;
}

export type LeaseEvent =
  /** Time has passed. */
  | { readonly kind: 'time' }
  | { readonly kind: 'wanted'; readonly accounts: ReadonlySet<string>; readonly digest: string }
  /** @param nextSession id that was never used before, in case the session no longer exists */
  | {
      readonly kind: 'answered';
      readonly number: number;
      readonly answer: BeatAnswer;
      readonly nextSession: string;
    }
  /** The result of a renewal is unknown. */
  | { readonly kind: 'unanswered'; readonly number: number }
  /** The account is closed: no poll of it runs and nothing of it is exposed. Or it could not be opened. */
  | { readonly kind: 'closed'; readonly account: string; readonly token: string }
  | { readonly kind: 'leave' };

export type LeaseAction =
  | { readonly kind: 'beat'; readonly number: number; readonly request: BeatRequest }
  | { readonly kind: 'open'; readonly account: string; readonly token: string }
  /**
   * Closes an account and removes its samples at once.
   * @param orderly true if there is time to finish polls, because no other replica takes the account before it is closed
   */
  | {
      readonly kind: 'close';
      readonly account: string;
      readonly token: string;
      readonly orderly: boolean;
    };

/** Returns the view of a replica that has not joined yet. */
export function beginning(session: string): LeaseView {
  return {
    session,
    isJoined: false,
    until: Number.NEGATIVE_INFINITY,
    beat: undefined,
    beats: 0,
    nextBeatAt: Number.NEGATIVE_INFINITY,
    renewedAt: Number.NEGATIVE_INFINITY,
    steadySince: Number.POSITIVE_INFINITY,
    holds: new Map(),
    wanted: new Set(),
    isAnnounced: false,
    digest: '',
    acquire: [],
    isLeaving: false,
  };
}

/** Returns true if requests for the account may be sent now, and its data may be exposed. */
export function mayAct(view: LeaseView, account: string, token: string, now: number): boolean {
  const hold = view.holds.get(account);
  return hold?.token === token && hold.phase === 'open' && now < view.until;
}

/** Returns the local time (ms) at which the view changes next without another event. */
export function nextAt(view: LeaseView): number {
  const hasOpen = [...view.holds.values()].some(({ phase }) => phase === 'open');
  return Math.min(
    view.beat === undefined ? view.nextBeatAt : Number.POSITIVE_INFINITY,
    hasOpen ? view.until : Number.POSITIVE_INFINITY,
  );
}

type Stepped = readonly [LeaseView, readonly LeaseAction[]];

/** Returns the view after an event, and the actions to take. */
export function step(view: LeaseView, event: LeaseEvent, now: number): Stepped {
  const [next, actions] = taken(view, event, now);
  const [lapsed, closes] = now < next.until ? [next, []] : closed(next, () => ({ orderly: false }));
  const [sent, beats] = event.kind === 'time' ? beaten(lapsed, now) : [lapsed, []];
  return [sent, [...actions.filter((action) => isStill(action, sent)), ...closes, ...beats]];
}

/** Returns false for the opening of an account that expired within the same step. */
function isStill(action: LeaseAction, view: LeaseView): boolean {
  return action.kind !== 'open' || view.holds.get(action.account)?.phase === 'open';
}

function taken(view: LeaseView, event: LeaseEvent, now: number): Stepped {
  switch (event.kind) {
    case 'time':
      return [view, []];
    case 'wanted': {
      const { accounts, digest } = event;
      const wanting = { ...view, wanted: accounts, digest, isAnnounced: false, nextBeatAt: now };
      return closed(wanting, (account) =>
        accounts.has(account) ? undefined : { orderly: true, released: 'not configured' },
      );
    }
    case 'leave':
      return closed({ ...view, isLeaving: true, acquire: [] }, () => ({
        orderly: true,
        released: 'replica stopped',
      }));
    case 'closed': {
      const hold = view.holds.get(event.account);
      if (hold?.token !== event.token) return [view, []];
      const holds = new Map(view.holds).set(event.account, { ...hold, phase: 'closed' });
      return [{ ...view, holds, nextBeatAt: hold.released === undefined ? view.nextBeatAt : now }, []];
    }
    case 'unanswered':
      if (view.beat?.number !== event.number) return [view, []];
      return [{ ...view, beat: undefined, acquire: [], nextBeatAt: now + RETRY_MS }, []];
    case 'answered':
      if (view.beat?.number !== event.number) return [view, []];
      if (event.answer === undefined) return buried(view, event.nextSession, now);
      return answered(view, event.answer, view.beat, now);
  }
}

/** Ends all accounts, because the session no longer exists, and starts another session. */
function buried(view: LeaseView, nextSession: string, now: number): Stepped {
  const next = {
    ...beginning(nextSession),
    beats: view.beats,
    nextBeatAt: now,
    wanted: view.wanted,
    digest: view.digest,
    isLeaving: view.isLeaving,
  };
  const holds = new Map([...view.holds].filter(([, { phase }]) => phase !== 'closed'));
  return closed({ ...next, holds }, () => ({ orderly: false, released: 'lost' }));
}

function answered(
  view: LeaseView,
  answer: NonNullable<BeatAnswer>,
  { sentAt, wanted }: NonNullable<LeaseView['beat']>,
  now: number,
): Stepped {
  const until = sentAt + LEASE_MS - MARGIN_MS;
  const owned = new Map(answer.mine.map((one) => [one.account, one]));
  const kept = [...view.holds].filter(
    ([account, { token, phase }]) => phase !== 'closed' || owned.get(account)?.token === token,
  );
  const renewed: LeaseView = {
    ...view,
    isJoined: true,
    until,
    beat: undefined,
    renewedAt: sentAt,
    steadySince: sentAt - view.renewedAt > GAP_MS ? sentAt : view.steadySince,
    isAnnounced: view.wanted === wanted,
    acquire: [],
    holds: new Map(kept),
  };
  const [rest, losses] = closed(renewed, (account, { token }) =>
    owned.get(account)?.token === token ? undefined : { orderly: false },
  );
  const [opened, opens] = opening(rest, answer.mine);
  const [shared, gifts] = sharing(opened, answer);
  const isDue = !shared.isAnnounced || shared.acquire.length > 0 || released(shared).length > 0;
  return [{ ...shared, nextBeatAt: isDue ? now : sentAt + BEAT_MS }, [...losses, ...opens, ...gifts]];
}

/** Opens the accounts that the database assigns to this replica, except those that are being closed or returned. */
function opening(view: LeaseView, mine: readonly (Demand & { readonly token: string })[]): Stepped {
  const holds = new Map(view.holds);
  const actions: LeaseAction[] = [];
  for (const { account, token } of mine) {
    const hold = holds.get(account);
    const mayOpen = hold === undefined || (hold.phase === 'closed' && hold.released === undefined);
    if (!mayOpen) continue;
    const isWanted = view.wanted.has(account) && !view.isLeaving;
    const why = view.isLeaving ? 'replica stopped' : 'not configured';
    holds.set(
      account,
      isWanted
        ? { token, phase: 'open', released: undefined }
        : { token, phase: 'closed', released: hold?.released ?? why },
    );
    if (isWanted) actions.push({ kind: 'open', account, token });
  }
  return [{ ...view, holds }, actions];
}

/** Takes free accounts, and gives away those that other replicas should own. */
function sharing(view: LeaseView, { mine, free, replicas }: NonNullable<BeatAnswer>): Stepped {
  const me = replicas.find(({ id }) => id === view.session);
  // Waits until replicas that start together see each other.
  if (view.isLeaving || me === undefined || me.ageMs < BEAT_MS) return [view, []];
  const wanted = free.filter(({ account }) => view.wanted.has(account));
  if (wanted.length > 0) return [{ ...view, acquire: accountsToTake(me.id, wanted, replicas) }, []];
  const isSettled = [...view.holds.values()].every(({ phase }) => phase === 'open');
  const given = new Set(isSettled ? accountsToGive(me.id, mine, replicas) : []);
  return closed(view, (account) =>
    given.has(account) ? { orderly: true, released: 'moved to a replica that has less' } : undefined,
  );
}

/** Closes those open accounts that can be closed. */
function closed(
  view: LeaseView,
  wayOf: (
    account: string,
    hold: HeldAccount,
  ) => { readonly orderly: boolean; readonly released?: string } | undefined,
): Stepped {
  const holds = new Map(view.holds);
  const actions: LeaseAction[] = [];
  for (const [account, hold] of view.holds) {
    const way = hold.phase === 'open' ? wayOf(account, hold) : undefined;
    if (way === undefined) continue;
    holds.set(account, { ...hold, phase: 'closing', released: way.released });
    actions.push({ kind: 'close', account, token: hold.token, orderly: way.orderly });
  }
  return actions.length === 0 ? [view, []] : [{ ...view, holds }, actions];
}

function beaten(view: LeaseView, now: number): Stepped {
  if (view.beat !== undefined || now < view.nextBeatAt) return [view, []];
  const number = view.beats + 1;
  const request: BeatRequest = {
    session: view.session,
    digest: view.isLeaving ? LEAVING : view.digest,
    joins: !view.isJoined,
    buries: now - view.renewedAt <= GAP_MS && now - view.steadySince >= STEADY_MS,
    wanted: view.isAnnounced ? [] : [...view.wanted],
    released: released(view),
    acquired: view.acquire,
  };
  const beat = { number, sentAt: now, wanted: view.wanted };
  return [{ ...view, beats: number, beat }, [{ kind: 'beat', number, request }]];
}

/** Returns the accounts to return to the database, because nothing of them runs any more. */
function released({ holds }: LeaseView): BeatRequest['released'] {
  return [...holds].flatMap(([account, { token, phase, released: reason }]) =>
    phase === 'closed' && reason !== undefined ? [{ account, token, reason }] : [],
  );
}

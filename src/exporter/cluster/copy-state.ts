import { isDeepStrictEqual } from 'node:util';
import { groupedBy } from '../grouped-by.ts';
import { type OwnedAccount, QUEUE, type State, type StateEntry, type StateKey } from '../state/state.ts';
import { BEAT_MS } from './lease.ts';
import type { Registry } from './registry.ts';

/** Error with the reason why a state was not copied, and with any changes that were made. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

/** Database that is copied from or to. */
export interface CopiedDatabase {
  readonly registry: Pick<Registry, 'beat' | 'leave'>;
  /** Returns the accounts in the database. */
  readonly accounts: () => Promise<readonly string[]>;
  readonly open: (owned: OwnedAccount) => Promise<State>;
  /** An id that was never used before. */
  readonly session: string;
}

/** Numbers of copied accounts and records. */
export interface Copied {
  readonly accounts: number;
  readonly records: number;
}

/** Returns all keys except the outbox's own, because the outbox is empty when a state is copied. */
function keysOf(state: State): StateKey[] {
  return [...state.keys([])].filter(([first]) => first !== 'push');
}

/** @throws CopyRefused if samples are queued. In a directory one outbox serves all accounts, in a database each has its own. */
async function refuseWaiting(state: State): Promise<void> {
  const waiting = await state.range([QUEUE], { limit: 1 });
  if (waiting.length > 0)
    throw new CopyRefused('samples wait to be pushed: run the exporter until the receivers have them');
}

/**
 * Copies the state of a directory into a database that has no other state of its accounts, except an interrupted copy. Owns all
 * accounts meanwhile, so that no replica starts to count.
 * @throws CopyRefused, StateWriteFailure, and the connections' errors
 */
export async function copyToDatabase(directory: State, database: CopiedDatabase): Promise<Copied> {
  await refuseWaiting(directory);
  const entries = keysOf(directory).map((key) => ({ key, value: directory.get(key) }));
  const ofAccounts = entries.filter(({ key }) => key[1] !== undefined);
  const byAccount = groupedBy(ofAccounts, ({ key }) => key[1] ?? '');
  await whileOwned(database, [...byAccount.keys()], async (states) => {
    const full = [...states].flatMap(([account, state]) =>
      hasOther(state, (key) => directory.get(key)) ? [account] : [],
    );
    if (full.length > 0) throw new CopyRefused(`the database has counters already of ${some(full)}`);
    for (const [account, entries] of byAccount) await commitAll(states.get(account), entries);
  });
  return sumOf(byAccount);
}

/** Copies the state of a database into an empty directory. @throws CopyRefused, StateWriteFailure, and the connections' errors */
export async function copyToDirectory(database: CopiedDatabase, directory: State): Promise<Copied> {
  const byAccount = new Map<string, StateEntry[]>();
  await whileOwned(database, await database.accounts(), async (states) => {
    for (const state of states.values()) await refuseWaiting(state);
    if (hasOther(directory, (key) => states.get(key[1] ?? '')?.get(key)))
      throw new CopyRefused('the directory has a state already');
    for (const [account, state] of states)
      byAccount.set(
        account,
        keysOf(state).map((key) => ({ key, value: state.get(key) })),
      );
  });
  for (const entries of byAccount.values()) await commitAll(directory, entries);
  return sumOf(byAccount);
}

/** Runs a function on the states of accounts while this session owns them, so that no replica can take them. */
async function whileOwned(
  { registry, open, session }: CopiedDatabase,
  accounts: readonly string[],
  work: (states: ReadonlyMap<string, State>) => Promise<void>,
): Promise<void> {
  const request = { session, digest: 'state-copy', joins: false, buries: false, released: [] };
  const renew = () => registry.beat({ ...request, wanted: [], acquired: [] }, 'state-copy', []);
  let renewing: NodeJS.Timeout | undefined;
  try {
    await registry.beat({ ...request, joins: true, wanted: accounts, acquired: [] }, 'state-copy', []);
    // Removes expired leases, so that killed replicas do not block the copy.
    const taking = { ...request, buries: true, wanted: [], acquired: accounts };
    const answer = await registry.beat(taking, 'state-copy', []);
    // The next renewal repeats a failed one. At the end, the lease is checked to have been valid throughout.
    renewing = setInterval(() => void renew().catch(() => undefined), BEAT_MS);
    const mine = answer?.mine ?? [];
    const isMine = new Set(mine.map(({ account }) => account));
    const taken = accounts.filter((account) => !isMine.has(account));
    if (taken.length > 0) throw new CopyRefused(`a replica owns ${some(taken)}: stop all replicas first`);
    const states = new Map<string, State>();
    for (const { account, token } of mine) states.set(account, await open({ account, token }));
    await work(states);
    const tokens = new Map((await renew())?.mine.map(({ account, token }) => [account, token]));
    if (mine.some(({ account, token }) => tokens.get(account) !== token))
      throw new CopyRefused('the lease ended while the state was copied: copy it again');
  } finally {
    clearInterval(renewing);
    await registry.leave(session);
  }
}

function hasOther(state: State, copied: (key: StateKey) => unknown): boolean {
  return keysOf(state).some((key) => !isDeepStrictEqual(state.get(key), copied(key)));
}

/** Number of records per commit: all records of a large account would exceed the time limit of one statement. */
const PAGE = 2_000;

async function commitAll(state: State | undefined, entries: readonly StateEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += PAGE)
    await state?.commit(entries.slice(from, from + PAGE));
}

function sumOf(byAccount: ReadonlyMap<string, readonly StateEntry[]>): Copied {
  const records = [...byAccount.values()].reduce((sum, entries) => sum + entries.length, 0);
  return { accounts: byAccount.size, records };
}

function some(names: readonly string[]): string {
  return names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} others` : '');
}

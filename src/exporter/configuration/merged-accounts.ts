import type { CheckedAccount } from './checked-accounts.ts';
import type { ConfigIssue } from './issue.ts';
import type { Account } from './schema.ts';

/** The accounts of one file, to be merged with those of others. */
export interface AccountSource {
  readonly path: string;
  readonly accounts: readonly CheckedAccount[];
  /** The accounts that it gave to the configuration in use; undefined where it must be good. */
  readonly inUse: readonly CheckedAccount[] | undefined;
  readonly mistakes: readonly ConfigIssue[];
}

/** What the sources come to together. */
export interface MergedAccounts {
  /** By source, those that are used: its own, or, where it holds mistakes, those that it gave before. */
  readonly used: ReadonlyMap<string, readonly CheckedAccount[]>;
  readonly accounts: readonly Account[];
  /** Of all sources, names that occur twice included. */
  readonly mistakes: readonly ConfigIssue[];
  /** Whether all that is used is good: what holds mistakes could stay as it was. */
  readonly isUsable: boolean;
}

/**
 * Merges accounts, the first source first. A source with mistakes stays as it was, without the others having to; a name that two
 * have is a mistake of the later one, or, where that stays as it was, of the one that takes its name.
 */
export function mergeAccounts(sources: readonly AccountSource[]): MergedAccounts {
  const bad = new Map<string, readonly ConfigIssue[]>();
  for (const { path, mistakes } of sources) if (mistakes.length > 0) bad.set(path, mistakes);
  // Names are compared among what is there now, for all mistakes at once, and then among what is used.
  const now = repeatedNames(
    sources.map(({ path, accounts }) => [path, accounts]),
    () => false,
  );
  for (const [path, issues] of now) bad.set(path, [...(bad.get(path) ?? []), ...issues]);
  for (;;) {
    const used = sources.map(({ path, accounts, inUse }) => {
      const before: readonly CheckedAccount[] = inUse ?? [];
      return [path, bad.has(path) ? before : accounts] as const;
    });
    const clashes = repeatedNames(used, (path) => bad.has(path));
    if (clashes.size === 0) {
      return {
        used: new Map(used),
        accounts: used.flatMap(([, accounts]) => accounts.flatMap(({ account }) => account ?? [])),
        mistakes: sources.flatMap(({ path }) => bad.get(path) ?? []),
        isUsable: sources.every(({ path, inUse }) => !bad.has(path) || inUse !== undefined),
      };
    }
    for (const [path, issues] of clashes) bad.set(path, issues);
  }
}

/** What is wrong with each source that has a name of another one. @param stays whether nothing of a source can be changed */
function repeatedNames(
  sources: readonly (readonly [path: string, accounts: readonly CheckedAccount[]])[],
  stays: (path: string) => boolean,
): Map<string, ConfigIssue[]> {
  const first = new Map<string, { readonly path: string; readonly account: CheckedAccount }>();
  const found = new Map<string, ConfigIssue[]>();
  for (const [path, accounts] of sources) {
    for (const account of accounts) {
      if (account.name === undefined) continue;
      const other = first.get(account.name);
      if (other === undefined) {
        first.set(account.name, { path, account });
        continue;
      }
      if (stays(path) && stays(other.path)) continue;
      const [blamed, holder] = stays(path) ? [other, { path, account }] : [{ path, account }, other];
      const message = `must be unique; ${nameOf(holder.account, blamed.account)} has this name`;
      const issues = found.get(blamed.path) ?? [];
      found.set(blamed.path, [...issues, blamed.account.issueAt('name', message)]);
    }
  }
  return found;
}

/** Accounts with one address and token: the platform's account would be polled twice, and each sum over accounts doubled. */
export function sameAccess(accounts: Iterable<CheckedAccount>): ConfigIssue[] {
  const first = new Map<string, CheckedAccount>();
  const found: ConfigIssue[] = [];
  for (const account of accounts) {
    if (account.access === undefined) continue;
    const other = first.get(account.access);
    if (other === undefined) first.set(account.access, account);
    else {
      const message = `has the address and the token of ${nameOf(other, account)}: it is polled twice, and sums over accounts are doubled`;
      found.push(account.issueAt('token', message));
    }
  }
  return found;
}

/** How a message about `beside` names an account. */
function nameOf({ place, source }: CheckedAccount, beside: CheckedAccount): string {
  return source === beside.source ? place : `${place} of ${source}`;
}

import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { isGlob, matchesAny } from '../text/glob.ts';
import { besides, type Written } from './document.ts';
import type { Environment } from './environment.ts';
import { withEnvironmentProxy } from './environment-proxy.ts';
import { type ConfigIssue, check, formatPath, MOST_ISSUES } from './issue.ts';
import { type NamedFile, withFiles } from './named-files.ts';
import { ACCOUNT, ACCOUNTS_OUTLINE, type AccountConfig, configJsonSchema } from './schema.ts';
import { accountWarnings } from './warnings.ts';

/** Checked account. */
export interface CheckedAccount {
  /** Name of the account; undefined if it cannot be read. */
  readonly name: string | undefined;
  /** Complete account with its paths and proxy; undefined if it has mistakes. */
  readonly account: AccountConfig | undefined;
  /** Hash of its URL and token; undefined without both. */
  readonly access: string | undefined;
  /** Description of its position for messages about other accounts, such as `accounts[3]`. */
  readonly place: string;
  readonly source: string;
  readonly issueAt: (key: 'name' | 'token', message: string) => ConfigIssue;
}

/** Accounts of one file, with the mistakes and warnings of each. */
interface CheckedAccounts {
  readonly accounts: readonly CheckedAccount[];
  readonly mistakes: readonly ConfigIssue[];
  readonly warnings: readonly ConfigIssue[];
  readonly files: readonly NamedFile[];
}

/** Number of accounts checked in a turn of the event loop, between which scrapes run. */
const AT_ONCE = 100;

/** Checks the accounts of a file. */
export async function checkAccounts(from: Written, env: Environment): Promise<CheckedAccounts> {
  const accounts: CheckedAccount[] = [];
  const mistakes: ConfigIssue[] = [];
  const warnings: ConfigIssue[] = [];
  const files: NamedFile[] = [];
  const given: unknown = Object(from.value).accounts;
  for (const [index, one] of (Array.isArray(given) ? given : []).entries()) {
    if (mistakes.length >= MOST_ISSUES) break;
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const path = ['accounts', index];
    const { part, files: named } = withFiles(one, path, from);
    const checked = check(ACCOUNT, part, configJsonSchema, path);
    let account: AccountConfig | undefined;
    if ('findings' in checked) mistakes.push(...besides(from.issues, checked.findings.map(from.place)));
    else {
      const proxied = withEnvironmentProxy(checked.data, checked.data.api_url, env);
      if ('issue' in proxied) mistakes.push(proxied.issue);
      else account = proxied.part;
      // The account broke no rule of the schema.
      warnings.push(...accountWarnings(one as z.input<typeof ACCOUNT>, path).map(from.place));
    }
    files.push(...named);
    const { name, token }: Readonly<Record<string, unknown>> = Object(one);
    const keys = { name: 'name', token: token === undefined ? 'token_file' : 'token' };
    accounts.push({
      name: typeof name === 'string' ? name : undefined,
      account,
      access: accessOf(part),
      place: formatPath(path),
      source: from.source,
      issueAt: (key, message) => from.place({ path: [...path, keys[key]], at: 'value', message }),
    });
  }
  return { accounts, mistakes: mistakes.slice(0, MOST_ISSUES), warnings, files };
}

/** Returns a hash of the account's identity on the platform; undefined if the URL or token is missing. */
function accessOf(part: unknown): string | undefined {
  const { api_url: url, token, token_file: file }: Readonly<Record<string, unknown>> = Object(part);
  if (typeof url !== 'string' || (token === undefined && file === undefined)) return undefined;
  const address = URL.canParse(url) ? new URL(url).href : url;
  const access = JSON.stringify([address.replace(/\/+$/, ''), token, file]);
  return createHash('sha256').update(access).digest('base64');
}

/** Maximum number of files of an entry, because more would take minutes to search. */
const MOST_FILES = 10_000;

/** Files of an entry of `accounts_from`, or the reason why there are none. */
type FoundFiles = { readonly paths: readonly string[] } | { readonly problem: string };

/** Finds a file, the YAML files of a folder, or files that match a pattern in the last part of a path. Ignores hidden files. */
export async function findAccountFiles(given: string, directory: string): Promise<FoundFiles> {
  const path = isAbsolute(given) ? given : join(directory, given);
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory()) return filesIn(path, '*.{yaml,yml}');
  if (entry !== undefined) return { paths: [path] };
  const [folder, pattern] = [dirname(path), basename(path)];
  if (/[*?[{]/.test(folder)) return { problem: 'expected a pattern in the last part of the path only' };
  if (!/[*?[{]/.test(pattern)) return { problem: 'there is no such file or folder' };
  if (!isGlob(pattern)) return { problem: 'the brackets of the pattern are not balanced' };
  return filesIn(folder, pattern);
}

async function filesIn(folder: string, pattern: string): Promise<FoundFiles> {
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return { problem: 'there is no such folder, or it cannot be read' };
  const matches = matchesAny([pattern]);
  const found = names.filter((name) => !name.startsWith('.') && matches(name)).sort();
  if (found.length > MOST_FILES)
    return { problem: `expected at most ${MOST_FILES} files, found ${found.length}` };
  return found.length === 0
    ? { problem: 'no file is found by this' }
    : { paths: found.map((name) => join(folder, name)) };
}

/** Checks a file of accounts. */
export async function checkAccountFile(from: Written, env: Environment): Promise<CheckedAccounts> {
  const { accounts = {} } = configJsonSchema().properties ?? {};
  const outline = check(ACCOUNTS_OUTLINE, from.value, () => ({ properties: { accounts } }));
  const isRead = from.value !== undefined && 'findings' in outline;
  const found = isRead ? besides(from.issues, outline.findings.map(from.place)) : [];
  const checked = await checkAccounts(from, env);
  return { ...checked, mistakes: [...from.issues, ...found, ...checked.mistakes] };
}

/** Returns a mistake for each account with the name of an earlier one. */
export function repeatedNames(accounts: Iterable<CheckedAccount>): ConfigIssue[] {
  return twins(
    accounts,
    ({ name }) => name,
    'name',
    (other) => `must be unique; ${other} has this name`,
  );
}

/** Returns a warning for each account with the URL and token of an earlier one, because the platform's account is polled twice. */
export function askedTwice(accounts: Iterable<CheckedAccount>): ConfigIssue[] {
  const say = (other: string) =>
    `has the address and the token of ${other}: it is polled twice, and sums over accounts are doubled`;
  return twins(accounts, ({ access }) => access, 'token', say);
}

/** Returns an issue for each account with the key of an earlier one. */
function twins(
  accounts: Iterable<CheckedAccount>,
  keyOf: (account: CheckedAccount) => string | undefined,
  at: 'name' | 'token',
  say: (other: string) => string,
): ConfigIssue[] {
  const first = new Map<string, CheckedAccount>();
  const found: ConfigIssue[] = [];
  for (const account of accounts) {
    const key = keyOf(account);
    if (key === undefined) continue;
    const other = first.get(key);
    if (other === undefined) first.set(key, account);
    else {
      const place = other.source === account.source ? other.place : `${other.place} of ${other.source}`;
      found.push(account.issueAt(at, say(place)));
    }
  }
  return found;
}

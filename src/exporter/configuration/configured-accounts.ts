import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { madeInSlices } from '../slices.ts';
import { isGlob, matchesAny } from '../text/glob.ts';
import { withEnvironmentProxy } from './access.ts';
import { besides, digestOf, readConfigFile, type Written, written } from './document.ts';
import type { Environment } from './environment.ts';
import {
  type ConfigIssue,
  type ConfigPath,
  findings,
  formatPath,
  MOST_ISSUES,
  reservedKeys,
  type UnplacedIssue,
} from './issue.ts';
import { ACCOUNT, ACCOUNTS_OUTLINE, type AccountConfig, configJsonSchema } from './schema.ts';
import { accountWarnings, type LenientAccount, lenientAccount } from './warnings.ts';

/** What a file that a configuration names is expected to hold. */
export type FileContent = 'token' | 'password' | 'ca' | 'cert' | 'key';

/** A file that a configuration expects a secret in, or a part of TLS. */
export interface NamedFile {
  readonly holds: FileContent;
  readonly path: string;
  /** What there is to say of the file as an issue at the key that names it. */
  issue(message: string): ConfigIssue;
}

/** The keys of an account or receiver that name files. */
const KEYS_OF_FILES: readonly (readonly [keys: readonly string[], holds: FileContent])[] = [
  [['token_file'], 'token'],
  [['password_file'], 'password'],
  [['oauth2', 'client_secret_file'], 'password'],
  [['sigv4', 'secret_key_file'], 'password'],
  [['request', 'ca_file'], 'ca'],
  [['request', 'cert_file'], 'cert'],
  [['request', 'key_file'], 'key'],
];

/**
 * An account or receiver as it is written, also with mistakes, but with the paths of its files resolved from where the file is
 * that names them; and these files. @param path where it stands
 */
export function withFiles(
  given: unknown,
  path: ConfigPath,
  { directory, place }: Pick<Written, 'directory' | 'place'>,
): { readonly part: unknown; readonly files: readonly NamedFile[] } {
  let part = given;
  const files: NamedFile[] = [];
  for (const [keys, holds] of KEYS_OF_FILES) {
    const named = keys.reduce<unknown>((here, key) => Object(here)[key], given);
    if (typeof named !== 'string' || named.trim() === '') continue;
    const at = place({ path: [...path, ...keys], at: 'value', message: '' });
    const file = resolve(directory, named);
    files.push({ holds, path: file, issue: (message) => ({ ...at, message }) });
    part = replaced(part, keys, file);
  }
  return { part, files };
}

function replaced(part: unknown, [key = '', ...inner]: readonly string[], value: string): object {
  return { ...Object(part), [key]: inner.length === 0 ? value : replaced(Object(part)[key], inner, value) };
}

/** What everybody else on the machine may do with a file. */
const FOR_OTHERS = 0o006;

/** Files that are looked at together: of thousands at once the event loop would wait. */
const AT_ONCE = 32;

/** A warning for each file with a secret that users of this machine other than its owner and group may read or change. */
export async function exposedSecrets(files: readonly NamedFile[]): Promise<ConfigIssue[]> {
  const found: ConfigIssue[][] = [];
  for (let from = 0; from < files.length; from += AT_ONCE)
    found.push(...(await Promise.all(files.slice(from, from + AT_ONCE).map(exposed))));
  return found.flat();
}

async function exposed({ holds, path, issue }: NamedFile): Promise<ConfigIssue[]> {
  if (holds === 'ca' || holds === 'cert' || process.platform === 'win32') return [];
  // A file that is not there yet is spoken of elsewhere.
  const mode = await stat(path).then(
    (file) => (file.isFile() ? file.mode : 0),
    () => 0,
  );
  if ((mode & FOR_OTHERS) === 0) return [];
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  return [
    issue(
      `every user of this machine may read or change this file (mode ${octal}): chmod 0600 keeps it to its owner`,
    ),
  ];
}

/** An account of a file. It knows where it stands, but nothing of the file's text. */
export interface CheckedAccount {
  /** Undefined where it has no name that could be read. */
  readonly name: string | undefined;
  /** Complete, its paths and its proxy included; undefined where it holds mistakes. */
  readonly account: AccountConfig | undefined;
  /** Its address and token as a hash; undefined where it has none of its own. */
  readonly access: string | undefined;
  /** For other accounts' messages, such as `accounts[3]`. */
  readonly place: string;
  readonly source: string;
  readonly issueAt: (key: 'name' | 'token', message: string) => ConfigIssue;
}

/** The accounts of one file, with the mistakes and warnings of each by itself. */
interface CheckedAccounts {
  readonly accounts: readonly CheckedAccount[];
  readonly mistakes: readonly ConfigIssue[];
  readonly warnings: readonly ConfigIssue[];
  readonly files: readonly NamedFile[];
}

/** Checks the accounts of what is written, one a step. */
export function* checkAccounts(from: Written, env: Environment): Generator<undefined, CheckedAccounts> {
  const accounts: CheckedAccount[] = [];
  const mistakes: ConfigIssue[] = [];
  const warnings: ConfigIssue[] = [];
  const files: NamedFile[] = [];
  for (const [index, given] of listOf(from.value).entries()) {
    if (mistakes.length >= MOST_ISSUES) break;
    const path = ['accounts', index];
    const lenient = lenientAccount(given);
    const { part, files: named } = withFiles(given, path, from);
    const checked = check(part, path);
    const found = 'findings' in checked ? besides(from.issues, checked.findings.map(from.place)) : [];
    const proxied =
      'findings' in checked ? undefined : withEnvironmentProxy(checked.account, checked.account.api_url, env);
    if (proxied !== undefined && 'issue' in proxied) found.push(proxied.issue);
    mistakes.push(...found);
    warnings.push(...accountWarnings(lenient, path).map(from.place));
    files.push(...named);
    accounts.push({
      name: lenient.name,
      account: proxied !== undefined && 'part' in proxied ? proxied.part : undefined,
      access: accessOf(lenient),
      place: formatPath(path),
      source: from.source,
      issueAt: issuesAt(lenient, path, from),
    });
    yield;
  }
  return { accounts, mistakes: mistakes.slice(0, MOST_ISSUES), warnings, files };
}

function listOf(value: unknown): readonly unknown[] {
  const given = typeof value === 'object' && value !== null && 'accounts' in value ? value.accounts : [];
  return Array.isArray(given) ? given : [];
}

type Checked = { readonly account: AccountConfig } | { readonly findings: readonly UnplacedIssue[] };

function check(given: unknown, path: ConfigPath): Checked {
  try {
    const parsed = ACCOUNT.safeParse(given, { reportInput: true });
    const found = parsed.success ? [] : findings(parsed.error, configJsonSchema(), path);
    found.push(...reservedKeys(given, path, found));
    return parsed.success && found.length === 0 ? { account: parsed.data } : { findings: found };
  } catch (error) {
    // zod spreads its issues into a call, which overflows the stack when there are some hundred thousand.
    if (!(error instanceof RangeError)) throw error;
    return { findings: [{ path, at: 'value', message: 'has too many mistakes to list' }] };
  }
}

/** What the account is known by on the platform. */
function accessOf({ api_url: url = '', token, token_file: file }: LenientAccount): string | undefined {
  if (token === undefined && file === undefined) return undefined;
  const address = URL.canParse(url) ? new URL(url).href : url;
  const access = JSON.stringify([address.replace(/\/+$/, ''), token, file]);
  return createHash('sha256').update(access).digest('base64');
}

function issuesAt(lenient: LenientAccount, path: ConfigPath, { place }: Written): CheckedAccount['issueAt'] {
  const access = lenient.token === undefined ? 'token_file' : 'token';
  const placed = {
    name: place({ path: [...path, 'name'], at: 'value', message: '' }),
    token: place({ path: [...path, access], at: 'value', message: '' }),
  };
  return (key, message) => ({ ...placed[key], message });
}

/** More would take minutes to look through. */
const MOST_FILES = 10_000;

/** The files that an entry of `accounts_from` stands for, or why it stands for none. */
type FoundFiles = { readonly paths: readonly string[] } | { readonly problem: string };

/** Looks up a file, a folder (its YAML), or a pattern in the last part of a path; names that begin with a dot are left out. */
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
  return { paths: found.map((name) => join(folder, name)) };
}

/** Whether a file is one that an entry of `accounts_from` stands for, there or not. */
export function standsFor(given: string, directory: string, file: string): boolean {
  const path = isAbsolute(given) ? given : join(directory, given);
  if (file === path || dirname(file) === path) return true;
  return (
    dirname(file) === dirname(path) && isGlob(basename(path)) && matchesAny([basename(path)])(basename(file))
  );
}

/** A file of accounts as it was read last. */
export interface AccountFile {
  readonly path: string;
  readonly digest: string;
  readonly checked: CheckedAccounts;
}

/** Reads a file of accounts, and checks it unless it holds what it held before. */
export async function readAccountFile(
  path: string,
  env: Environment,
  before: AccountFile | undefined,
): Promise<AccountFile> {
  const read = await readConfigFile(path);
  const digest = digestOf(read);
  if (before?.digest === digest) return before;
  const from = await written(path, read, env);
  if (from.value === undefined)
    return { path, digest, checked: { accounts: [], mistakes: from.issues, warnings: [], files: [] } };
  const outline = ACCOUNTS_OUTLINE.safeParse(from.value, { reportInput: true });
  const found = outline.success ? [] : findings(outline.error, accountsJsonSchema()).map(from.place);
  const checked = await madeInSlices(checkAccounts(from, env));
  const mistakes = [...from.issues, ...besides(from.issues, found), ...checked.mistakes];
  return { path, digest, checked: { ...checked, mistakes } };
}

/** The part of the schema that a file of accounts has. */
function accountsJsonSchema() {
  const { accounts = {} } = configJsonSchema().properties ?? {};
  return { properties: { accounts } };
}

interface AccountSource {
  readonly path: string;
  readonly accounts: readonly CheckedAccount[];
  /** The accounts that it gave to the configuration in use; undefined where it must be good. */
  readonly inUse: readonly CheckedAccount[] | undefined;
  readonly mistakes: readonly ConfigIssue[];
}

interface MergedAccounts {
  /** By source, those that are used: its own, or, where it holds mistakes, those that it gave before. */
  readonly used: ReadonlyMap<string, readonly CheckedAccount[]>;
  readonly accounts: readonly AccountConfig[];
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
export function askedTwice(accounts: Iterable<CheckedAccount>): ConfigIssue[] {
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

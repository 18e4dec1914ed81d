import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { findings, MOST_ISSUES } from './findings.ts';
import type { Environment } from './interpolation.ts';
import type { ConfigIssue, ConfigPath, Finding } from './issue.ts';
import { formatPath } from './issue.ts';
import { type LenientAccount, lenientAccount } from './lenient.ts';
import { type NamedFile, namedFiles, relativeTo } from './named-files.ts';
import { withEnvironmentProxy } from './proxy-environment.ts';
import { ACCOUNT, type Account, configJsonSchema } from './schema.ts';
import { accountWarnings } from './warnings.ts';
import { besides, type Written } from './written.ts';

/** An account of a file. It knows where it stands, but nothing of the file's text. */
export interface CheckedAccount {
  /** Undefined where it has no name that could be read. */
  readonly name: string | undefined;
  /** Complete, its paths and its proxy included; undefined where it holds mistakes. */
  readonly account: Account | undefined;
  /** Its address and token as a hash; undefined where it has none of its own. */
  readonly access: string | undefined;
  /** For other accounts' messages, such as `accounts[3]`. */
  readonly place: string;
  readonly source: string;
  /** An issue at its name, or at its token. */
  readonly issueAt: (key: 'name' | 'token', message: string) => ConfigIssue;
}

/** The accounts of one file, and what there is to say of each for itself. */
export interface CheckedAccounts {
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
    const checked = check(given, path);
    const found = 'findings' in checked ? besides(from.issues, checked.findings.map(from.place)) : [];
    const proxied =
      'findings' in checked
        ? undefined
        : withEnvironmentProxy(relativeTo(from.directory, checked.account), checked.account.api_url, env);
    if (proxied !== undefined && 'issue' in proxied) found.push(proxied.issue);
    mistakes.push(...found);
    warnings.push(...accountWarnings(lenient, path).map(from.place));
    files.push(...namedFiles(lenient, path, from));
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

type Checked = { readonly account: Account } | { readonly findings: readonly Finding[] };

function check(given: unknown, path: ConfigPath): Checked {
  const parsed = parse(given);
  if (parsed === undefined)
    return { findings: [{ path, at: 'value', message: 'has too many mistakes to list' }] };
  if (parsed.success) return { account: parsed.data };
  return { findings: findings(parsed.error, configJsonSchema(), path) };
}

function parse(given: unknown): z.ZodSafeParseResult<Account> | undefined {
  try {
    return ACCOUNT.safeParse(given, { reportInput: true });
  } catch (error) {
    // zod spreads its issues into a call, which overflows the stack when there are some hundred thousand.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** What the account is known by on the platform. */
function accessOf({ api_url: url = '', token, token_file: file }: LenientAccount): string | undefined {
  if (token === undefined && file === undefined) return undefined;
  const access = JSON.stringify([url.replace(/\/+$/, ''), token, file]);
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

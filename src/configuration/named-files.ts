import { resolve } from 'node:path';
import type { Credentials } from './access.ts';
import type { ConfigIssue, Finding } from './issue.ts';
import { lenientAccounts } from './lenient.ts';
import type { Account, Config } from './schema.ts';

/** What a file that a configuration names is expected to hold. */
export type FileContent = 'token' | 'password' | 'ca' | 'cert' | 'key';

/** A file that a configuration expects a secret in, or a part of TLS. */
export interface NamedFile {
  readonly holds: FileContent;
  readonly path: string;
  /** What there is to say of the file as an issue at the key that names it. */
  issue(message: string): ConfigIssue;
}

const FILES_OF_REQUEST = {
  ca_file: 'ca',
  cert_file: 'cert',
  key_file: 'key',
} as const satisfies Record<string, FileContent>;

/** The files that accounts name, also when the configuration holds mistakes besides. */
export function namedFiles(
  value: unknown,
  directory: string,
  place: (finding: Finding) => ConfigIssue,
): NamedFile[] {
  return lenientAccounts(value).flatMap((account, index) => {
    const named = (keys: readonly string[], holds: FileContent, path: string | undefined): NamedFile[] => {
      if (path === undefined || path.trim() === '') return [];
      const issue = (message: string) => place({ path: ['accounts', index, ...keys], at: 'value', message });
      return [{ holds, path: resolve(directory, path), issue }];
    };
    return [
      ...named(['token_file'], 'token', account.token_file),
      ...named(['password_file'], 'password', account.password_file),
      ...keysOf(FILES_OF_REQUEST).flatMap((key) =>
        named(['request', key], FILES_OF_REQUEST[key], account.request[key]),
      ),
    ];
  });
}

/** The configuration with the paths of its files resolved from `directory`, where the file that names them is. */
export function relativeTo(directory: string, config: Config): Config {
  const accounts = config.accounts.map((account) => ({
    ...account,
    credentials: credentialsIn(directory, account.credentials),
    request: requestIn(directory, account.request),
  }));
  return { ...config, accounts };
}

function credentialsIn(directory: string, credentials: Credentials): Credentials {
  if (credentials.kind === 'token_file')
    return { ...credentials, path: resolve(directory, credentials.path) };
  if (credentials.kind !== 'password' || !('file' in credentials.password)) return credentials;
  return { ...credentials, password: { file: resolve(directory, credentials.password.file) } };
}

function requestIn(directory: string, request: Account['request']): Account['request'] {
  const paths = keysOf(FILES_OF_REQUEST).flatMap((key) => {
    const path = request[key];
    return path === undefined ? [] : [[key, resolve(directory, path)] as const];
  });
  return { ...request, ...Object.fromEntries(paths) };
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}

import { resolve } from 'node:path';
import type { Credentials } from './access.ts';
import type { ConfigIssue, Finding } from './issue.ts';
import { lenientAccounts, lenientReceivers } from './lenient.ts';
import type { RouteKeys } from './route.ts';
import type { Config } from './schema.ts';

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

/** The files that accounts and receivers name, also when the configuration holds mistakes besides. */
export function namedFiles(
  value: unknown,
  directory: string,
  place: (finding: Finding) => ConfigIssue,
): NamedFile[] {
  const sections = { accounts: lenientAccounts(value), push: lenientReceivers(value) };
  return Object.entries(sections).flatMap(([section, parts]) =>
    parts.flatMap((part, index) => {
      const named = (keys: readonly string[], holds: FileContent, path: string | undefined): NamedFile[] => {
        if (path === undefined || path.trim() === '') return [];
        const issue = (message: string) => place({ path: [section, index, ...keys], at: 'value', message });
        return [{ holds, path: resolve(directory, path), issue }];
      };
      return [
        ...named(['token_file'], 'token', part.token_file),
        ...named(['password_file'], 'password', part.password_file),
        ...keysOf(FILES_OF_REQUEST).flatMap((key) =>
          named(['request', key], FILES_OF_REQUEST[key], part.request[key]),
        ),
      ];
    }),
  );
}

/** The configuration with the paths of its files resolved from `directory`, where the file that names them is. */
export function relativeTo(directory: string, config: Config): Config {
  const accounts = config.accounts.map((account) => ({
    ...account,
    credentials: credentialsIn(directory, account.credentials),
    request: requestIn(directory, account.request),
  }));
  const push = config.push.map(({ credentials, ...receiver }) => ({
    ...receiver,
    credentials: credentials && credentialsIn(directory, credentials),
    request: requestIn(directory, receiver.request),
  }));
  return { ...config, accounts, push };
}

function credentialsIn(directory: string, credentials: Credentials): Credentials {
  if (credentials.kind === 'token_file')
    return { ...credentials, path: resolve(directory, credentials.path) };
  if (credentials.kind !== 'password' || !('file' in credentials.password)) return credentials;
  return { ...credentials, password: { file: resolve(directory, credentials.password.file) } };
}

function requestIn<Request extends RouteKeys>(directory: string, request: Request): Request {
  const paths = keysOf(FILES_OF_REQUEST).flatMap((key) => {
    const path = request[key];
    return path === undefined ? [] : [[key, resolve(directory, path)] as const];
  });
  return { ...request, ...Object.fromEntries(paths) };
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}

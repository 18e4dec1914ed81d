import { resolve } from 'node:path';
import type { Credentials } from './access.ts';
import type { ConfigIssue, Finding } from './issue.ts';
import { legibleAccounts } from './legible.ts';
import type { Config } from './schema.ts';

/** A file that a configuration expects a secret in. */
export interface NamedSecretFile {
  readonly holds: 'token' | 'password';
  readonly path: string;
  /** What there is to say of the file as an issue at the key that names it. */
  issue(message: string): ConfigIssue;
}

/** The files that a configuration expects secrets in, also when it holds mistakes besides. */
export function namedSecretFiles(
  value: unknown,
  directory: string,
  place: (finding: Finding) => ConfigIssue,
): NamedSecretFile[] {
  return legibleAccounts(value).flatMap((account, index) =>
    (['token', 'password'] as const).flatMap((holds): NamedSecretFile[] => {
      const key = `${holds}_file` as const;
      const path = account[key];
      if (path === undefined || path.trim() === '') return [];
      const issue = (message: string) => place({ path: ['accounts', index, key], at: 'value', message });
      return [{ holds, path: resolve(directory, path), issue }];
    }),
  );
}

/** The configuration with the paths of its files resolved from `directory`, where the file that names them is. */
export function relativeTo(directory: string, config: Config): Config {
  const accounts = config.accounts.map((account) => ({
    ...account,
    credentials: credentialsIn(directory, account.credentials),
  }));
  return { ...config, accounts };
}

function credentialsIn(directory: string, credentials: Credentials): Credentials {
  if (credentials.kind === 'token_file')
    return { ...credentials, path: resolve(directory, credentials.path) };
  if (credentials.kind !== 'password' || !('file' in credentials.password)) return credentials;
  return { ...credentials, password: { file: resolve(directory, credentials.password.file) } };
}

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CredentialsSource } from '../credentials/token-login.ts';
import type { Written } from './document.ts';
import type { ConfigIssue, ConfigPath } from './issue.ts';
import type { RouteKeys } from './request.ts';
import type { LenientAccount, LenientReceiver } from './warnings.ts';

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

/** The files that an account or receiver names, also when it holds mistakes besides. @param path where it stands */
export function namedFiles(
  part: LenientAccount | LenientReceiver,
  path: ConfigPath,
  { directory, place }: Pick<Written, 'directory' | 'place'>,
): NamedFile[] {
  const named = (keys: readonly string[], holds: FileContent, given: string | undefined): NamedFile[] => {
    if (given === undefined || given.trim() === '') return [];
    const at = place({ path: [...path, ...keys], at: 'value', message: '' });
    return [{ holds, path: resolve(directory, given), issue: (message) => ({ ...at, message }) }];
  };
  return [
    ...named(['token_file'], 'token', part.token_file),
    ...named(['password_file'], 'password', part.password_file),
    ...('oauth2' in part
      ? [
          ...named(['oauth2', 'client_secret_file'], 'password', part.oauth2.client_secret_file),
          ...named(['sigv4', 'secret_key_file'], 'password', part.sigv4.secret_key_file),
        ]
      : []),
    ...keysOf(FILES_OF_REQUEST).flatMap((key) =>
      named(['request', key], FILES_OF_REQUEST[key], part.request[key]),
    ),
  ];
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

interface WithFiles {
  readonly credentials: CredentialsSource | undefined;
  readonly request: RouteKeys;
  readonly oauth2?: { readonly client_secret_file?: string };
  readonly sigv4?: { readonly secret_key_file?: string };
}

/** It with the paths of its files resolved from `directory`, where the file that names them is. */
export function relativeTo<Part extends WithFiles>(directory: string, part: Part): Part {
  const { credentials, oauth2, sigv4 } = part;
  const secretFile = oauth2?.client_secret_file;
  const keyFile = sigv4?.secret_key_file;
  return {
    ...part,
    ...(secretFile !== undefined && {
      oauth2: { ...oauth2, client_secret_file: resolve(directory, secretFile) },
    }),
    ...(keyFile !== undefined && { sigv4: { ...sigv4, secret_key_file: resolve(directory, keyFile) } }),
    credentials: credentials && credentialsIn(directory, credentials),
    request: requestIn(directory, part.request),
  };
}

function credentialsIn(directory: string, credentials: CredentialsSource): CredentialsSource {
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

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Written } from './document.ts';
import type { ConfigIssue, ConfigPath } from './issue.ts';

/** Expected content of a file whose path a configuration contains. */
export type FileContent = 'token' | 'password' | 'ca' | 'cert' | 'key';

/** A configured file with a secret or a part of the TLS settings. */
export interface NamedFile {
  readonly holds: FileContent;
  readonly path: string;
  /** Returns a message about the file as an issue at the key with its path. */
  issue(message: string): ConfigIssue;
}

/** Keys of an account or receiver whose values are paths of files. */
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
 * Returns an account or receiver before validation, with file paths resolved relative to its configuration file, and the list of
 * these files.
 * @param path path of the account or receiver in the configuration
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

/** Permission bits for users other than the owner and group. */
const FOR_OTHERS = 0o006;

/** Returns a warning for each secret file that users other than its owner and group may read or change. */
export async function exposedSecrets(files: readonly NamedFile[]): Promise<ConfigIssue[]> {
  return (await Promise.all(files.map(exposed))).flat();
}

async function exposed({ holds, path, issue }: NamedFile): Promise<ConfigIssue[]> {
  if (holds === 'ca' || holds === 'cert' || process.platform === 'win32') return [];
  // A missing file is reported elsewhere.
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

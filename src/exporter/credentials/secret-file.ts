import type { Stats } from 'node:fs';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { type Credentials, sendable, WITHOUT_LOGIN } from '../platform/credentials.ts';
import { PlatformFailure } from '../platform/read.ts';
import { Secret } from '../secret.ts';

/** Maximum size (bytes) of a secret's file, so that a path to another file does not fill the memory. */
const LARGEST_SECRET_FILE = 16_384;

const FILE_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  ENOTDIR: 'part of its path is not a folder',
};

/** Secret read from a file. */
export interface FoundSecret {
  readonly secret: Secret;
  /** Changes with the file, also if a symbolic link replaces a mounted secret. */
  readonly fingerprint: string;
}

/** Returns the token in a file; `known` if the file has not changed. @throws PlatformFailure `unauthorized` if there is none */
export async function readTokenFile(
  path: string,
  name: string,
  known: FoundSecret | undefined,
): Promise<FoundSecret> {
  const found = await readIfChanged(path, name, known);
  sendable(found.secret, name);
  return found;
}

/** Returns the password in a file. @throws PlatformFailure `unauthorized` if the file cannot be read, is too large, or is empty */
export async function readPasswordFile(path: string, name: string): Promise<Secret> {
  const { secret } = await readIfChanged(path, name, undefined);
  if (secret.reveal() === '') throw new PlatformFailure('unauthorized', `${name} is empty`);
  return secret;
}

/** Reason why a secret cannot be read from a file. */
export interface SecretFileTrouble {
  /** Text without a path, because the configured path may be the secret itself. */
  readonly message: string;
  /** True if the file exists and is readable, so that it is the wrong file or has the wrong content. */
  readonly wrong: boolean;
}

/** Returns the reason why the secret cannot be read from the file now; undefined if it can. */
export async function secretFileTrouble(
  path: string,
  holds: 'token' | 'password',
): Promise<SecretFileTrouble | undefined> {
  try {
    await (holds === 'token'
      ? readTokenFile(path, 'the file', undefined)
      : readPasswordFile(path, 'the file'));
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return { message: error.message, wrong: await isReadable(path) };
  }
}

async function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    // Treats every reason that prevents reading as "no".
    () => false,
  );
}

function unfitness(file: Stats): string | undefined {
  if (file.isDirectory()) return 'it is a folder';
  return file.isFile() && file.size <= LARGEST_SECRET_FILE ? undefined : 'it is not a small regular file';
}

async function readIfChanged(
  path: string,
  name: string,
  known: FoundSecret | undefined,
): Promise<FoundSecret> {
  try {
    // Read after `stat`: the next check then detects a change in between.
    const file = await stat(path);
    const fingerprint = [file.mtimeMs, file.ctimeMs, file.size, file.ino, file.dev].join();
    if (known?.fingerprint === fingerprint) return known;
    const unfit = unfitness(file);
    if (unfit !== undefined) throw new PlatformFailure('unauthorized', `${name} cannot be read: ${unfit}`);
    return { secret: new Secret((await readFile(path, 'utf8')).trim()), fingerprint };
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new PlatformFailure('unauthorized', `${name} cannot be read: ${FILE_WORDS[code] ?? code}`);
  }
}

/**
 * Returns credentials with a token in a file that another program renews. Checks the file before every request, and reads it again
 * if it changed. If the file is empty or cannot be read, for instance during its replacement, the last token stays in use. The
 * problem with the file is reported only if the platform refuses that token.
 */
export function tokenFile(path: string): Credentials {
  let last: FoundSecret | undefined;
  let previous: Secret | undefined;
  /** The last token for which the platform responded with 401; undefined if there is none. */
  let refused: Secret | undefined;
  let looking: Promise<void> | undefined;
  const read = async (known: FoundSecret | undefined): Promise<Secret> => {
    const found = await readTokenFile(path, `the token in ${path}`, known);
    if (found.secret.reveal() !== last?.secret.reveal()) previous = last?.secret;
    last = found;
    return found.secret;
  };
  /** Returns undefined if the file cannot be read, because the last token stays in use. */
  const readIfGood = () => read(last).catch(() => undefined);
  return {
    ...WITHOUT_LOGIN,
    kind: 'token_file',
    async authorization() {
      try {
        return await read(last);
      } catch (error) {
        if (last !== undefined && error instanceof PlatformFailure) return last.secret;
        throw error;
      }
    },
    async refused(used) {
      refused = used;
      return (await read(undefined)).reveal() !== used.reveal();
    },
    async renewed() {
      const now = await readIfGood();
      return now !== undefined && now.reveal() !== refused?.reveal();
    },
    /** One check at a time, because each would block a thread on a disk that hangs. */
    look() {
      looking ??= readIfGood().then(() => {
        looking = undefined;
      });
      return looking;
    },
    owner: () => last?.secret,
    secrets: () => [last?.secret, previous].filter((secret) => secret !== undefined),
  };
}

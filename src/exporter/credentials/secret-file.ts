import type { Stats } from 'node:fs';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { type Credentials, sendable, WITHOUT_LOGIN } from '../platform/credentials.ts';
import { PlatformFailure } from '../platform/read.ts';
import { Secret } from '../secret.ts';

/** More than any token or password has; a path to something else must not be read into memory. */
const LARGEST_SECRET_FILE = 16_384;

const FILE_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  ENOTDIR: 'part of its path is not a folder',
};

/** Secret in its file. */
export interface FoundSecret {
  readonly secret: Secret;
  /** Changes with the file, also if a symbolic link swaps a mounted secret. */
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

/** The password in a file. @throws PlatformFailure `unauthorized` when it cannot be read, is too large, or empty */
export async function readPasswordFile(path: string, name: string): Promise<Secret> {
  const { secret } = await readIfChanged(path, name, undefined);
  if (secret.reveal() === '') throw new PlatformFailure('unauthorized', `${name} is empty`);
  return secret;
}

/** Reason why a secret cannot be read from a file. */
export interface SecretFileTrouble {
  /** Text without a path, because the configured path may be the secret itself. */
  readonly message: string;
  /** True if the file is there and may be read: then it is the wrong one, or has the wrong content. */
  readonly wrong: boolean;
}

/** Returns the reason why the secret cannot be read from the file now, if there is one. */
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
    // Looked at before it is read: a change in between is seen next time.
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
 * A token in a file that something else renews. The file is checked before every request and read again when
 * it changed. A file that cannot be read, or is empty, for instance in the middle of being replaced, leaves the last
 * good token in use. Only if the platform refuses that token, the problem with the file is reported.
 */
export function tokenFile(path: string): Credentials {
  let last: FoundSecret | undefined;
  let previous: Secret | undefined;
  /** The token that the platform last answered 401 to. */
  let refused: Secret | undefined;
  let looking: Promise<void> | undefined;
  const read = async (known: FoundSecret | undefined): Promise<Secret> => {
    const found = await readTokenFile(path, `the token in ${path}`, known);
    if (found.secret.reveal() !== last?.secret.reveal()) previous = last?.secret;
    last = found;
    return found.secret;
  };
  /** Returns undefined if the file cannot be read: the last good token stays in use. */
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
    /** One at a time: on a disk that hangs each would hold a thread. */
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

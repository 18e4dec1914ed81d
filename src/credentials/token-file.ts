import { readFile, stat } from 'node:fs/promises';
import type { Credentials } from '../platform/credentials.ts';
import { sendable } from '../platform/credentials.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import { Secret } from '../secret.ts';

/** More than any token or password has; a path to something else must not be read into memory. */
const LARGEST_SECRET_FILE = 16_384;

const FILE_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  ENOTDIR: 'its folder is not a folder',
};

interface ReadToken {
  readonly token: Secret;
  /** Changes when the file does, also when a mounted secret is swapped by a symbolic link. */
  readonly fingerprint: string;
}

/**
 * A token kept in a file that something else renews. The file is looked at before every request and read again when
 * it changed. A file that cannot be read, or is empty, for instance in the middle of being replaced, leaves the last
 * good token in use: the platform is the judge of that, and only when it refuses it the file's trouble is the reason.
 */
export class TokenFile implements Credentials {
  readonly kind = 'token_file';
  readonly #path: string;
  #last: ReadToken | undefined;
  #previous: Secret | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async authorization(): Promise<Secret> {
    try {
      return await this.#read('when changed');
    } catch (error) {
      if (this.#last !== undefined && error instanceof PlatformFailure) return this.#last.token;
      throw error;
    }
  }

  async refused(used: Secret): Promise<boolean> {
    return (await this.#read('always')).reveal() !== used.reveal();
  }

  expiresAt(): undefined {
    return undefined;
  }

  secrets(): readonly Secret[] {
    return [this.#last?.token, this.#previous].filter((secret) => secret !== undefined);
  }

  async close(): Promise<void> {}

  async #read(mode: 'when changed' | 'always'): Promise<Secret> {
    const known = mode === 'always' ? undefined : this.#last;
    const found = await readTokenFile(this.#path, known);
    if (found.token.reveal() !== this.#last?.token.reveal()) this.#previous = this.#last?.token;
    this.#last = found;
    return found.token;
  }
}

/**
 * A secret from a file, without the white space around it.
 * @throws PlatformFailure `unauthorized` when it cannot be read or is too large
 */
export async function readSecretFile(path: string, name: string): Promise<Secret> {
  return (await readIfChanged(path, name, undefined)).token;
}

async function readTokenFile(path: string, known: ReadToken | undefined): Promise<ReadToken> {
  const name = `the token in ${path}`;
  const found = await readIfChanged(path, name, known);
  sendable(found.token, name);
  return found;
}

async function readIfChanged(path: string, name: string, known: ReadToken | undefined): Promise<ReadToken> {
  try {
    // Looked at before it is read: a change in between is seen next time.
    const file = await stat(path);
    const fingerprint = [file.mtimeMs, file.ctimeMs, file.size, file.ino, file.dev].join();
    if (known?.fingerprint === fingerprint) return known;
    if (!file.isFile() || file.size > LARGEST_SECRET_FILE) {
      throw new PlatformFailure('unauthorized', `${name} cannot be read: it is not a small regular file`);
    }
    return { token: new Secret((await readFile(path, 'utf8')).trim()), fingerprint };
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new PlatformFailure('unauthorized', `${name} cannot be read: ${FILE_WORDS[code] ?? code}`);
  }
}

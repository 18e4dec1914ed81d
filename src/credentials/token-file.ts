import type { Credentials } from '../platform/credentials.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Secret } from '../secret.ts';
import { type FoundSecret, readTokenFile } from './secret-file.ts';

/**
 * A token in a file that something else renews. The file is checked before every request and read again when
 * it changed. A file that cannot be read, or is empty, for instance in the middle of being replaced, leaves the last
 * good token in use. Only if the platform refuses that token, the problem with the file is reported.
 */
export class TokenFile implements Credentials {
  readonly kind = 'token_file';
  readonly #path: string;
  #last: FoundSecret | undefined;
  #previous: Secret | undefined;
  /** The token that the platform last answered 401 to. */
  #refused: Secret | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async authorization(): Promise<Secret> {
    try {
      return await this.#read('when changed');
    } catch (error) {
      if (this.#last !== undefined && error instanceof PlatformFailure) return this.#last.secret;
      throw error;
    }
  }

  async refused(used: Secret): Promise<boolean> {
    this.#refused = used;
    return (await this.#read('always')).reveal() !== used.reveal();
  }

  async renewed(): Promise<boolean> {
    // A file that cannot be read holds nothing to try.
    const now = await this.#read('when changed').catch(() => undefined);
    return now !== undefined && now.reveal() !== this.#refused?.reveal();
  }

  expiresAt(): undefined {
    return undefined;
  }

  secrets(): readonly Secret[] {
    return [this.#last?.secret, this.#previous].filter((secret) => secret !== undefined);
  }

  async close(): Promise<void> {}

  async #read(mode: 'when changed' | 'always'): Promise<Secret> {
    const known = mode === 'always' ? undefined : this.#last;
    const found = await readTokenFile(this.#path, `the token in ${this.#path}`, known);
    if (found.secret.reveal() !== this.#last?.secret.reveal()) this.#previous = this.#last?.secret;
    this.#last = found;
    return found.secret;
  }
}

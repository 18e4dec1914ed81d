import { createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';
import type { ExchangeInfo } from './exchange.ts';
import { PlatformFailure } from './read.ts';

/** Source of an account's token, and the reaction to its refusal. */
export interface Credentials {
  readonly kind: 'token' | 'token_file' | 'password';
  /** Returns the token to send now. @throws PlatformFailure if there is none, and the signal's reason if it aborts */
  authorization(signal: AbortSignal): Promise<Secret>;
  /**
   * Takes in a 401 to `used`.
   * @returns true if there is another token to try
   * @throws PlatformFailure with a better reason than the 401's, if there is one
   */
  refused(used: Secret, signal: AbortSignal): Promise<boolean>;
  /** True if there is something to try that the platform has not refused yet: a new token, or a login that may make one. */
  renewed(): Promise<boolean>;
  /** Looks for a new token without a request. */
  look(): Promise<void>;
  /** Returns the token's expiry (local ms); undefined if only the platform knows it. */
  expiresAt(): number | undefined;
  /** Returns when the exporter replaces the token (local ms). */
  renewsAt(): number | undefined;
  /** Identity of the account's owner: the user name, or else the token in use. Never shown; undefined before there is one. */
  owner(): Secret | undefined;
  /** Everything to mask in texts that come from elsewhere. */
  secrets(): readonly Secret[];
  /** Returns the records of the exchanges that created, renewed and revoked tokens since the last call. */
  takeExchanges(): readonly ExchangeInfo[];
  /** Revokes created tokens, within 2 s or until the signal aborts. */
  close(signal: AbortSignal): Promise<void>;
}

/** Defaults of credentials that create no tokens. */
export const WITHOUT_LOGIN = {
  renewed: async () => false,
  look: async () => undefined,
  expiresAt: () => undefined,
  renewsAt: () => undefined,
  takeExchanges: () => [],
  close: async () => undefined,
} satisfies Partial<Credentials>;

/** A token that the operator created and renews. */
export function staticToken(token: Secret): Credentials {
  return {
    ...WITHOUT_LOGIN,
    kind: 'token',
    authorization: async () => sendable(token, 'the token'),
    refused: async () => false,
    owner: () => token,
    secrets: () => [token],
  };
}

/**
 * Returns credentials that register every secret for masking before each use, and after each call that may have found a
 * new one.
 */
export function guardedCredentials(credentials: Credentials, guard: (secret: Secret) => void): Credentials {
  const guardAll = () => credentials.secrets().forEach(guard);
  // A call that failed has used secrets too: a wrong password is one.
  const guarded =
    <Of extends readonly unknown[], Result>(act: (...of: Of) => Promise<Result>) =>
    (...of: Of) =>
      act.apply(credentials, of as never).finally(guardAll);
  return {
    get kind() {
      return credentials.kind;
    },
    authorization: guarded(credentials.authorization),
    refused: guarded(credentials.refused),
    renewed: guarded(credentials.renewed),
    look: guarded(credentials.look),
    close: guarded(credentials.close),
    expiresAt: () => credentials.expiresAt(),
    renewsAt: () => credentials.renewsAt(),
    owner: () => credentials.owner(),
    secrets: () => credentials.secrets(),
    takeExchanges: () => credentials.takeExchanges(),
  };
}

/**
 * Returns the token if a header can carry it.
 * @param name of the token in the reason
 * @throws PlatformFailure `unauthorized`
 */
export function sendable(token: Secret, name: string): Secret {
  if (/^[\x21-\x7e]+$/.test(token.reveal())) return token;
  const what = token.reveal() === '' ? 'is empty' : 'contains characters that no token has, such as a space';
  throw new PlatformFailure('unauthorized', `${name} ${what}`);
}

/** Hexadecimal digits of an id: enough to distinguish accounts, and nothing can be found out from them. */
const DIGITS = 12;

/**
 * Returns a function for the id of an account, a hash of its origin and its user name or token. Two exporters of one
 * account show the same id.
 * @param former id until there is a token: the first poll reads a file or logs in
 */
export function accountIdOf(
  credentials: Pick<Credentials, 'owner'>,
  origin: string,
  former?: string,
): () => string | undefined {
  let last: { readonly owner: Secret; readonly id: string } | undefined;
  return () => {
    const owner = credentials.owner();
    if (owner === undefined) return former;
    if (last?.owner !== owner) {
      const hash = createHash('sha256').update(`${origin}\n${owner.reveal()}`).digest('hex');
      last = { owner, id: hash.slice(0, DIGITS) };
    }
    return last.id;
  };
}

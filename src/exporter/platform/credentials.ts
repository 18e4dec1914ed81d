import { createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';
import type { ExchangeInfo } from './exchange.ts';
import { PlatformFailure } from './read.ts';

/** Source of an account's token. It also handles a token that the platform refuses. */
export interface Credentials {
  readonly kind: 'token' | 'token_file' | 'password';
  /** Returns the token for the next request. @throws PlatformFailure if there is none, and the signal's reason if it aborts */
  authorization(signal: AbortSignal): Promise<Secret>;
  /**
   * Handles a 401 response to the token `used`.
   * @returns true if there is another token to try
   * @throws PlatformFailure with a more precise reason than the 401, if there is one
   */
  refused(used: Secret, signal: AbortSignal): Promise<boolean>;
  /** Returns true if there is a token or login that the platform has not refused yet. */
  renewed(): Promise<boolean>;
  /** Checks for a new token without a request to the platform. */
  look(): Promise<void>;
  /** Returns the token's expiry (local ms); undefined if only the platform knows it. */
  expiresAt(): number | undefined;
  /** Returns when the exporter will replace the token (local ms); undefined if it does not. */
  renewsAt(): number | undefined;
  /** Identity of the account's owner: the user name, or else the token in use. Never displayed; undefined until it is known. */
  owner(): Secret | undefined;
  /** Returns every secret to mask in texts from the platform. */
  secrets(): readonly Secret[];
  /** Returns the records of exchanges since the last call that created, renewed or revoked tokens. */
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

/** Returns credentials with a fixed token, which the operator created and renews. */
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

/** Returns credentials that register every secret for masking before each use, and after calls that may find a new one. */
export function guardedCredentials(credentials: Credentials, guard: (secret: Secret) => void): Credentials {
  const guardAll = () => credentials.secrets().forEach(guard);
  // A failed call has used secrets too, such as a wrong password.
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
 * Returns the token if a header can contain it.
 * @param name name of the token for the failure's reason
 * @throws PlatformFailure `unauthorized` if a header cannot contain it
 */
export function sendable(token: Secret, name: string): Secret {
  if (/^[\x21-\x7e]+$/.test(token.reveal())) return token;
  const what = token.reveal() === '' ? 'is empty' : 'contains characters that no token has, such as a space';
  throw new PlatformFailure('unauthorized', `${name} ${what}`);
}

/** Number of hexadecimal digits of an id: enough to distinguish accounts, too few to recover anything. */
const DIGITS = 12;

/**
 * Returns a function for the id of an account: a hash of its origin and its user name or token. Two exporters of one account have
 * the same id.
 * @param former id until there is a token, because the first poll reads a file or logs in
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

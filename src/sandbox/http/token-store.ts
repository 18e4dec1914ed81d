import { hexDigits, keyOf } from '../hash.ts';

/** Parts of the API with separate permissions (specification section 5). */
const EDITED_PARTS = [
  'Domains',
  'Security Settings',
  'Edge Functions',
  'Edge Firewall',
  'Intelligent DNS',
  'Network Lists',
  'Content Delivery',
] as const;

export type EditedPart = (typeof EDITED_PARTS)[number];

export type Permission = `${'View' | 'Edit'} ${EditedPart}` | 'Purge' | 'Analytics';

export const PERMISSIONS: readonly Permission[] = [
  ...EDITED_PARTS.flatMap((part) => [`View ${part}`, `Edit ${part}`] as const),
  'Purge',
  'Analytics',
];

/** User who may create tokens, which have the user's permissions. */
export interface User {
  readonly username: string;
  readonly password: string;
  readonly permissions?: readonly Permission[];
}

/** A token that exists from the start and never expires, as if created by hand. */
export interface StaticToken {
  readonly token: string;
  readonly permissions?: readonly Permission[];
}

/** A valid token; times are ms since the epoch. */
export interface Session {
  readonly token: string;
  readonly owner: string | undefined;
  readonly permissions: ReadonlySet<Permission>;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface TokenOptions {
  readonly users: readonly User[];
  readonly tokens: readonly StaticToken[];
  /** Lifetime (ms) of a created token. */
  readonly lifetime: number;
  readonly seed: number;
}

/** Tokens of the account (specification 4.1 and section 5). */
export class Tokens {
  readonly #sessions = new Map<string, Session>();
  readonly #options: TokenOptions;
  #created = 0;

  constructor(options: TokenOptions) {
    this.#options = options;
    for (const { token, permissions } of options.tokens)
      this.#keep(token, undefined, permissions, { createdAt: 0, expiresAt: Infinity });
  }

  #keep(
    token: string,
    owner: string | undefined,
    permissions: readonly Permission[] = PERMISSIONS,
    times: Pick<Session, 'createdAt' | 'expiresAt'>,
  ): Session {
    const session = { token, owner, permissions: new Set(permissions), ...times };
    this.#sessions.set(token, session);
    return session;
  }

  /** Returns the user of an `Authorization: Basic` header if the password is correct; undefined otherwise. */
  userOf(authorization: string | undefined): User | undefined {
    const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '') ?? [];
    if (encoded === undefined) return undefined;
    const credentials = Buffer.from(encoded, 'base64').toString('utf8');
    return this.#options.users.find(({ username, password }) => credentials === `${username}:${password}`);
  }

  /** Returns the valid token in an `Authorization: Token` header, in any letter case; undefined without one. */
  sessionOf(authorization: string | undefined, now: number): Session | undefined {
    const session = this.#carried(authorization);
    return session !== undefined && now < session.expiresAt ? session : undefined;
  }

  /** Returns true if the header contains a token that was valid before. */
  hasExpired(authorization: string | undefined, now: number): boolean {
    return now >= (this.#carried(authorization)?.expiresAt ?? Infinity);
  }

  #carried(authorization: string | undefined): Session | undefined {
    const [, token = ''] = /^token +(\S+)$/i.exec(authorization ?? '') ?? [];
    return this.#sessions.get(token);
  }

  create({ username, permissions }: User, now: number): Session {
    const { seed, lifetime } = this.#options;
    const token = hexDigits(keyOf(keyOf(seed, 'tokens'), `${username} ${this.#created++}`), 40);
    return this.#keep(token, username, permissions, { createdAt: now, expiresAt: now + lifetime });
  }

  /** @returns false if the user has no such token */
  revoke(token: string, user: User): boolean {
    return this.#sessions.get(token)?.owner === user.username && this.#sessions.delete(token);
  }
}

import { hexDigits, keyOf } from '../hash.ts';

/** The permissions that operations require (specification section 5). */
export const PERMISSIONS = [
  'View Domains',
  'Edit Domains',
  'View Security Settings',
  'Edit Security Settings',
  'Purge',
  'View Edge Functions',
  'Edit Edge Functions',
  'View Edge Firewall',
  'Edit Edge Firewall',
  'View Intelligent DNS',
  'Edit Intelligent DNS',
  'View Network Lists',
  'Edit Network Lists',
  'Analytics',
  'View Content Delivery',
  'Edit Content Delivery',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** Someone who may create tokens; what the user may do, the tokens may. */
export interface User {
  readonly username: string;
  readonly password: string;
  readonly permissions?: readonly Permission[];
}

/** A token that exists from the start and never expires, as a person would have made it. */
export interface StaticToken {
  readonly token: string;
  readonly permissions?: readonly Permission[];
}

/** A live token. Times in ms since the epoch. */
export interface Session {
  readonly token: string;
  readonly owner: string | undefined;
  readonly permissions: ReadonlySet<Permission>;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The tokens of the account, by the rules of specification 4.1 and section 5. */
export class Tokens {
  readonly #sessions = new Map<string, Session>();
  readonly #users: readonly User[];
  readonly #lifetime: number;
  readonly #key: number;
  #created = 0;

  constructor(options: {
    users: readonly User[];
    tokens: readonly StaticToken[];
    lifetime: number;
    seed: number;
  }) {
    this.#users = options.users;
    this.#lifetime = options.lifetime;
    this.#key = keyOf(options.seed, 'tokens');
    for (const { token, permissions } of options.tokens) {
      const times = { createdAt: 0, expiresAt: Infinity };
      this.#sessions.set(token, {
        token,
        owner: undefined,
        permissions: new Set(permissions ?? PERMISSIONS),
        ...times,
      });
    }
  }

  /** The user that an `Authorization: Basic` header names, when the password is right. */
  userOf(authorization: string | undefined): User | undefined {
    const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '') ?? [];
    if (encoded === undefined) return undefined;
    const credentials = Buffer.from(encoded, 'base64').toString('utf8');
    return this.#users.find(({ username, password }) => credentials === `${username}:${password}`);
  }

  /** The live token that an `Authorization: Token` header carries; the scheme's letter case does not matter. */
  sessionOf(authorization: string | undefined, now: number): Session | undefined {
    const session = this.#carried(authorization);
    return session !== undefined && now < session.expiresAt ? session : undefined;
  }

  /** Whether the header carries a token that was good once. */
  hasExpired(authorization: string | undefined, now: number): boolean {
    const session = this.#carried(authorization);
    return session !== undefined && now >= session.expiresAt;
  }

  #carried(authorization: string | undefined): Session | undefined {
    const [, token] = /^token +(\S+)$/i.exec(authorization ?? '') ?? [];
    return token === undefined ? undefined : this.#sessions.get(token);
  }

  create(user: User, now: number): Session {
    const token = hexDigits(keyOf(this.#key, `${user.username} ${this.#created++}`), 40);
    const permissions = new Set(user.permissions ?? PERMISSIONS);
    const session = {
      token,
      owner: user.username,
      permissions,
      createdAt: now,
      expiresAt: now + this.#lifetime,
    };
    this.#sessions.set(token, session);
    return session;
  }

  /** @returns false when there is no such token of the user's */
  revoke(token: string, user: User): boolean {
    return this.#sessions.get(token)?.owner === user.username && this.#sessions.delete(token);
  }

  /** How many tokens are good at the moment. */
  live(now: number): number {
    return [...this.#sessions.values()].filter(({ expiresAt }) => now < expiresAt).length;
  }
}

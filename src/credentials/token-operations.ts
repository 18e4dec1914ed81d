import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { addressOf } from '../platform/client.ts';
import { sendable } from '../platform/credentials.ts';
import type { Reply } from '../platform/exchange.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import { Transport, type TransportOptions } from '../platform/transport.ts';
import { Secret } from '../secret.ts';
import { lifeOf, type TokenLife } from './token-life.ts';

/** What a login consists of: either may come back in an answer, and is masked there. */
export interface Login {
  readonly password: Secret;
  /** User name and password as the Authorization header holds them (section 5). */
  readonly basic: Secret;
}

/** A token of our own making. */
export interface CreatedToken extends TokenLife {
  readonly token: Secret;
  /** Milliseconds since the epoch, local clock. */
  readonly createdAt: number;
}

/** Section 2.1; the times are optional, since a token without them is still one. */
const TokenBody = z.object({
  token: z.string(),
  created_at: z.unknown().optional(),
  expires_at: z.unknown().optional(),
});

/** The only requests besides GET: a token's creation and revocation (section 4.1), with Basic authentication. */
export class TokenOperations {
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #transport: Transport;
  /** Version 3 is current; a platform that answers 406 to it is spoken to in version 1 from then on. */
  #version: 3 | 1 = 3;

  constructor(options: TransportOptions) {
    this.#baseUrl = options.baseUrl;
    this.#clock = options.clock;
    this.#transport = new Transport({ ...options, connections: 1 });
  }

  /** @throws PlatformFailure when the platform creates none, and the signal's reason when it aborts */
  async create(login: Login, signal: AbortSignal): Promise<CreatedToken> {
    try {
      return await this.#post(login, signal);
    } catch (error) {
      const unsupported = error instanceof PlatformFailure && error.status === 406 && this.#version === 3;
      if (!unsupported) throw error;
      this.#version = 1;
      return await this.#post(login, signal);
    }
  }

  /** @throws PlatformFailure when the platform refuses, and the signal's reason when it aborts */
  async revoke(token: Secret, login: Login, signal: AbortSignal): Promise<void> {
    await this.#send('DELETE', `/tokens/${encodeURIComponent(token.reveal())}`, login, [token], signal);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #post(login: Login, signal: AbortSignal): Promise<CreatedToken> {
    const { body, info } = await this.#send('POST', '/tokens', login, [], signal);
    const answer = TokenBody.safeParse(body);
    if (!answer.success)
      throw new PlatformFailure('undecodable', 'the created token is missing', info.status);
    const { token, created_at: createdAt, expires_at: expiresAt } = answer.data;
    const receivedAt = this.#clock.now();
    const life = lifeOf({ createdAt, expiresAt, receivedAt, serverDate: info.serverDate });
    return { token: sendable(new Secret(token), 'the created token'), createdAt: receivedAt, ...life };
  }

  async #send(
    method: 'POST' | 'DELETE',
    path: string,
    { password, basic }: Login,
    secrets: readonly Secret[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const reply = await this.#transport.exchange(
      {
        method,
        path: addressOf(this.#baseUrl, path),
        version: this.#version,
        authorization: new Secret(`Basic ${basic.reveal()}`),
        secrets: [password, basic, ...secrets],
      },
      signal,
    );
    if (reply.location === undefined) return reply;
    throw new PlatformFailure('undecodable', 'redirect of a login refused', reply.info.status);
  }
}

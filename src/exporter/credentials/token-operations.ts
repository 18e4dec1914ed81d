import { z } from 'zod';
import { withDeadline } from '../clock.ts';
import { addressOf } from '../platform/client.ts';
import { sendable } from '../platform/credentials.ts';
import {
  ExchangeFailure,
  type ExchangeInfo,
  type PlatformReply,
  Transport,
  type TransportOptions,
} from '../platform/exchange.ts';
import { parseTimestamp } from '../platform/platform-clock.ts';
import { PlatformFailure } from '../platform/read.ts';
import { Secret } from '../secret.ts';

/** User name and password. Both are masked in responses. */
export interface Login {
  readonly password: Secret;
  /** Encoded user name and password of the Authorization header (section 5). */
  readonly basic: Secret;
}

/** A token that the exporter created. */
export interface CreatedToken extends Readonly<ReturnType<typeof lifeOf>> {
  readonly token: Secret;
  /** Milliseconds since the epoch, local clock. */
  readonly createdAt: number;
}

/** Response body of a token creation (section 2.1). */
const TokenBody = z.object({
  token: z.string(),
  created_at: z.unknown().optional(),
  expires_at: z.unknown().optional(),
});

/** Creates and revokes tokens (section 4.1) with Basic authentication. These are the only requests besides GET and questions. */
export class TokenOperations {
  readonly #options: TransportOptions;
  readonly #transport: Transport;
  /** API version in use. Version 3 is current; after a 406, version 1 is used. */
  #version: 3 | 1 = 3;
  #exchanges: readonly ExchangeInfo[] = [];

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#transport = new Transport({ ...options, connections: 1 });
  }

  /** @throws PlatformFailure if the platform creates no token, and the signal's reason if it aborts */
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

  /** @throws PlatformFailure if the platform refuses, and the signal's reason if it aborts */
  async revoke(token: Secret, login: Login, signal: AbortSignal): Promise<void> {
    await this.#send('DELETE', `/tokens/${encodeURIComponent(token.reveal())}`, login, [token], signal);
  }

  /** Returns the records of exchanges since the last call. */
  takeExchanges(): readonly ExchangeInfo[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
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
    const receivedAt = this.#options.clock.now();
    const life = lifeOf({ createdAt, expiresAt, receivedAt, serverDate: info.serverDate });
    return { token: sendable(new Secret(token), 'the created token'), createdAt: receivedAt, ...life };
  }

  async #send(
    method: 'POST' | 'DELETE',
    path: string,
    { password, basic }: Login,
    secrets: readonly Secret[],
    signal: AbortSignal,
  ): Promise<PlatformReply> {
    const outgoing = {
      method,
      path: addressOf(this.#options.baseUrl, path),
      version: this.#version,
      authorization: new Secret(`Basic ${basic.reveal()}`),
      secrets: [password, basic, ...secrets],
    };
    const exchanged = withDeadline(this.#options.timeoutMs, signal, (inner) =>
      this.#transport.exchange(outgoing, inner),
    );
    const reply = await exchanged.catch((error: unknown) => {
      if (error instanceof ExchangeFailure) this.#exchanges = [...this.#exchanges, error.info];
      throw error;
    });
    this.#exchanges = [...this.#exchanges, reply.info];
    return reply;
  }
}

/** Lifetime (ms) in the specification's example (section 5), assumed if a response has none. */
const ASSUMED_LIFETIME_MS = 24 * 3_600_000;
/** Minimum lifetime (ms) that is assumed, so that tokens are not created all the time. The platform refuses expired ones. */
const SHORTEST_LIFETIME_MS = 60_000;
/** Share of its lifetime after which a token is renewed: late enough not to waste tokens, early enough for several attempts. */
const RENEWED_AFTER_SHARE = 0.85;

/** Returns the lifetime of a token in local time, computed from the difference of the platform's times. */
export function lifeOf({
  createdAt,
  expiresAt,
  receivedAt,
  serverDate,
}: {
  /** Times from the platform, not validated (section 2.1). */
  readonly createdAt: unknown;
  readonly expiresAt: unknown;
  /** Local time of the response, and the time of its `Date` header. */
  readonly receivedAt: number;
  readonly serverDate: number | undefined;
}) {
  const end = timeOf(expiresAt);
  const start = timeOf(createdAt) ?? serverDate ?? receivedAt;
  const stated = end === undefined || end <= start ? undefined : end - start;
  const lifetime = Math.max(stated ?? ASSUMED_LIFETIME_MS, SHORTEST_LIFETIME_MS);
  return {
    /** Local times (ms) at which to create the next token, and at which this one expires. */
    renewAt: receivedAt + lifetime * RENEWED_AFTER_SHARE,
    expiresAt: receivedAt + lifetime,
    /** True if the platform returned no usable expiry. */
    assumed: stated === undefined,
  };
}

function timeOf(value: unknown): number | undefined {
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}

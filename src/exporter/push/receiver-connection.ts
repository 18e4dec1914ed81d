import { DeadlineExceeded, unlessAborted, withDeadline } from '../clock.ts';
import { routeOf } from '../configuration/access.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { connectorOf } from '../platform/connector.ts';
import { networkFailure } from '../platform/network-failure.ts';
import { parseRetryAfter, parseServerDate } from '../platform/platform-clock.ts';
import { PlatformFailure } from '../platform/read.ts';
import { Pool } from '../platform/undici.ts';
import { type Secret, scrub } from '../secret.ts';
import { VERSION } from '../version.ts';
import { beginningOf } from './answer-body.ts';
import { ReceiverLogin } from './receiver-login.ts';

/** An answer of a receiver. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Beginning of the body. */
  readonly body: Uint8Array;
  /** Body as one line of text without secrets. */
  readonly words: string;
  readonly retryAfterMs: number | undefined;
}

/** Failure to get a response, or to read it to its end; the message is safe to log. */
export class NoReply extends Error {
  override readonly name = 'NoReply';
}

/** Maximum number of connections. Each request uses one, and a replica sends for each of its accounts. */
const MOST_CONNECTIONS = 16;

const MOST_WORDS = 300;

/** HTTP connection to one receiver. */
export class ReceiverConnection {
  readonly #receiver: Receiver;
  readonly #now: () => number;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #login: ReceiverLogin;

  constructor(receiver: Receiver, now: () => number) {
    const { origin, pathname, search } = new URL(receiver.url);
    this.#receiver = receiver;
    this.#now = now;
    this.#path = pathname + search;
    this.#pool = poolTo(origin, receiver.request, MOST_CONNECTIONS);
    this.#login = new ReceiverLogin(receiver, (other) => poolTo(other, receiver.request, 1), now);
  }

  /** Posts a message. @throws NoReply if there is no response, and the signal's reason if it aborts */
  async post(
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { timeout } = this.#receiver.request;
    const secrets: Secret[] = Object.values(this.#receiver.headers);
    try {
      return await withDeadline(timeout, signal, (inner) => this.#posted(body, headers, secrets, inner));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DeadlineExceeded) throw new NoReply(`no answer within ${timeout / 1_000} s`);
      const { message } = error instanceof PlatformFailure ? error : networkFailure(error);
      throw new NoReply(scrub(message, secrets));
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#login.close()]);
  }

  /** Posts a message once. @param secrets secrets of the receiver's headers; those of the login are added */
  async #posted(
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    secrets: Secret[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const guard = (secret: Secret) => {
      secrets.push(secret);
      return secret.reveal();
    };
    const further = Object.entries(this.#receiver.headers).map(([name, value]) => [name, value.reveal()]);
    const login = await this.#login.headers({ body, at: this.#now() }, guard, signal);
    const request = this.#pool.request({
      method: 'POST',
      path: this.#path,
      body,
      headers: {
        ...Object.fromEntries(further),
        ...headers,
        ...login,
        'user-agent': `edge-exporter/${VERSION}`,
      },
      signal,
    });
    const response = await unlessAborted(request, signal);
    if (response.statusCode === 401) this.#login.refused();
    const said = await beginningOf(response.body);
    return {
      status: response.statusCode,
      headers: response.headers,
      body: said,
      words: scrub(inOneLine(said.toString('utf8')), secrets),
      retryAfterMs: parseRetryAfter(response.headers, parseServerDate(response.headers) ?? this.#now()),
    };
  }
}

function poolTo(origin: string, request: Receiver['request'], connections: number): Pool {
  const { timeout } = request;
  const connect = connectorOf(routeOf(request), { timeoutMs: timeout });
  return new Pool(origin, { connections, connect, headersTimeout: timeout, bodyTimeout: timeout });
}

/** Returns the text without characters that would break the line or the terminal. */
function inOneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS - 1)}…` : line;
}

import { DeadlineExceeded, deadlineWithin, unlessAborted } from '../clock.ts';
import { Secret } from '../secret.ts';
import type { Credentials } from './credentials.ts';
import {
  ExchangeFailure,
  type ExchangeInfo,
  noAnswerWithin,
  type Outgoing,
  Transport,
  type TransportOptions,
} from './exchange.ts';
import { type Answer, PlatformFailure, type Resource } from './read.ts';

export interface ClientOptions extends TransportOptions {
  /** The caller closes them. */
  readonly credentials: Credentials;
  /** Path below the base address that takes questions by POST; default: none. */
  readonly questionsTo?: string;
}

/**
 * Reads one account's resources. Can do nothing but GET, and POST questions to the one path that takes them; sends the token
 * nowhere but to the account's origin.
 */
export class Client {
  readonly #baseUrl: string;
  readonly #credentials: Credentials;
  readonly #transport: Transport;
  readonly #timeoutMs: number;
  readonly #questionsTo: string | undefined;

  constructor({ credentials, questionsTo, ...options }: ClientOptions) {
    this.#questionsTo = questionsTo;
    this.#baseUrl = options.baseUrl;
    this.#timeoutMs = options.timeoutMs;
    this.#credentials = credentials;
    this.#transport = new Transport(options);
  }

  /**
   * Reads a resource: yields the record of each exchange once it has ended and before the next begins, and returns the
   * answer. There is more than one when a connection is lost, and when the token is refused and the credentials know another
   * one; all of it together ends within the timeout. No redirect is followed.
   * @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts
   */
  async *get(resource: Resource, signal: AbortSignal): AsyncGenerator<ExchangeInfo, Answer> {
    const { path, version, query, question } = resource;
    if (question !== undefined && path !== this.#questionsTo) {
      throw new PlatformFailure('network', `refused to send a question to ${path.slice(0, 80)}`);
    }
    const request = { path: addressOf(this.#baseUrl, path, query), version, question };
    const deadline = deadlineWithin(this.#timeoutMs, signal);
    try {
      return yield* this.#get(request, deadline.signal);
    } catch (error) {
      if (error instanceof DeadlineExceeded) throw noAnswerWithin(this.#timeoutMs);
      throw error;
    } finally {
      deadline.end();
    }
  }

  async *#get(request: PlatformRequest, signal: AbortSignal): AsyncGenerator<ExchangeInfo, Answer> {
    const token = yield* this.#ask((credentials) => credentials.authorization(signal), signal);
    try {
      return yield* this.#send(request, token, signal);
    } catch (error) {
      const isRefused = error instanceof PlatformFailure && error.status === 401;
      if (!isRefused) throw error;
      const another = yield* this.#ask((credentials) => credentials.refused(token, signal), signal);
      if (!another) throw error;
      const next = yield* this.#ask((credentials) => credentials.authorization(signal), signal);
      return yield* this.#send(request, next, signal);
    }
  }

  /** Asks the credentials, which may take a login, or a file on a disk that hangs. */
  async *#ask<T>(
    question: (credentials: Credentials) => Promise<T>,
    signal: AbortSignal,
  ): AsyncGenerator<ExchangeInfo, T> {
    try {
      return await unlessAborted(question(this.#credentials), signal);
    } finally {
      yield* this.#credentials.takeExchanges();
    }
  }

  /** Closes the connections. Running requests fail; the caller aborts them first. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Sends a request. A GET whose connection was lost before any answer is sent once more, at once, as another exchange. */
  async *#send(
    { path, version, question }: PlatformRequest,
    token: Secret,
    signal: AbortSignal,
  ): AsyncGenerator<ExchangeInfo, Answer> {
    const authorization = new Secret(`Token ${token.reveal()}`);
    const secrets = [token, ...this.#credentials.secrets()];
    const outgoing: Outgoing =
      question === undefined
        ? { method: 'GET', path, version, authorization, secrets }
        : { method: 'POST', path, version, authorization, secrets, body: question };
    for (let isAgain = false; ; isAgain = true) {
      try {
        const { body, info } = await this.#transport.exchange(outgoing, signal, isAgain);
        yield info;
        return { body, bytes: info.bytes };
      } catch (error) {
        if (!(error instanceof ExchangeFailure)) throw error;
        yield error.info;
        if (isAgain || outgoing.method !== 'GET' || !error.isConnectionLost) throw error;
      }
    }
  }
}

/** Request that is repeated after a lost connection or with another token. */
interface PlatformRequest {
  /** Path and query on the account's origin. */
  readonly path: string;
  readonly version: number;
  readonly question: string | undefined;
}

/**
 * Returns path and query of a resource below the account's base address.
 * @param path begins with one slash; the caller URI-encodes parts that came from the platform
 * @throws PlatformFailure if the path could lead outside the base address
 */
export function addressOf(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  if (!/^\/(?![/\\])/.test(path) || path.split(/[/\\]/).some(isDotSegment)) {
    throw new PlatformFailure(
      'network',
      `refused a path outside the account's base address: ${path.slice(0, 80)}`,
    );
  }
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  url.search = new URLSearchParams(query).toString();
  return url.pathname + url.search;
}

/** `.` and `..`, which a URL resolves, written in any of the ways in which it recognises them. */
function isDotSegment(segment: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(segment);
}

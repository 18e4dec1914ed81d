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
  /** Source of the token. The caller closes it. */
  readonly credentials: Credentials;
  /** Path below the base address that accepts questions by POST; undefined if none does. */
  readonly questionsTo?: string;
}

/** Reads the resources of one account. Sends only GET, and POST of questions to a single path, and only to its origin. */
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
   * Reads a resource. Yields the record of each exchange before the next one begins, and returns the response. A second exchange
   * follows a lost connection, or a refused token if the credentials have another one. The timeout covers all exchanges together.
   * Redirects are not followed.
   * @throws PlatformFailure if there is no usable response, and the signal's reason if it aborts
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

  /** Asks the credentials, within the timeout: they may need a login, or a file on a disk that hangs. */
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

  /** Closes the connections. Running requests fail, so the caller aborts them first. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Sends a request. If the connection of a GET is lost before any response, sends it once more, as a second exchange. */
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

/** Request that can be sent again after a lost connection or with another token. */
interface PlatformRequest {
  /** Path and query on the account's origin. */
  readonly path: string;
  readonly version: number;
  readonly question: string | undefined;
}

/**
 * Returns the path and query of a resource below the account's base address.
 * @param path begins with one slash; the caller URI-encodes parts that the platform provided
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

/** Returns true for `.` and `..`, which a URL resolves, in any of the encodings that it recognises. */
function isDotSegment(segment: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(segment);
}

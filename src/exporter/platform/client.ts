import { DeadlineExceeded, deadlineWithin, unlessAborted } from '../clock.ts';
import { Secret } from '../secret.ts';
import type { Credentials } from './credentials.ts';
import {
  ExchangeFailure,
  type ExchangeInfo,
  noAnswerWithin,
  type Outgoing,
  type PlatformReply,
  Transport,
  type TransportOptions,
} from './exchange.ts';
import { type Answer, PlatformFailure, type Resource } from './read.ts';

const MOST_REDIRECTS = 3;

export interface ClientOptions extends TransportOptions {
  /** Whoever made them closes them. */
  readonly credentials: Credentials;
  /** The one path below the base address that takes questions, which are sent by POST; default: none does. */
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
   * answer. There is more than one when the platform redirects (three times at most), and when the token is refused and the
   * credentials know another one; all of it together ends within the timeout.
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
      return yield* this.#follow(request, token, signal);
    } catch (error) {
      const isRefused = error instanceof PlatformFailure && error.status === 401;
      if (!isRefused) throw error;
      const another = yield* this.#ask((credentials) => credentials.refused(token, signal), signal);
      if (!another) throw error;
      const next = yield* this.#ask((credentials) => credentials.authorization(signal), signal);
      return yield* this.#follow(request, next, signal);
    }
  }

  /** What the credentials answer, which may take a login, or a file on a disk that hangs. */
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

  /** Closes the connections. What is still under way fails; the caller aborts it first. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async *#follow(
    request: PlatformRequest,
    token: Secret,
    signal: AbortSignal,
  ): AsyncGenerator<ExchangeInfo, Answer> {
    let { path } = request;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const { body, location, info } = yield* this.#send({ ...request, path }, token, signal);
      if (location === undefined) return { body, bytes: info.bytes };
      if (request.question !== undefined) {
        throw new PlatformFailure('undecodable', 'the answer to a question is a redirect', info.status);
      }
      path = redirectTarget(this.#baseUrl, path, location);
    }
    throw new PlatformFailure('undecodable', `redirected more than ${MOST_REDIRECTS} times`);
  }

  /** Sends a request. A GET whose connection was lost before any answer is sent once more, at once, as another exchange. */
  async *#send(
    { path, version, question }: PlatformRequest,
    token: Secret,
    signal: AbortSignal,
  ): AsyncGenerator<ExchangeInfo, PlatformReply> {
    const authorization = new Secret(`Token ${token.reveal()}`);
    const secrets = [token, ...this.#credentials.secrets()];
    const outgoing: Outgoing =
      question === undefined
        ? { method: 'GET', path, version, authorization, secrets }
        : { method: 'POST', path, version, authorization, secrets, body: question };
    for (let isAgain = false; ; isAgain = true) {
      try {
        const reply = await this.#transport.exchange(outgoing, signal, isAgain);
        yield reply.info;
        return reply;
      } catch (error) {
        if (!(error instanceof ExchangeFailure)) throw error;
        yield error.info;
        if (isAgain || outgoing.method !== 'GET' || !error.isConnectionLost) throw error;
      }
    }
  }
}

/** What is sent, again and again where it is redirected or the token is another one. */
interface PlatformRequest {
  /** Path and query on the account's origin. */
  readonly path: string;
  readonly version: number;
  readonly question: string | undefined;
}

/**
 * Path and query of a resource below the account's base address.
 * @param path begins with one slash; parts of it that came from the platform are URI-encoded by the caller
 * @throws PlatformFailure when the path could mean anything but a place below the base address
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

/**
 * Where a redirect leads, as path and query on the account's origin.
 * @param from path and query of the request that was redirected
 * @throws PlatformFailure when it leads to another origin: another scheme, host or port
 */
function redirectTarget(baseUrl: string, from: string, location: string): string {
  const base = new URL(baseUrl);
  const current = new URL(base.origin + from);
  if (!URL.canParse(location, current.href)) {
    throw new PlatformFailure('undecodable', 'redirect to an invalid address');
  }
  const target = new URL(location, current);
  if (target.origin !== base.origin || target.protocol !== base.protocol) {
    throw new PlatformFailure('undecodable', `redirect to another origin (${target.host}) refused`);
  }
  return target.pathname + target.search;
}

/** `.` and `..`, which a URL resolves, written in any of the ways in which it recognises them. */
function isDotSegment(segment: string): boolean {
  return /^(\.|%2e){1,2}$/i.test(segment);
}

import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../clock.ts';
import { Scrubber } from '../scrubber.ts';
import type { Secret } from '../secret.ts';
import { VERSION } from '../version.ts';
import { connectorOf, type Route } from './connector.ts';
import { DeadlineExceeded, unlessAborted, withDeadline } from './deadline.ts';
import {
  type BodyKind,
  ExchangeFailure,
  type ExchangeInfo,
  type ExchangeOutcome,
  type Form,
  formOf,
  type Outgoing,
  type Reply,
  responseOriginOf,
} from './exchange.ts';
import { brokenBodyFailure, networkFailure } from './network-failure.ts';
import { PlatformFailure } from './outcome.ts';
import { secretsOfProxy } from './proxy.ts';
import { parseRateLimit, parseRetryAfter, parseServerDate } from './rate-limit-headers.ts';
import { type Received, receiveDocument, receiveRefusal } from './response-body.ts';

export interface TransportOptions {
  /** The account's base address. Every request goes to its origin, by construction of the pool. */
  readonly baseUrl: string;
  /** How its connections are made; straight there, trusting the well-known authorities, where it is left out. */
  readonly route?: Route;
  /** For a whole exchange, from the request's start to the body's last byte. */
  readonly timeoutMs: number;
  /** Largest body accepted, as sent and as decoded. */
  readonly maxResponseBytes: number;
  /** Most connections open at once; they are kept alive between requests. */
  readonly connections: number;
  /** For the reports' times; deadlines run in real time. */
  readonly clock: Clock;
  /** Told of every exchange, successful or not, before its promise settles. */
  readonly onExchange?: (info: ExchangeInfo) => void;
}

/** What has come of an exchange so far, kept for the report in case it fails half-way. */
interface ExchangeState {
  status?: number;
  form?: Form;
  body?: BodyKind;
  bytes: number;
  fromHeaders: Pick<ExchangeInfo, 'serverDate' | 'rate' | 'retryAfterMs'>;
}

/** Exchanges with one account's origin: requests there, typed and reported results back. Knows nothing of tokens. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #pool: Pool;
  /** Kept, since to find out how a secret can stand in a text takes longer than to mask it. */
  readonly #scrubber = new Scrubber();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#pool = new Pool(new URL(options.baseUrl).origin, {
      connections: options.connections,
      connect: connectorOf(options.route ?? { tls: {} }, options),
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
    });
  }

  /**
   * One request and its answer. Redirects are handed back, not followed.
   * @throws ExchangeFailure when there is no usable answer, also where a deadline aborts the signal, and the signal's
   * reason when it aborts otherwise
   */
  async exchange(outgoing: Outgoing, signal: AbortSignal): Promise<Reply> {
    signal.throwIfAborted();
    const { timeoutMs, clock } = this.#options;
    const startedAt = clock.now();
    const state: ExchangeState = { bytes: 0, fromHeaders: {} };
    try {
      // Not everything takes notice of the signal: a decompression waits for a free thread, however long that takes.
      const reply = await withDeadline(timeoutMs, signal, (inner) =>
        unlessAborted(this.#perform(outgoing, state, inner), inner),
      );
      const outcome = reply.location === undefined ? 'ok' : 'redirected';
      return { ...reply, info: this.#report(outgoing, startedAt, state, outcome) };
    } catch (error) {
      if (signal.aborted && !(signal.reason instanceof DeadlineExceeded)) {
        this.#report(outgoing, startedAt, state, 'aborted');
        throw signal.reason;
      }
      const failure = this.#failureOf(error, state, [
        ...secretsOf(outgoing),
        ...secretsOfProxy(this.#options.route?.proxy),
      ]);
      throw new ExchangeFailure(failure, this.#report(outgoing, startedAt, state, failure.outcome));
    }
  }

  /** Closes all connections. What is still under way fails; the caller aborts it first. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #perform(
    outgoing: Outgoing,
    state: ExchangeState,
    signal: AbortSignal,
  ): Promise<Omit<Reply, 'info'>> {
    const response = await this.#pool.request({ ...requestOf(outgoing), signal });
    state.status = response.statusCode;
    state.form = formOf(response.headers['content-type']);
    state.fromHeaders = readHeaders(response.headers, this.#options.clock.now());
    const { location } = response.headers;
    if (response.statusCode >= 300 && response.statusCode < 400 && typeof location === 'string') {
      await response.body.dump();
      return { body: undefined, location };
    }
    if (response.statusCode >= 300) {
      throw noted(await receiveRefusal(response, secretsOf(outgoing)), state);
    }
    // A DELETE answers 204 without a body (section 4.1); anything else in it is of no interest.
    if (outgoing.method === 'DELETE') {
      await response.body.dump();
      return { body: undefined };
    }
    const document = await receiveDocument(response, this.#options.maxResponseBytes, secretsOf(outgoing));
    const body = noted(document, state);
    if (body instanceof PlatformFailure) throw body;
    return { body };
  }

  #failureOf(error: unknown, state: ExchangeState, secrets: readonly Secret[]): PlatformFailure {
    if (error instanceof PlatformFailure) return error;
    const { status } = state;
    if (error instanceof DeadlineExceeded) return noAnswerWithin(this.#options.timeoutMs, status);
    const failure = status === undefined ? networkFailure(error) : brokenBodyFailure(error, status);
    return new PlatformFailure(failure.outcome, this.#scrubbed(failure.message, secrets), failure.status);
  }

  #scrubbed(text: string, secrets: readonly Secret[]): string {
    for (const secret of secrets) this.#scrubber.guard(secret);
    return this.#scrubber.scrub(text);
  }

  #report(
    { method, path, version, ...outgoing }: Outgoing,
    startedAt: number,
    { status, form, body, bytes, fromHeaders }: ExchangeState,
    outcome: ExchangeOutcome,
  ): ExchangeInfo {
    const info: ExchangeInfo = {
      method,
      path: this.#scrubbed(path, secretsOf(outgoing)),
      version,
      ...(status !== undefined && {
        status,
        answeredBy: responseOriginOf({ status, rate: fromHeaders.rate, body }),
      }),
      ...(form !== undefined && { form }),
      outcome,
      startedAt,
      endedAt: this.#options.clock.now(),
      ...fromHeaders,
      bytes,
    };
    this.#options.onExchange?.(info);
    return info;
  }
}

/** @param status of an answer whose body did not come to its end */
export function noAnswerWithin(timeoutMs: number, status?: number): PlatformFailure {
  const what = status === undefined ? 'no answer' : 'no complete answer';
  return new PlatformFailure('timeout', `${what} within ${timeoutMs / 1_000} s`, status);
}

function requestOf({ method, path, version, authorization }: Outgoing): Dispatcher.RequestOptions {
  return {
    method,
    path,
    headers: {
      accept: `application/json; version=${version}`,
      'accept-encoding': 'gzip',
      authorization: authorization.reveal(),
      'user-agent': `edge-exporter/${VERSION}`,
    },
  };
}

function readHeaders(headers: Dispatcher.ResponseData['headers'], now: number): ExchangeState['fromHeaders'] {
  const serverDate = parseServerDate(headers);
  const rate = parseRateLimit(headers);
  const retryAfterMs = parseRetryAfter(headers, serverDate ?? now);
  return {
    ...(serverDate !== undefined && { serverDate }),
    ...(rate !== undefined && { rate }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function noted<T>({ content, bytes, kind }: Received<T>, state: ExchangeState): T {
  state.bytes = bytes;
  state.body = kind;
  return content;
}

function secretsOf({
  authorization,
  secrets,
}: Pick<Outgoing, 'authorization' | 'secrets'>): readonly Secret[] {
  return [authorization, ...secrets];
}

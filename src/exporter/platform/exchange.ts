import { type Clock, DeadlineExceeded, unlessAborted } from '../clock.ts';
import { Scrubber, type Secret } from '../secret.ts';
import { VERSION } from '../version.ts';
import { connectorOf, type Route } from './connector.ts';
import { brokenBodyFailure, isConnectionLost, networkFailure, type Scrub } from './network-failure.ts';
import { parseRateLimit, parseRetryAfter, parseServerDate, type RateLimit } from './platform-clock.ts';
import { type Outcome, PlatformFailure } from './read.ts';
import { type BodyKind, type Received, receiveDocument, receiveRefusal } from './response-body.ts';
import { type Dispatcher, Pool } from './undici.ts';

/** Origin of a response: certainly the platform, certainly another server, or either. */
export type ResponseOrigin = 'platform' | 'unclear' | 'foreign';

/** Kinds of content, in the words of an operator. */
export type Form = 'JSON' | 'HTML' | 'text' | 'nothing' | 'something else';

/** Outcome of one exchange. */
export type ExchangeOutcome = Exclude<Outcome, 'empty'>;

/** Record of one exchange with the platform, with or without a response. An aborted exchange has none. Contains no secret. */
export interface ExchangeInfo {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** True for a question: a POST that only reads. */
  readonly isQuestion?: true;
  /** Path and query as sent, with secrets masked. */
  readonly path: string;
  /** Version in the Accept header. */
  readonly version: number;
  /** Status of the response; absent without a response. */
  readonly status?: number;
  readonly outcome: ExchangeOutcome;
  /** Reason why there is no usable response; absent if there is one. */
  readonly reason?: string;
  /** Origin of the response; absent without a response. */
  readonly answeredBy?: ResponseOrigin;
  readonly form?: Form;
  /** Start of the exchange: ms since the epoch, local clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Time in the `Date` header: ms since the epoch, platform's clock. */
  readonly serverDate?: number;
  readonly rate?: RateLimit;
  /** Wait (ms) in the `Retry-After` header. */
  readonly retryAfterMs?: number;
  /** Decoded size (bytes) of the part of the body that was read. */
  readonly bytes: number;
}

/** One request, ready to send on the account's own connections. */
export interface Outgoing {
  readonly method: ExchangeInfo['method'];
  /** Path and query on the account's origin. */
  readonly path: string;
  readonly version: number;
  /** The Authorization header. */
  readonly authorization: Secret;
  /** Secrets to mask in reasons and records, in addition to the header. */
  readonly secrets: readonly Secret[];
  /** JSON text of a question. */
  readonly body?: string;
}

/** A usable response, with the record of its exchange. */
export interface PlatformReply {
  /** The JSON document; undefined for a DELETE. */
  readonly body: unknown;
  readonly info: ExchangeInfo;
}

/** Failure of an exchange without a usable response, with its record. */
export class ExchangeFailure extends PlatformFailure {
  readonly info: ExchangeInfo;
  /** True if the connection was lost before any response, as an idle connection may be. */
  readonly isConnectionLost: boolean;

  constructor(failure: PlatformFailure, info: ExchangeInfo, isConnectionLost = false) {
    super(failure.outcome, failure.message, failure.status);
    this.info = info;
    this.isConnectionLost = isConnectionLost;
  }
}

/** Returns a description of the response to a failed read that is certainly not the platform's; undefined for others. */
export function foreignAnswerOf(failure: PlatformFailure): string | undefined {
  // With a response, its headers and form decide. If a reader could not use a document, its failure decides.
  const info = failure instanceof ExchangeFailure ? failure.info : undefined;
  if (info?.answeredBy !== undefined)
    return info.answeredBy === 'foreign' ? describeForeignAnswer(info) : undefined;
  return failure.outcome === 'undecodable' ? failure.message : undefined;
}

/** Returns true if an exchange is a read, rather than an operation on a token. */
export function isRead({ method, isQuestion }: Pick<ExchangeInfo, 'method' | 'isQuestion'>): boolean {
  return method === 'GET' || isQuestion === true;
}

/** Returns a description of a response that is not the platform's. */
export function describeForeignAnswer({ status = 0, form, reason }: ExchangeInfo): string {
  const isRedirect = status >= 300 && status < 400 && reason !== undefined;
  return isRedirect ? reason : `answers ${status} with ${form}, unlike the platform's API`;
}

/** Properties of a response from which its origin is determined. */
export interface ResponseTraits {
  readonly status: number;
  readonly rate: RateLimit | undefined;
  /** Undefined if the body was not read to its end, or does not matter. */
  readonly body: BodyKind | undefined;
}

/**
 * Returns the origin of a response. Rate limit headers (section 8) with a date as reset, and errors in the platform's form,
 * identify the platform. A 404 does not, because many servers word it alike. Only the reader of a document knows if it is the
 * platform's. A proxy may respond with a 5xx for any server.
 */
export function responseOriginOf({ status, rate, body }: ResponseTraits): ResponseOrigin {
  if (rate?.resetAt !== undefined) return 'platform';
  if (body === 'documented_error') return status === 404 ? 'unclear' : 'platform';
  return body === 'other' && status < 500 ? 'foreign' : 'unclear';
}

/** Returns the kind of content in the exporter's own words, because anybody may have written the Content-Type header. */
export function formOf(contentType: string | string[] | undefined): Form {
  if (contentType === undefined) return 'nothing';
  const type = String(contentType).toLowerCase();
  if (/\bhtml\b/.test(type)) return 'HTML';
  if (/\bjson\b/.test(type)) return 'JSON';
  return type.startsWith('text/') ? 'text' : 'something else';
}

export interface TransportOptions {
  /** Base address of the account. Every request is sent to its origin, because the pool has no other. */
  readonly baseUrl: string;
  /** Route of the connections; default: direct, with the well-known authorities. */
  readonly route?: Route;
  /** Time limit (ms) of a whole exchange, from the request's start to the body's last byte. */
  readonly timeoutMs: number;
  /** Maximum size (bytes) of a body, both encoded and decoded. */
  readonly maxResponseBytes: number;
  /** Maximum number of open connections. They stay open between requests. */
  readonly connections: number;
  /** Clock of the records' times. Timeouts use real time. */
  readonly clock: Clock;
  /**
   * Returns true while requests may be sent; called just before a request is written to its connection; default: always. The
   * revocation of a token is always sent, because nobody else can revoke it.
   */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** State of an exchange, for its record if it fails midway. */
interface ExchangeState {
  status?: number;
  form?: Form;
  body?: BodyKind;
  bytes: number;
  fromHeaders: Pick<ExchangeInfo, 'serverDate' | 'rate' | 'retryAfterMs'>;
}

/** Sends requests to one account's origin and returns typed results with their records. Does not manage tokens. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #pools: readonly [Pool, Pool];
  readonly #dispatcher: Dispatcher;
  /** Dispatcher for repeated requests, each on a new connection. */
  readonly #again: Dispatcher;
  /** Reused between exchanges: deriving the spellings of a secret takes longer than masking it. */
  readonly #scrubber = new Scrubber();
  readonly #proxySecrets: readonly Secret[];

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#proxySecrets = Object.values(options.route?.proxy?.login ?? {});
    const { mayLeave, connections, timeoutMs } = options;
    const connect = connectorOf(options.route ?? { tls: {} }, options);
    const pool = (further: Partial<Pool.Options>) =>
      new Pool(new URL(options.baseUrl).origin, {
        connections,
        connect,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...further,
      });
    this.#pools = [pool({}), pool({ keepAliveTimeout: 1, keepAliveMaxTimeout: 1 })];
    [this.#dispatcher, this.#again] = this.#pools.map((one) =>
      mayLeave === undefined ? one : one.compose(onlyWhile(mayLeave)),
    ) as [Dispatcher, Dispatcher];
  }

  /**
   * Sends one request and reads its response. A redirect is a failure.
   * @param signal aborts with DeadlineExceeded at the timeout, which covers all parts of a read
   * @param isAgain true for a repeated request, which uses a new connection
   * @throws ExchangeFailure if there is no usable response or the timeout passes; otherwise the signal's reason if it aborts
   */
  async exchange(outgoing: Outgoing, signal: AbortSignal, isAgain = false): Promise<PlatformReply> {
    signal.throwIfAborted();
    const { clock } = this.#options;
    const startedAt = clock.now();
    const state: ExchangeState = { bytes: 0, fromHeaders: {} };
    const dispatcher = isAgain ? this.#again : this.#dispatcher;
    const scrub = this.#scrubberFor(outgoing);
    try {
      // Some work ignores the signal: a decompression waits for a free thread.
      const reply = await unlessAborted(this.#perform(outgoing, dispatcher, state, scrub, signal), signal);
      return { ...reply, info: this.#recordOf(outgoing, scrub, startedAt, state, 'ok') };
    } catch (error) {
      if (signal.aborted && !(signal.reason instanceof DeadlineExceeded)) throw signal.reason;
      const failure = this.#failureOf(error, scrub, state);
      const { outcome, message: reason } = failure;
      const info = this.#recordOf(outgoing, scrub, startedAt, state, outcome);
      const isLost = state.status === undefined && isConnectionLost(error);
      throw new ExchangeFailure(failure, { ...info, reason }, isLost);
    }
  }

  /** Closes all connections. Running requests fail, so the caller aborts them first. */
  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  async #perform(
    outgoing: Outgoing,
    dispatcher: Dispatcher,
    state: ExchangeState,
    scrub: Scrub,
    signal: AbortSignal,
  ): Promise<Omit<PlatformReply, 'info'>> {
    const response = await dispatcher.request({ ...requestOf(outgoing), signal });
    state.status = response.statusCode;
    state.form = formOf(response.headers['content-type']);
    state.fromHeaders = readHeaders(response.headers, this.#options.clock);
    if (response.statusCode >= 300) {
      const refusal = noted(await receiveRefusal(response, scrub), state);
      throw this.#redirectIn(response, outgoing.path) ?? refusal;
    }
    // The response to a DELETE is a 204 without a body (section 4.1). Any other content is ignored.
    if (outgoing.method === 'DELETE') {
      await response.body.dump();
      return { body: undefined };
    }
    const document = await receiveDocument(response, this.#options.maxResponseBytes, scrub);
    const body = noted(document, state);
    if (body instanceof PlatformFailure) throw body;
    return { body };
  }

  /** Returns the failure of a redirect; undefined for other answers. */
  #redirectIn(
    { statusCode, headers: { location } }: Dispatcher.ResponseData,
    from: string,
  ): PlatformFailure | undefined {
    if (statusCode >= 400 || typeof location !== 'string') return undefined;
    const { origin } = new URL(this.#options.baseUrl);
    const target = URL.canParse(location, origin + from) ? new URL(location, origin + from) : undefined;
    const where =
      target === undefined
        ? 'an invalid address'
        : target.origin === origin
          ? target.pathname
          : `another origin (${target.host})`;
    return new PlatformFailure('undecodable', `redirect to ${where.slice(0, 100)} refused`, statusCode);
  }

  #failureOf(error: unknown, scrub: Scrub, state: ExchangeState): PlatformFailure {
    if (error instanceof PlatformFailure)
      return new PlatformFailure(error.outcome, scrub(error.message), error.status);
    const { status } = state;
    if (error instanceof DeadlineExceeded) return noAnswerWithin(this.#options.timeoutMs, status);
    const failure = status === undefined ? networkFailure(error) : brokenBodyFailure(error, status);
    return new PlatformFailure(failure.outcome, scrub(failure.message), failure.status);
  }

  /** Returns a function that masks all secrets of an exchange in a text. */
  #scrubberFor({ authorization, secrets }: Outgoing): Scrub {
    for (const secret of [authorization, ...secrets, ...this.#proxySecrets]) this.#scrubber.guard(secret);
    return (text) => this.#scrubber.scrub(text);
  }

  #recordOf(
    { method, path, version, body: question }: Outgoing,
    scrub: Scrub,
    startedAt: number,
    { status, form, body, bytes, fromHeaders }: ExchangeState,
    outcome: ExchangeOutcome,
  ): ExchangeInfo {
    return {
      method,
      ...(question !== undefined && { isQuestion: true as const }),
      path: scrub(path),
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
  }
}

/** Refuses requests that may no longer be sent: a process may be suspended for minutes between the wait and the write. */
function onlyWhile(mayLeave: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.method === 'DELETE') return dispatch(options, handler);
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      if (!mayLeave()) throw new PlatformFailure('network', 'another replica polls this account now');
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

/**
 * Returns the failure for an exchange that exceeds its timeout.
 * @param status status of the response if only its body is incomplete; undefined without a response
 */
export function noAnswerWithin(timeoutMs: number, status?: number): PlatformFailure {
  const what = status === undefined ? 'no answer' : 'no complete answer';
  return new PlatformFailure('timeout', `${what} within ${timeoutMs / 1_000} s`, status);
}

function requestOf({ method, path, version, authorization, body }: Outgoing): Dispatcher.RequestOptions {
  return {
    method,
    path,
    ...(body !== undefined && { body }),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      accept: `application/json; version=${version}`,
      'accept-encoding': 'gzip',
      authorization: authorization.reveal(),
      'user-agent': `edge-exporter/${VERSION}`,
    },
  };
}

function readHeaders(
  headers: Dispatcher.ResponseData['headers'],
  clock: Clock,
): ExchangeState['fromHeaders'] {
  const serverDate = parseServerDate(headers);
  const rate = parseRateLimit(headers);
  const retryAfterMs = parseRetryAfter(headers, serverDate ?? clock.now());
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

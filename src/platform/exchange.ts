import type { Secret } from '../secret.ts';
import type { Outcome } from './outcome.ts';
import { PlatformFailure } from './outcome.ts';
import type { RateLimit } from './rate-limit-headers.ts';

/** Who an answer seems to come from: the platform beyond doubt, somebody else beyond doubt, or either. */
export type ResponseOrigin = 'platform' | 'unclear' | 'foreign';

/** What the body of an answer turned out to be: a JSON document, an error as the platform words it, or neither. */
export type BodyKind = 'document' | 'documented_error' | 'other';

/** Kinds of content as an operator calls them. */
export type Form = 'JSON' | 'HTML' | 'text' | 'nothing' | 'something else';

/** How one exchange ended: like a poll, or with a redirect, or aborted by this side before its end. */
export type ExchangeOutcome = Exclude<Outcome, 'empty'> | 'redirected' | 'aborted';

/** What is known of one exchange with the platform, whatever came of it. Holds no secret. */
export interface ExchangeInfo {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query as sent, with secrets masked. */
  readonly path: string;
  /** Of the Accept header. */
  readonly version: number;
  /** Absent when no answer came. */
  readonly status?: number;
  readonly outcome: ExchangeOutcome;
  /** Who seems to have answered, and with what; absent if there was no answer. */
  readonly answeredBy?: ResponseOrigin;
  readonly form?: Form;
  /** Milliseconds since the epoch, local clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The `Date` header: milliseconds since the epoch, the platform's clock. */
  readonly serverDate?: number;
  readonly rate?: RateLimit;
  /** What `Retry-After` asks for. */
  readonly retryAfterMs?: number;
  /** Size of the body, decoded, as far as it was read. */
  readonly bytes: number;
}

/** One request, ready to be sent on the account's own connections. */
export interface Outgoing {
  readonly method: ExchangeInfo['method'];
  /** Path and query on the account's origin. */
  readonly path: string;
  readonly version: number;
  /** The Authorization header. */
  readonly authorization: Secret;
  /** Whatever must not show in reasons and reports besides the header itself. */
  readonly secrets: readonly Secret[];
}

/** A usable answer. */
export interface Reply {
  /** The JSON document; undefined for a redirect and for a DELETE. */
  readonly body: unknown;
  /** Where a redirect leads, as sent. */
  readonly location?: string;
  readonly info: ExchangeInfo;
}

/** An exchange that brought no usable answer, with what is known of it, for instance how long to wait. */
export class ExchangeFailure extends PlatformFailure {
  readonly info: ExchangeInfo;

  constructor(failure: PlatformFailure, info: ExchangeInfo) {
    super(failure.outcome, failure.message, failure.status);
    this.info = info;
  }
}

/** How the answer to a failed read shows that it did not come from the platform, as a phrase; else undefined. */
export function foreignAnswerOf(failure: PlatformFailure): string | undefined {
  // If there was an answer, its headers and form decide; if a reader could not use a document, its failure does.
  const info = failure instanceof ExchangeFailure ? failure.info : undefined;
  if (info?.answeredBy !== undefined)
    return info.answeredBy === 'foreign' ? describeForeignAnswer(info) : undefined;
  return failure.outcome === 'undecodable' ? failure.message : undefined;
}

/** Describes an answer that did not come from the platform. */
export function describeForeignAnswer({ status, form }: ExchangeInfo): string {
  return `answers ${status} with ${form}, unlike the platform's API`;
}

/** What of an answer shows where it comes from. */
export interface ResponseTraits {
  readonly status: number;
  readonly rate: RateLimit | undefined;
  /** Undefined where the body was not read to its end, or is of no interest. */
  readonly body: BodyKind | undefined;
}

/**
 * Who answers. The headers of the rate limit (section 8), with a reset that is a date, are the platform's own. So are
 * its errors, except that many servers word a 404 the same way. Whether a document is of the platform, only its reader
 * knows; and what stands before any server may answer for it with a 5xx.
 */
export function responseOriginOf({ status, rate, body }: ResponseTraits): ResponseOrigin {
  if (rate?.resetAt !== undefined) return 'platform';
  if (body === 'documented_error') return status === 404 ? 'unclear' : 'platform';
  return body === 'other' && status < 500 ? 'foreign' : 'unclear';
}

/** What a Content-Type header announces, in words of ours: the header's may be anybody's. */
export function formOf(contentType: string | string[] | undefined): Form {
  if (contentType === undefined) return 'nothing';
  const type = String(contentType).toLowerCase();
  if (/\bhtml\b/.test(type)) return 'HTML';
  if (/\bjson\b/.test(type)) return 'JSON';
  return type.startsWith('text/') ? 'text' : 'something else';
}

/** Whether a refusal's body is an error in one of the formats that the platform is known to use. */
export function isDocumentedError(status: number, body: string): boolean {
  const document = objectIn(body);
  if (document === undefined) return false;
  const { detail, errors } = document;
  if (typeof detail === 'string') return true;
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isWorded);
  // What is wrong with the parameters, by field.
  const fields = Object.values(document);
  return status === 400 && fields.length > 0 && fields.every((words) => Array.isArray(words));
}

function isWorded(error: unknown): boolean {
  if (typeof error === 'string') return true;
  return typeof error === 'object' && error !== null && ('message' in error || 'error' in error);
}

function objectIn(body: string): Readonly<Partial<Record<string, unknown>>> | undefined {
  if (!/^\s*\{/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

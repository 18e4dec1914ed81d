import type { Secret } from '../secret.ts';
import type { Outcome } from './outcome.ts';
import { PlatformFailure } from './outcome.ts';
import type { RateLimit } from './rate-limit-headers.ts';
import type { Form, ResponseOrigin } from './response-origin.ts';

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

import type { RateLimit } from './rate-limit-headers.ts';

/** Who an answer seems to come from: the platform beyond doubt, somebody else beyond doubt, or either. */
export type ResponseOrigin = 'platform' | 'unclear' | 'foreign';

/** What the body of an answer turned out to be: a JSON document, an error as the platform words it, or neither. */
export type BodyKind = 'document' | 'documented_error' | 'other';

/** Kinds of content as an operator calls them. */
export type Form = 'JSON' | 'HTML' | 'text' | 'nothing' | 'something else';

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

/** What a Content-Type header announces. Nothing of its own words: they come from whoever answers. */
export function formOf(contentType: string | string[] | undefined): Form {
  if (contentType === undefined) return 'nothing';
  const type = String(contentType).toLowerCase();
  if (/\bhtml\b/.test(type)) return 'HTML';
  if (/\bjson\b/.test(type)) return 'JSON';
  return type.startsWith('text/') ? 'text' : 'something else';
}

/** Whether a refusal's body is an error as the platform words it: any of the styles that were recorded of it. */
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

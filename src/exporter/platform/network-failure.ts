import { parsedJson } from '../text/received.ts';
import { type FailureOutcome, PlatformFailure } from './read.ts';
import { errors } from './undici.ts';

/** Step of a connection through a proxy at which it failed. */
export type ProxyStep = 'connection' | 'login' | 'refusal' | 'tunnel';

/** Failure of a connection through a proxy. The message contains no secret. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly step: ProxyStep;

  constructor(step: ProxyStep, message: string, cause?: unknown) {
    super(message, { cause });
    this.step = step;
  }
}

/** Failure to use a file of the TLS settings; the message contains the file and the reason. */
export class TlsFileFailure extends Error {
  override readonly name = 'TlsFileFailure';
}

/** Explanations of error codes of sockets, DNS and TLS for an operator. */
const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before an answer',
  UND_ERR_CLOSED: 'the client is closed',
  UND_ERR_DESTROYED: 'the client is closed',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EADDRNOTAVAIL: 'no local address available',
  EMFILE: 'too many open files',
  EPROTO: 'TLS handshake failed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'TLS handshake failed: the server does not speak TLS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'TLS handshake failed: the server does not speak TLS on this port',
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_NOT_YET_VALID: 'certificate is not valid yet',
  CERT_REVOKED: 'certificate is revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate chain ends in an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate is signed by an unknown authority',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the server asks for a client certificate',
};

const TIMEOUT_WORDS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stalled',
};

/** Error codes of a connection that the other side has closed. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Returns true if an error of the HTTP client means that the other side closed the connection. */
export function isConnectionLost(error: unknown): boolean {
  return LOST.has(codeOf(error));
}

/** Returns the failure for an error of the HTTP client before any response, in plain words. */
export function networkFailure(error: unknown): PlatformFailure {
  const code = codeOf(error);
  const late = TIMEOUT_WORDS[code];
  if (late !== undefined) return new PlatformFailure('timeout', late);
  if (error instanceof ProxyFailure) {
    const outcome = codeOf(error.cause) in TIMEOUT_WORDS ? 'timeout' : 'network';
    return new PlatformFailure(outcome, error.message);
  }
  if (error instanceof TlsFileFailure) return new PlatformFailure('network', error.message);
  if (error instanceof errors.HTTPParserError)
    return new PlatformFailure('undecodable', 'the answer is not HTTP');
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return new PlatformFailure('undecodable', "the answer's headers are too large");
  }
  return new PlatformFailure('network', NETWORK_WORDS[code] ?? unknownWords(code, error));
}

/** Returns the failure for an error while the body arrived, when only a part of the response is there. */
export function brokenBodyFailure(error: unknown, status: number): PlatformFailure {
  const late = TIMEOUT_WORDS[codeOf(error)];
  if (late !== undefined) return new PlatformFailure('timeout', late, status);
  return new PlatformFailure('undecodable', 'the answer was cut off', status);
}

/** Returns the code of an error of Node.js or undici; empty if it has none. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Prefix of OpenSSL's error codes, whose messages contain addresses and source lines. */
const OPENSSL = 'ERR_SSL_';

function unknownWords(code: string, error: unknown): string {
  if (code.startsWith(OPENSSL))
    return `TLS handshake failed: ${code.slice(OPENSSL.length).toLowerCase().replaceAll('_', ' ')}`;
  const message = error instanceof Error ? error.message : String(error);
  return code === '' ? message : `${message} (${code})`;
}

/** Function that masks the secrets of an exchange in a text. */
export type Scrub = (text: string) => string;

/** Maximum number of characters of a platform message in a reason. */
const LONGEST_WORDS = 200;
/** Maximum nesting depth searched for a message: the platform's formats have three levels. */
const DEEPEST_WORDS = 6;
/** Number of characters at the beginning of a page that are searched for a reason, which bounds the work on hostile markup. */
const READ_OF_A_PAGE = 8192;

/** Returns the outcome of a poll for the status of a refusal (section 7). */
export function outcomeOfStatus(status: number): FailureOutcome {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'not_acceptable' : 'undecodable';
}

/** Returns the failure for a response with an error status, with the platform's message if there is one. */
export function upstreamFailure(status: number, body: string, scrub: Scrub): PlatformFailure {
  const words = platformWords(body, scrub);
  return new PlatformFailure(
    outcomeOfStatus(status),
    `HTTP ${status}${words === '' ? '' : `: ${words}`}`,
    status,
  );
}

/**
 * Returns the message in the body of a refusal, safe to log: at most 200 characters without control characters, markup or secrets.
 * Supports the platform's four JSON formats, titles of web pages, and plain text. Empty if the body has no message.
 */
export function platformWords(body: string, scrub: Scrub): string {
  const words = collapse(jsonWords(body) ?? pageWords(body));
  // Masks after removing invisible characters, which could split a secret, and before truncating, which could too.
  const safe = Array.from(scrub(words));
  return safe.length <= LONGEST_WORDS ? safe.join('') : `${safe.slice(0, LONGEST_WORDS - 1).join('')}…`;
}

function jsonWords(body: string): string | undefined {
  if (!/^\s*[[{"]/.test(body)) return undefined;
  const document = parsedJson(body);
  // A body that is not JSON, or that was truncated, is treated as text.
  return document === undefined ? undefined : wordsIn(document);
}

function wordsIn(value: unknown, depth = DEEPEST_WORDS): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth === 0) return '';
  if (Array.isArray(value))
    return joined(value.slice(0, LONGEST_WORDS).map((part) => wordsIn(part, depth - 1)));
  const fields = new Map<string, unknown>(Object.entries(value));
  const own = fields.get('detail') ?? fields.get('errors') ?? fields.get('message') ?? fields.get('error');
  if (own !== undefined) return wordsIn(own, depth - 1);
  return joined(
    [...fields].slice(0, LONGEST_WORDS).map(([field, said]) => fieldWords(field, wordsIn(said, depth - 1))),
  );
}

function fieldWords(field: string, words: string): string {
  return words === '' ? '' : `${field}: ${words}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

/** Returns the title of a page, or the words of plain text. Removes entities, so that they cannot conceal a secret. */
function pageWords(body: string): string {
  const page = body.slice(0, READ_OF_A_PAGE);
  if (!/<[a-z!]/i.test(page)) return page;
  const title = /<title[^<>]*>([^<]*)/i.exec(page)?.[1]?.replaceAll(/&[^;]*(;|$)/g, ' ');
  return title?.trim() ? title : 'a page';
}

function collapse(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}

/** Returns true if a refusal's body is an error in one of the platform's known formats. */
export function isDocumentedError(status: number, body: string): boolean {
  const document = objectIn(body);
  if (document === undefined) return false;
  const { detail, errors } = document;
  if (typeof detail === 'string') return true;
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isWorded);
  // Errors of parameters, by field.
  const fields = Object.values(document);
  return status === 400 && fields.length > 0 && fields.every((words) => Array.isArray(words));
}

function isWorded(error: unknown): boolean {
  if (typeof error === 'string') return true;
  return typeof error === 'object' && error !== null && ('message' in error || 'error' in error);
}

function objectIn(body: string): Readonly<Partial<Record<string, unknown>>> | undefined {
  const document = /^\s*\{/.test(body) ? parsedJson(body) : undefined;
  return document === undefined ? undefined : Object(document);
}

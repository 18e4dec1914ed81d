import { PlatformFailure } from './read.ts';
import { errors } from './undici.ts';

/** Where on the way through a proxy a connection failed. */
export type ProxyStep = 'connection' | 'login' | 'refusal' | 'tunnel';

/** A connection that a proxy did not let through. The message says why and holds no secret. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly step: ProxyStep;

  constructor(step: ProxyStep, message: string, cause?: unknown) {
    super(message, { cause });
    this.step = step;
  }
}

/** A file of the TLS settings that cannot be used; the message names it and says why. */
export class TlsFileFailure extends Error {
  override readonly name = 'TlsFileFailure';
}

/** What the error codes of sockets, DNS and TLS mean to an operator. */
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

/** The failure that an error of the HTTP client before any answer is, in plain words. */
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

/** The failure that an error while the body arrived is: the answer is there, but only a part of it. */
export function brokenBodyFailure(error: unknown, status: number): PlatformFailure {
  const late = TIMEOUT_WORDS[codeOf(error)];
  if (late !== undefined) return new PlatformFailure('timeout', late, status);
  return new PlatformFailure('undecodable', 'the answer was cut off', status);
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

function unknownWords(code: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return code === '' ? message : `${message} (${code})`;
}

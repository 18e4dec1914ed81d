import { errors } from 'undici';
import { expect, test } from 'vitest';
import { brokenBodyFailure, networkFailure } from '../../../src/exporter/platform/network-failure.ts';

function errorOf(code: string): Error {
  return Object.assign(new Error('technical words'), { code });
}

test.each([
  ['ECONNREFUSED', 'network', 'connection refused'],
  ['ECONNRESET', 'network', 'connection reset'],
  ['ENOTFOUND', 'network', 'host not found'],
  ['EAI_AGAIN', 'network', 'the host name could not be resolved'],
  ['CERT_HAS_EXPIRED', 'network', 'certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'network', 'certificate is for another host'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'network', 'certificate is signed by an unknown authority'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'network', 'the server asks for a client certificate'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'network', 'TLS handshake failed: tlsv1 alert protocol version'],
  ['ETIMEDOUT', 'timeout', 'no connection in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'no connection in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout', 'no answer in time'],
  ['UND_ERR_HEADERS_OVERFLOW', 'undecodable', "the answer's headers are too large"],
  ['ESOMETHING', 'network', 'technical words (ESOMETHING)'],
])('%s before an answer is %s: %s', (code, outcome, message) => {
  expect(networkFailure(errorOf(code))).toMatchObject({ outcome, message, status: undefined });
});

test('something that is not HTTP is undecodable', () => {
  const error = new errors.HTTPParserError('Expected HTTP/');
  expect(networkFailure(error)).toMatchObject({ outcome: 'undecodable', message: 'the answer is not HTTP' });
});

test('an error without a code keeps its own words', () => {
  expect(networkFailure(new Error('odd')).message).toBe('odd');
  expect(networkFailure('odd').message).toBe('odd');
});

test.each([
  ['UND_ERR_SOCKET', 'undecodable', 'the answer was cut off'],
  ['ECONNRESET', 'undecodable', 'the answer was cut off'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout', 'the answer stalled'],
])('%s within an answer is %s: %s', (code, outcome, message) => {
  expect(brokenBodyFailure(errorOf(code), 200)).toMatchObject({ outcome, message, status: 200 });
});

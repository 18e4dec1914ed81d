import { expect, test } from 'vitest';
import { loadWebConfig, WebConfigError } from '../../../src/exporter/web/config-file.ts';

const HASH = '$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG';

function issues(text: string): readonly string[] {
  try {
    loadWebConfig('web.yaml', { readFile: () => text });
  } catch (error) {
    if (error instanceof WebConfigError) return error.issues;
    throw error;
  }
  return [];
}

test.each([
  [
    'tls_server_confg: {}',
    ['web.yaml:1:1: tls_server_confg: unknown key; did you mean "tls_server_config"?'],
  ],
  [
    'basic_auth_users: [a]',
    ['web.yaml:1:19: basic_auth_users: expected a mapping of keys to values, found a list'],
  ],
  [
    `basic_auth_users:\n  a: secret\n  "b:c": ${HASH}\n  "d e":`,
    [
      'web.yaml:2:6: basic_auth_users.a: expected a bcrypt hash, such as `htpasswd -nBC 10 ""` prints',
      'web.yaml:4:9: basic_auth_users["d e"]: expected a bcrypt hash, such as `htpasswd -nBC 10 ""` prints',
    ],
  ],
  [
    'http_server_config:\n  headers: { X-Frame-Options: maybe, X-Powered-By: me }',
    [
      'web.yaml:2:31: http_server_config.headers.X-Frame-Options: expected deny or sameorigin',
      expect.stringMatching(
        /^web.yaml:2:38: http_server_config.headers.X-Powered-By: unknown key; expected one of: Content-/,
      ),
    ],
  ],
  [
    'tls_server_config:\n  cert: x',
    ['web.yaml:1:1: tls_server_config.key_file: required, or key with the PEM text itself'],
  ],
  [
    'tls_server_config: { cert: x, cert_file: v, key: z, client_ca: w }',
    ['web.yaml:1:1: tls_server_config.client_auth_type: required beside a client CA'],
  ],
  [
    'tls_server_config: a\nhttp_server_config: [1]\nrate_limit: { interval: "5", burst: x }',
    [
      'web.yaml:1:20: tls_server_config: expected a mapping of keys to values, found text',
      'web.yaml:2:21: http_server_config: expected a mapping of keys to values, found a list',
      'web.yaml:3:25: rate_limit.interval: expected a duration such as "1s" or "1m30s"',
      'web.yaml:3:37: rate_limit.burst: expected a number, found text',
    ],
  ],
  [
    'tls_server_config: { cert: x, key: z, client_auth_type: Always, min_version: ten }',
    [
      'web.yaml:1:57: tls_server_config.client_auth_type: expected one of: NoClientCert, RequestClientCert, RequireClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert',
      'web.yaml:1:78: tls_server_config.min_version: expected one of: TLS12, TLS13',
    ],
  ],
])('everything that is wrong with %j is told with its place', (text, expected) => {
  expect(issues(text)).toEqual(expected);
});

test('a key that is given twice and broken YAML are told too', () => {
  expect(issues('basic_auth_users:\nbasic_auth_users:')).toEqual([expect.stringContaining('occurs twice')]);
  expect(issues('a: [')[0]).toMatch(/^web\.yaml:1:\d: /);
});

test('no issue repeats a value that may be secret', () => {
  const told = issues(
    'basic_auth_users: { a: hunter2 }\ntls_server_config: { key: hunter2, cert: [hunter2], keys: hunter2 }',
  );
  expect(told).toHaveLength(3);
  expect(told.join()).not.toContain('hunter2');
});

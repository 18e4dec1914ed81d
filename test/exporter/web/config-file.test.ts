import { copyFileSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadWebConfig, openWebConfig, WebConfigError } from '../../../src/exporter/web/config-file.ts';
import { keptLog, startWeb, written } from './server-at-hand.ts';

const HASH = '$2b$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG';
const CERTIFICATES = join(import.meta.dirname, '../../certificates');

function issues(text: string): readonly string[] {
  const path = written(text);
  try {
    loadWebConfig(path);
  } catch (error) {
    if (error instanceof WebConfigError)
      return error.issues.map((issue) => issue.replaceAll(path, 'web.yaml'));
    throw error;
  }
  return [];
}

describe('a web configuration', () => {
  test.each(['', '# nothing\n', '{}', 'http_server_config:\n  http2: false\n', 'basic_auth_users:\n'])(
    'may say nothing: %j',
    (text) => {
      expect(loadWebConfig(written(text))).toEqual({
        tls: undefined,
        headers: {},
        users: new Map(),
        rate: undefined,
      });
    },
  );

  test('has users, headers and a rate limit', () => {
    const config = loadWebConfig(
      written(`
basic_auth_users:
  prometheus: ${HASH}
http_server_config:
  headers:
    X-Frame-Options: sameorigin
    Strict-Transport-Security: max-age=31536000
rate_limit: { interval: 1s500ms, burst: 20 }
`),
    );
    expect(config.users).toEqual(new Map([['prometheus', HASH]]));
    expect(config.rate).toEqual({ interval: 1_500, burst: 20 });
    expect(config.headers).toEqual({
      'X-Frame-Options': 'sameorigin',
      'Strict-Transport-Security': 'max-age=31536000',
    });
  });

  test('has certificates in files beside it, or in its own text', () => {
    const config = loadWebConfig(
      written(`
tls_server_config:
  cert_file: ${CERTIFICATES}/server.pem
  key_file: ${CERTIFICATES}/server.key
  client_ca_file: ${CERTIFICATES}/ca.pem
  client_auth_type: RequireAndVerifyClientCert
  min_version: TLS13
  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]
  curve_preferences: [X25519, CurveP256]
`),
    );
    expect(config.tls).toMatchObject({
      clientPolicy: 'RequireAndVerifyClientCert',
      context: { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3', ecdhCurve: 'X25519:P-256' },
    });
    expect(config.tls?.context.ciphers).toMatch(/:ECDHE-RSA-AES128-GCM-SHA256$/);
  });
});

test.each([
  ['1s', 1_000],
  ['1m30s', 90_000],
  ['100ms', 100],
])('an interval of %s is one of %d ms', (interval, ms) => {
  const { rate } = loadWebConfig(written(`rate_limit: { interval: ${interval}, burst: 010 }`));
  expect(rate).toEqual({ interval: ms, burst: 8 });
});

test('an interval of 0s is no limit', () => {
  expect(loadWebConfig(written('rate_limit: { interval: 0s, burst: 1 }')).rate).toBeUndefined();
});

test('what is probably not meant is refused', () => {
  const tls = `cert_file: ${CERTIFICATES}/server.pem, key_file: ${CERTIFICATES}/server.key`;
  const odd = `${tls}, min_version: TLS13, max_version: TLS12, client_allowed_sans: [a]`;
  expect(issues(`tls_server_config: { ${odd} }\nrate_limit: { interval: 1s, burst: 0 }`)).toEqual([
    expect.stringContaining('min_version: is above max_version'),
    expect.stringContaining('client_allowed_sans: does nothing'),
    expect.stringContaining('rate_limit.burst: expected at least 1'),
  ]);
});

test('a header may be a number', async () => {
  const headers = { 'X-XSS-Protection': 0 };
  const { url } = await startWeb({
    webConfigFile: written(JSON.stringify({ http_server_config: { headers } })),
  });
  expect((await fetch(`${url}/-/healthy`)).headers.get('x-xss-protection')).toBe('0');
});

test('a certificate may stand in the text itself', () => {
  const pem = (name: string) => readFileSync(join(CERTIFICATES, name), 'utf8');
  const inline = { cert: pem('server.pem'), key: pem('server.key') };
  const { tls } = loadWebConfig(written(JSON.stringify({ tls_server_config: inline })));
  expect(tls?.context).toMatchObject(inline);
});

test('certificates that are broken or not there are told', () => {
  expect(issues('tls_server_config: { cert: x, key: hidden }')[0]).toMatch(/^web\.yaml: tls_server_config: /);
  expect(issues('tls_server_config: { cert_file: absent.pem, key_file: absent.key }')[0]).toMatch(
    /^web\.yaml: cannot be used: ENOENT.*absent\.pem/,
  );
  const tls = (cert: string, key: string) =>
    issues(`tls_server_config: { cert_file: ${CERTIFICATES}/${cert}, key_file: ${CERTIFICATES}/${key} }`)[0];
  expect(tls('server.key', 'server.key')).toMatch(/^web\.yaml: tls_server_config: /);
  expect(tls('server.pem', 'server.pem')).toMatch(/^web\.yaml: tls_server_config: /);
  expect(tls('', 'server.key')).toContain(`EISDIR: illegal operation on a directory, read '${CERTIFICATES}`);
});

describe('a file that changes', () => {
  test('counts from the next look on', () => {
    const path = written('');
    const file = openWebConfig(path, keptLog().log);
    const before = file.current();
    expect(file.current()).toBe(before);
    writeFileSync(path, `basic_auth_users: { a: ${HASH} }`);
    expect(file.current().users.size).toBe(1);
  });

  test('into something unusable, away, or empty leaves what was in force and warns once', () => {
    const { log, lines } = keptLog();
    const path = written(`basic_auth_users: { a: ${HASH} }`);
    const file = openWebConfig(path, log);
    writeFileSync(path, 'basic_auth_users: { a: plain }');
    expect([file.current().users.size, file.current().users.size]).toEqual([1, 1]);
    expect(lines).toMatchObject([{ level: 'warn', fields: { issues: [expect.stringContaining('bcrypt')] } }]);
    unlinkSync(path);
    expect([file.current().users.size, file.current().users.size]).toEqual([1, 1]);
    expect(lines).toHaveLength(2);
    // A rewrite in place has the same effect. exporter-toolkit admits everybody during such a rewrite.
    for (const text of ['', '# Written by a tool.\n\n  # It goes on.', '---\n']) {
      writeFileSync(path, text);
      expect([file.current().users.size, file.current().users.size]).toEqual([1, 1]);
    }
    expect(lines.slice(2)).toMatchObject([
      { level: 'warn', fields: { issues: [expect.stringContaining('the file is empty')] } },
      { level: 'warn' },
      { level: 'warn' },
    ]);
    writeFileSync(path, '{}');
    expect(file.current().users.size).toBe(0);
  });

  test('into something that cannot even be looked at leaves what was in force', () => {
    const { log, lines } = keptLog();
    const path = written(`basic_auth_users: { a: ${HASH} }`);
    const file = openWebConfig(path, log);
    unlinkSync(path);
    symlinkSync(path, path);
    expect([file.current().users.size, file.current().users.size]).toEqual([1, 1]);
    expect(lines).toMatchObject([{ level: 'warn', fields: { issues: [expect.stringContaining('ELOOP')] } }]);
  });

  test('to name a certificate that is not there yet is taken as soon as it is', () => {
    const path = written('');
    const file = openWebConfig(path, keptLog().log);
    writeFileSync(path, `tls_server_config: { cert_file: ${CERTIFICATES}/server.pem, key_file: late.key }`);
    expect(file.current().tls).toBeUndefined();
    copyFileSync(join(CERTIFICATES, 'server.key'), join(path, '..', 'late.key'));
    expect(file.current().tls).toBeDefined();
  });
});

test('users and headers of the file guard and dress every path, health included, from one request to the next', async () => {
  const path = written(
    'http_server_config: { headers: { X-Frame-Options: sameorigin, Content-Security-Policy: "" } }',
  );
  const { url } = await startWeb({ webConfigFile: path });
  const open = await fetch(`${url}/-/healthy`);
  expect(open.status).toBe(200);
  expect(open.headers.get('x-frame-options')).toBe('sameorigin');
  expect(open.headers.get('content-security-policy')).toBeNull();
  expect(open.headers.get('x-content-type-options')).toBe('nosniff');
  writeFileSync(path, `basic_auth_users: { a: ${HASH} }`);
  for (const asked of ['/-/healthy', '/metrics', '/', '/nothing']) {
    expect((await fetch(url + asked)).status).toBe(401);
  }
});

test('a server does not start with a file that is not usable', async () => {
  await expect(startWeb({ webConfigFile: written('nonsense') })).rejects.toThrow(WebConfigError);
  await expect(startWeb({ webConfigFile: '/nowhere/web.yaml' })).rejects.toThrow('cannot be used: ENOENT');
});

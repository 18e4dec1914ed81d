import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startWeb } from './server-at-hand.ts';

const CERTIFICATES = join(import.meta.dirname, '../../certificates');

function pem(name: string): string {
  return readFileSync(join(CERTIFICATES, name), 'utf8');
}

/**
 * Starts a web server with `tls_server_config`. Its certificate is in its own folder, so that tests can
 * replace it.
 */
async function startSecure(settings = '') {
  const directory = mkdtempSync(join(tmpdir(), 'tls-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const renew = (name: string) => {
    copyFileSync(join(CERTIFICATES, `${name}.pem`), join(directory, 'tls.pem'));
    copyFileSync(join(CERTIFICATES, `${name}.key`), join(directory, 'tls.key'));
  };
  renew('server');
  const webConfigFile = join(directory, 'web.yaml');
  const configure = (more: string) =>
    writeFileSync(webConfigFile, `tls_server_config: { cert_file: tls.pem, key_file: tls.key ${more} }`);
  configure(settings);
  const started = await startWeb({ webConfigFile });
  return { ...started, directory, renew, configure };
}

interface Answer {
  readonly status: number;
  readonly body: string;
  /** Fingerprint of the server's certificate. */
  readonly certificate: string;
  readonly version: string | null;
}

function get(url: string, options: ConnectionOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/metrics`, { ca: pem('ca.pem'), agent: false, ...options }, (response) => {
      const socket = response.socket as TLSSocket;
      const shown = {
        certificate: socket.getPeerCertificate().fingerprint256,
        version: socket.getProtocol(),
      };
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (data: string) => {
        body += data;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, ...shown }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('with tls_server_config the surface is served over TLS, and plain HTTP gets nothing of it', async () => {
  const { url, lines } = await startSecure();
  expect(url).toMatch(/^https:/);
  expect(await get(url)).toMatchObject({ status: 200, body: 'edge_up 1\n' });
  await expect(fetch(url.replace('https', 'http'))).rejects.toThrow();
  expect(await get(url)).toMatchObject({ status: 200 });
  expect(lines).toEqual([]);
});

test('a renewed certificate is shown from the next connection on', async () => {
  const { url, renew } = await startSecure();
  const before = await get(url);
  renew('renewed');
  const after = await get(url);
  expect(after.status).toBe(200);
  expect(after.certificate).not.toBe(before.certificate);
});

test('a certificate whose key has not come yet changes nothing', async () => {
  const { url, directory, renew, lines } = await startSecure();
  const before = await get(url);
  copyFileSync(join(CERTIFICATES, 'renewed.pem'), join(directory, 'tls.pem'));
  expect((await get(url)).certificate).toBe(before.certificate);
  expect(lines).toMatchObject([{ level: 'warn' }]);
  renew('renewed');
  expect((await get(url)).certificate).not.toBe(before.certificate);
});

test.each(['tls.pem', 'tls.key'])(
  '%s that is empty, as while it is written anew, changes nothing',
  async (file) => {
    const { url, directory, renew, lines } = await startSecure();
    const before = await get(url);
    writeFileSync(join(directory, file), '');
    expect((await get(url)).certificate).toBe(before.certificate);
    expect(lines).toMatchObject([{ level: 'warn' }]);
    expect(JSON.stringify(lines)).toContain(`the ${file === 'tls.pem' ? 'cert' : 'key'} is empty`);
    renew('renewed');
    expect((await get(url)).certificate).not.toBe(before.certificate);
  },
);

test('a file that cannot even be looked at any more ends neither the server nor its TLS', async () => {
  const { url, directory, lines } = await startSecure();
  const path = join(directory, 'web.yaml');
  rmSync(path);
  symlinkSync(path, path);
  expect((await get(url)).status).toBe(200);
  expect(lines).toMatchObject([{ level: 'warn' }]);
});

test('TLS that is taken out of the file stays until the server starts again, and a warning says so', async () => {
  const { url, directory, lines } = await startSecure();
  writeFileSync(join(directory, 'web.yaml'), '{}');
  expect((await get(url)).status).toBe(200);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('needs a restart') }),
  );
});

test('versions outside the bounds are refused', async () => {
  const { url } = await startSecure(', min_version: TLS13');
  expect((await get(url)).version).toBe('TLSv1.3');
  await expect(get(url, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
});

test('suites of TLS 1.3 alone leave nothing for TLS 1.2, and others leave TLS 1.3 as it is', async () => {
  const { url } = await startSecure(', cipher_suites: [TLS_AES_128_GCM_SHA256]');
  expect((await get(url)).version).toBe('TLSv1.3');
  await expect(get(url, { maxVersion: 'TLSv1.2' })).rejects.toThrow();
  const both = await startSecure(
    ', cipher_suites: [TLS_AES_128_GCM_SHA256, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]',
  );
  expect((await get(both.url)).version).toBe('TLSv1.3');
  expect((await get(both.url, { maxVersion: 'TLSv1.2' })).version).toBe('TLSv1.2');
});

describe('a client certificate', () => {
  const none = {};
  const ours = { cert: pem('client.pem'), key: pem('client.key') };
  const unknown = { cert: pem('unknown.pem'), key: pem('unknown.key') };
  const ca = `, client_ca_file: "${CERTIFICATES}/ca.pem", client_auth_type:`;

  test('is judged by the authorities that were there while their file is empty', async () => {
    const { url, directory, configure, lines } = await startSecure(`${ca} RequireAndVerifyClientCert`);
    copyFileSync(join(CERTIFICATES, 'ca.pem'), join(directory, 'ca.pem'));
    configure(', client_ca_file: ca.pem, client_auth_type: RequireAndVerifyClientCert');
    expect((await get(url, ours)).status).toBe(200);
    writeFileSync(join(directory, 'ca.pem'), '');
    expect((await get(url, ours)).status).toBe(200);
    expect(JSON.stringify(lines)).toContain('the client_ca is empty');
  });

  test.each([
    [', client_auth_type: NoClientCert', { none: true, ours: true, unknown: true }],
    [', client_auth_type: RequestClientCert', { none: true, ours: true, unknown: true }],
    [', client_auth_type: RequireAnyClientCert', { none: false, ours: true, unknown: true }],
    [`${ca} VerifyClientCertIfGiven`, { none: true, ours: true, unknown: false }],
    [`${ca} RequireAndVerifyClientCert`, { none: false, ours: true, unknown: false }],
    [
      `${ca} RequireAndVerifyClientCert, client_allowed_sans: [prometheus.example]`,
      { none: false, ours: true, unknown: false },
    ],
    [
      `${ca} RequireAndVerifyClientCert, client_allowed_sans: [other, DNS, DNS:prometheus.example]`,
      { none: false, ours: false, unknown: false },
    ],
    [
      `${ca} VerifyClientCertIfGiven, client_allowed_sans: [prometheus.example]`,
      { none: false, ours: true, unknown: false },
    ],
    [
      `${ca} RequireAndVerifyClientCert, client_allowed_sans: []`,
      { none: false, ours: false, unknown: false },
    ],
    [', client_auth_type: RequireAndVerifyClientCert', { none: false, ours: false, unknown: false }],
    [
      `, client_ca_file: "${CERTIFICATES}/server.key", client_auth_type: RequireAndVerifyClientCert`,
      { none: false, ours: false, unknown: false },
    ],
    [
      ', client_auth_type: RequireAnyClientCert, client_allowed_sans: [prometheus.example]',
      { none: false, ours: true, unknown: true },
    ],
  ])('is judged by the policy "%s"', async (policy, expected) => {
    const { url } = await startSecure(policy);
    const enters = (client: ConnectionOptions) =>
      get(url, client).then(
        (answer) => answer.status === 200,
        () => false,
      );
    const seen = { none: await enters(none), ours: await enters(ours), unknown: await enters(unknown) };
    expect(seen).toEqual(expected);
  });
});

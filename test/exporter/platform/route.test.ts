import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { parseProxy } from '../../../src/exporter/configuration/access.ts';
import { Client } from '../../../src/exporter/platform/client.ts';
import type { Route } from '../../../src/exporter/platform/connector.ts';
import { staticToken } from '../../../src/exporter/platform/credentials.ts';
import { Secret } from '../../../src/exporter/secret.ts';
import { temporaryFolder } from '../../end-to-end/config-file.ts';
import { freePort } from '../../end-to-end/free-port.ts';
import { type Behaviour, startConnectProxy } from './connect-proxy.ts';
import { recordedClient } from './recorded-client.ts';
import { certificateFile, keyPair, startTlsUpstream } from './tls-upstream.ts';
import { sendJson, startUpstream } from './upstream.ts';

const TOKEN = 'tok-1234567890';
const PASSWORD = 'pr0xy/p4ss';
const caFile = certificateFile('ca.pem');
const trusting: Route = { tls: { caFile } };

function proxyAt(origin: string, login = ''): NonNullable<Route['proxy']> {
  const proxy = parseProxy(origin.replace('://', `://${login}`), 'request.proxy');
  if (proxy === undefined) throw new Error(`${origin} is no proxy`);
  return proxy;
}

async function read(baseUrl: string, route: Route, timeoutMs = 20_000): Promise<string> {
  const client = recordedClient(
    new Client({
      baseUrl,
      route,
      timeoutMs,
      maxResponseBytes: 10_000,
      connections: 2,
      clock: systemClock,
      credentials: staticToken(new Secret(TOKEN)),
    }),
  );
  onTestFinished(() => client.close());
  const { signal } = new AbortController();
  return client.get({ path: '/domains', version: 3 }, signal).then(
    () => 'ok',
    (error: Error & { outcome?: string }) => `${error.outcome}: ${error.message}`,
  );
}

test('through a proxy the platform gets the token, and the proxy only the name of the host', async () => {
  const upstream = await startTlsUpstream();
  const proxy = await startConnectProxy();
  const url = `https://localhost:${upstream.port}`;
  expect(await read(url, { ...trusting, proxy: proxyAt(proxy.origin) })).toBe('ok');
  expect(upstream.authorizations).toEqual([`Token ${TOKEN}`]);
  const [request] = proxy.seen.requests;
  expect([request?.method, request?.url]).toEqual(['CONNECT', `localhost:${upstream.port}`]);
  expect(request?.rawHeaders.join()).not.toMatch(/authorization|tok-/i);
  expect(proxy.seen.tunnelled().length).toBeGreaterThan(100);
  expect(proxy.seen.tunnelled()).not.toContain(TOKEN);
});

test('an http platform is reached by a tunnel as well: the token is in no request to the proxy', async () => {
  const upstream = await startUpstream((_, response) => sendJson(response, { results: [] }));
  const proxy = await startConnectProxy();
  expect(await read(upstream.origin, { proxy: proxyAt(proxy.origin), tls: {} })).toBe('ok');
  expect(proxy.seen.requests.map(({ method }) => method)).toEqual(['CONNECT']);
  expect(proxy.seen.requests[0]?.rawHeaders.join()).not.toMatch(/tok-/);
});

test('a redirect off the origin is not followed through a proxy either', async () => {
  const elsewhere = await startUpstream((_, response) => sendJson(response, {}));
  const upstream = await startUpstream((_, response) => {
    response.writeHead(302, { location: `${elsewhere.origin}/domains` }).end();
  });
  const proxy = await startConnectProxy();
  const result = await read(upstream.origin, { proxy: proxyAt(proxy.origin), tls: {} });
  expect(result).toMatch(/^undecodable: redirect to another origin/);
  expect(elsewhere.connections()).toBe(0);
  expect(proxy.seen.requests).toHaveLength(1);
});

test('user name and password go to the proxy, decoded, and to nobody else', async () => {
  const upstream = await startUpstream((_, response) => sendJson(response, { results: [] }));
  const proxy = await startConnectProxy();
  const login = `operator:${encodeURIComponent(PASSWORD)}@`;
  expect(await read(upstream.origin, { proxy: proxyAt(proxy.origin, login), tls: {} })).toBe('ok');
  const basic = Buffer.from(`operator:${PASSWORD}`).toString('base64');
  expect(proxy.seen.requests[0]?.headers['proxy-authorization']).toBe(`Basic ${basic}`);
  expect(upstream.arrivals[0]?.headers).not.toHaveProperty('proxy-authorization');
});

test('an https proxy under the same private authority', async () => {
  const upstream = await startTlsUpstream();
  const proxy = await startConnectProxy('lets through', createServer(keyPair('server')));
  const url = `https://localhost:${upstream.port}`;
  expect(await read(url, { ...trusting, proxy: proxyAt(proxy.origin) })).toBe('ok');
  expect(await read(url, { tls: {}, proxy: proxyAt(proxy.origin) })).toBe(
    `network: the proxy ${proxy.origin}: certificate is signed by an unknown authority`,
  );
});

test.each<[Behaviour, string]>([
  ['asks for a password', 'network: the proxy ORIGIN asks for a user name and password'],
  ['refuses', 'network: the proxy ORIGIN refuses the tunnel: 403 Forbidden'],
  ['hangs up', 'network: the proxy ORIGIN: connection closed before an answer'],
  ['lets through, then hangs up', 'network: the proxy ORIGIN opened the tunnel, then the connection broke'],
  ['speaks no HTTP', 'network: the proxy ORIGIN does not speak HTTP'],
  ['says nothing', 'timeout: no answer within 1 s'],
])('a proxy that %s is named, with the step that failed', async (behaviour, expected) => {
  const proxy = await startConnectProxy(behaviour);
  const route = { ...trusting, proxy: proxyAt(proxy.origin) };
  const timeoutMs = behaviour === 'says nothing' ? 1_000 : 20_000;
  expect(await read('https://localhost:9', route, timeoutMs)).toBe(expected.replace('ORIGIN', proxy.origin));
});

test('a proxy that is not there', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  expect(await read('https://localhost:9', { proxy: proxyAt(origin), tls: {} })).toBe(
    `network: the proxy ${origin}: connection refused`,
  );
});

test('a password that the proxy does not accept is in no reason', async () => {
  const proxy = await startConnectProxy('asks for a password');
  const login = `operator:${encodeURIComponent(PASSWORD)}@`;
  const result = await read('https://localhost:9', { proxy: proxyAt(proxy.origin, login), tls: {} });
  expect(result).toBe(`network: the proxy ${proxy.origin} does not accept the user name and password`);
});

test('a private authority is trusted where ca_file names it, and only there', async () => {
  const { port } = await startTlsUpstream();
  expect(await read(`https://localhost:${port}`, trusting)).toBe('ok');
  const unknown = 'network: certificate is signed by an unknown authority';
  expect(await read(`https://localhost:${port}`, { tls: {} })).toBe(unknown);
  const foreign = await startTlsUpstream(keyPair('unknown'));
  expect(await read(`https://localhost:${foreign.port}`, trusting)).toBe(
    'network: certificate is self-signed',
  );
});

test('server_name is what the certificate must be for, through a proxy as well', async () => {
  const { port } = await startTlsUpstream();
  const { port: proxyPort } = await startConnectProxy();
  expect(await read(`https://localhost:${port}`, { tls: { caFile, serverName: 'api.example.net' } })).toBe(
    'network: certificate is for another host',
  );
  const proxy = proxyAt(`http://127.0.0.1:${proxyPort}`);
  expect(await read(`https://127.0.0.1:${port}`, { tls: { caFile, serverName: 'localhost' }, proxy })).toBe(
    'ok',
  );
});

test('a platform that asks for a client certificate gets the one of cert_file; without it there is no answer', async () => {
  const strict = { ...keyPair('server'), requestCert: true, ca: await readFile(caFile) };
  const { port } = await startTlsUpstream(strict);
  const url = `https://localhost:${port}`;
  const tls = { caFile, certFile: certificateFile('client.pem'), keyFile: certificateFile('client.key') };
  expect(await read(url, { tls })).toBe('ok');
  expect(await read(url, trusting)).toMatch(
    // Node's server closes the connection. Other servers name their requirement in an answer.
    /^network: (connection closed before an answer|the server asks for a client certificate)$/,
  );
});

test('a renewed file counts from the next connection on', async () => {
  const { port } = await startTlsUpstream();
  const file = join(await temporaryFolder(), 'ca.pem');
  await copyFile(certificateFile('unknown.pem'), file);
  const client = recordedClient(
    new Client({
      baseUrl: `https://localhost:${port}`,
      route: { tls: { caFile: file } },
      timeoutMs: 20_000,
      maxResponseBytes: 10_000,
      connections: 2,
      clock: systemClock,
      credentials: staticToken(new Secret(TOKEN)),
    }),
  );
  onTestFinished(() => client.close());
  const get = () => client.get({ path: '/domains', version: 3 }, new AbortController().signal);
  await expect(get()).rejects.toThrow('unknown authority');
  await copyFile(caFile, file);
  await get();
  await writeFile(file, 'no certificates');
  await expect(get()).rejects.toThrow('request.ca_file contains no certificates in PEM format');
});

test.each([
  [{ caFile: '/nowhere/ca.pem' }, 'request.ca_file cannot be read: no such file'],
  [{ caFile: certificateFile('client.key') }, 'request.ca_file contains no certificates in PEM format'],
  [
    { certFile: certificateFile('client.pem'), keyFile: certificateFile('client.pem') },
    'request.key_file contains no private key in PEM format, or an encrypted one',
  ],
  [
    { certFile: certificateFile('client.pem'), keyFile: '/dev/null' },
    'request.key_file contains no private key in PEM format, or an encrypted one',
  ],
  [
    { certFile: certificateFile('client.pem'), keyFile: certificateFile('server.key') },
    'request.key_file does not belong to the certificate in request.cert_file',
  ],
])('files that cannot be used are named: %j', async (tls, message) => {
  expect(await read('https://localhost:9', { tls })).toBe(`network: ${message}`);
});

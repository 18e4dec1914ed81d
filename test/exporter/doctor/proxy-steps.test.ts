import { expect, it } from 'vitest';
import { DEFAULT_TOKEN } from '../../../src/sandbox/sandbox.ts';
import { freePort } from '../../end-to-end/free-port.ts';
import { type Behaviour, startConnectProxy } from '../platform/connect-proxy.ts';
import { certificateFile, startTlsUpstream } from '../platform/tls-upstream.ts';
import { diagnose, examined } from './diagnosis.ts';

const API = 'https://api.example.net';

async function lastStep(request: Record<string, unknown>, api_url = API): Promise<string> {
  const steps = await examined({ api_url, token: 't', request });
  const at = steps.findIndex(({ status }) => status === 'problem');
  return `${steps[at]?.step}: ${steps[at]?.text}`;
}

it('names the proxy and goes on through it', async () => {
  const proxy = await startConnectProxy();
  const { steps, url } = await diagnose({ account: { request: { proxy: proxy.origin }, allow_http: true } });
  expect(steps.slice(0, 4)).toMatchObject([
    { step: 'proxy host', status: 'ok' },
    { step: 'proxy connection', status: 'ok' },
    {
      step: 'tunnel',
      status: 'ok',
      text: `the proxy ${proxy.origin} (request.proxy) opens a tunnel to 127.0.0.1 port ${new URL(url).port}`,
    },
    { step: 'TLS', status: 'skipped' },
  ]);
  expect(steps.map(({ status }) => status)).not.toContain('problem');
  const asked = proxy.seen.requests.map(({ rawHeaders }) => rawHeaders.join()).join();
  expect(asked).not.toContain(DEFAULT_TOKEN.token);
});

it('a proxy that is not there', async () => {
  const port = await freePort();
  expect(await lastStep({ proxy: `http://127.0.0.1:${port}` })).toBe(
    `proxy connection: 127.0.0.1 port ${port}: connection refused; nothing listens there: is the port in the proxy's address right?`,
  );
});

it.each<[Behaviour, string]>([
  [
    'asks for a password',
    'tunnel: the proxy ORIGIN asks for a user name and password; write them into its address: http://user:password@…',
  ],
  [
    'refuses',
    'tunnel: the proxy ORIGIN refuses the tunnel: 403 Forbidden; the proxy must allow CONNECT to this host and port',
  ],
  [
    'hangs up',
    'tunnel: the proxy ORIGIN: connection closed before an answer; is it really a proxy, and can it reach the platform?',
  ],
  ['lets through, then hangs up', 'TLS: the proxy ORIGIN opened the tunnel, then the connection broke'],
  [
    'speaks no HTTP',
    'tunnel: the proxy ORIGIN does not speak HTTP; are address and scheme of the proxy right?',
  ],
])('a proxy that %s', async (behaviour, expected) => {
  const proxy = await startConnectProxy(behaviour);
  expect(await lastStep({ proxy: proxy.origin })).toBe(expected.replace('ORIGIN', proxy.origin));
});

it('a certificate of an authority that is not known, behind a proxy', async () => {
  const [proxy, { port }] = [await startConnectProxy(), await startTlsUpstream()];
  expect(await lastStep({ proxy: proxy.origin }, `https://localhost:${port}`)).toBe(
    'TLS: certificate is signed by an unknown authority; if that is intended, name a file with the authority in request.ca_file, or for the whole process in NODE_EXTRA_CA_CERTS',
  );
  const ca_file = certificateFile('unknown.pem');
  expect(await lastStep({ proxy: proxy.origin, ca_file }, `https://localhost:${port}`)).toBe(
    'TLS: certificate is signed by an unknown authority; the authority is not in request.ca_file',
  );
});

it('a file of authorities that is not there', async () => {
  const { port } = await startTlsUpstream();
  expect(await lastStep({ ca_file: '/nowhere/ca.pem' }, `https://localhost:${port}`)).toBe(
    'TLS: request.ca_file cannot be read: no such file',
  );
});

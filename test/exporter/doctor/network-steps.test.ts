import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { certificateStep } from '../../../src/exporter/doctor/network-steps.ts';
import { freePort } from '../../end-to-end/free-port.ts';
import { diagnose, examined } from './diagnosis.ts';

const REST = {
  step: 'everything else',
  status: 'skipped',
  text: 'not checked: the platform cannot be reached',
};

const CERTIFICATES = join(import.meta.dirname, '../../certificates');

async function selfSigned(): Promise<number> {
  const read = (name: string) => readFileSync(join(CERTIFICATES, name));
  const server: Server = createServer({ cert: read('self-signed.crt'), key: read('self-signed.key') });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it.each([
  ['ENOTFOUND', "does not exist: is api_url spelled correctly, and does this machine's DNS know it?"],
  ['EAI_AGAIN', "could not be resolved (EAI_AGAIN): does this machine's DNS work?"],
])('a host that DNS does not know (%s)', async (code, words) => {
  const lookup = () => Promise.reject(Object.assign(new Error(code), { code }));
  const account = { api_url: 'https://api.nowhere.example', token: 't' };
  const text = `the name api.nowhere.example ${words}`;
  expect(await examined(account, systemClock, lookup)).toEqual([
    { step: 'host', status: 'problem', text },
    REST,
  ]);
});

it('a port that nobody listens on', async () => {
  const port = await freePort();
  const steps = await examined({ api_url: `http://127.0.0.1:${port}`, token: 't' });
  expect(steps.slice(1)).toEqual([
    {
      step: 'connection',
      status: 'problem',
      text: `127.0.0.1 port ${port}: connection refused; nothing listens there: is the port in api_url right?`,
    },
    REST,
  ]);
});

it('https to a port that speaks plain http', async () => {
  const { steps } = await diagnose({
    before: async (_sandbox, url) => {
      const [, , tls] = await examined({ api_url: url.replace('http:', 'https:'), token: 't' });
      expect(tls).toEqual({
        step: 'TLS',
        status: 'problem',
        text: 'TLS handshake failed: the server does not speak TLS on this port; api_url begins with https, but this port speaks plain http or something else',
      });
    },
  });
  expect(steps.map(({ status }) => status)).not.toContain('problem');
});

it('http to a port that speaks TLS', async () => {
  const steps = await examined({ api_url: `http://127.0.0.1:${await selfSigned()}`, token: 't' });
  const text = 'api_url begins with http, but this port speaks TLS; write https';
  expect(steps.slice(2)).toEqual([{ step: 'TLS', status: 'problem', text }, REST]);
});

it('a certificate that nobody has signed', async () => {
  const steps = await examined({ api_url: `https://127.0.0.1:${await selfSigned()}`, token: 't' });
  expect(steps.slice(2)).toEqual([
    {
      step: 'TLS',
      status: 'problem',
      text: 'certificate is self-signed; if that is intended, name a file with the authority in request.ca_file, or for the whole process in NODE_EXTRA_CA_CERTS',
    },
    REST,
  ]);
});

it('a server that takes the connection and never answers', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const steps = await examined({
    api_url: `http://127.0.0.1:${port}`,
    token: 't',
    request: { timeout: '1s' },
  });
  expect(steps.find(({ step }) => step === 'API')).toEqual({
    step: 'API',
    status: 'problem',
    text: 'the platform does not answer in time: no answer within 1 s',
  });
});

it('a certificate that will lapse soon is worth a warning, one that lasts is not', () => {
  const certificate = {
    subject: { CN: 'api.example.net' },
    issuer: { O: 'Some Authority' },
    valid_to: 'Mar 24 20:09:00 2026 GMT',
  } as unknown as Parameters<typeof certificateStep>[0];
  const told = (days: number) =>
    certificateStep(certificate, Date.parse(certificate.valid_to) - days * 86_400_000);
  expect(told(90)).toEqual({
    step: 'TLS',
    status: 'ok',
    text: 'the certificate of api.example.net by Some Authority is valid until 2026-03-24, for 90 d',
  });
  expect(told(5)).toEqual({
    step: 'TLS',
    status: 'warning',
    text: 'the certificate of api.example.net by Some Authority is valid until 2026-03-24, for 5 d: the platform must renew it',
  });
});

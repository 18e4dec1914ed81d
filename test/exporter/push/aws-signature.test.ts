import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PUSH, secretsOfReceiver } from '../../../src/exporter/configuration/push-settings.ts';
import { ReceiverConnection } from '../../../src/exporter/push/receiver-connection.ts';

const never = new AbortController().signal;

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

interface Signed {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');

/** Returns the AWS Signature Version 4 that a request should have, computed from AWS's description alone. */
function signatureOf({ method, path, query, headers, body }: Signed, secret: string): string {
  const [, credential = '', names = ''] =
    /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const [date = '', region = '', service = '', end = ''] = credential.split('/');
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, path, query, signed.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], credential, sha256(canonical)].join('\n');
  const key = [region, service, end].reduce(hmac, hmac(`AWS4${secret}`, date));
  return hmac(key, text).toString('hex');
}

// Cases from AWS's test suite for Signature Version 4 and from the example in its reference.
it.each([
  [
    'post-vanilla',
    { method: 'POST', path: '/', query: '' },
    { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' },
    'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'ListUsers',
    { method: 'GET', path: '/', query: 'Action=ListUsers&Version=2010-05-08' },
    {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      host: 'iam.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
    },
    'AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date',
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  ],
])(
  'what the receiver of these tests expects is as published: %s',
  (_name, request, headers, credential, expected) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, Signature=`;
    const signed = { ...request, headers: { ...headers, authorization }, body: Buffer.alloc(0) };
    expect(signatureOf(signed, SECRET)).toBe(expected);
  },
);

async function connected(settings: object) {
  const receiver = { now: Date.parse('2026-11-24T12:00:00Z'), headers: [] as IncomingHttpHeaders[] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { headers, method = '', url = '' } = request;
    receiver.headers.push(headers);
    const [path = '', query = ''] = url.split('?');
    const expected = signatureOf({ method, path, query, headers, body: Buffer.concat(chunks) }, SECRET);
    const date = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
    const isNow = Math.abs(Date.parse(date) - receiver.now) < 300_000;
    const isRight = isNow && headers.authorization?.endsWith(`Signature=${expected}`);
    response.writeHead(isRight ? 200 : 403).end(isRight ? '' : `not ${headers.authorization}, ${SECRET}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/workspaces/ws-1/api/v1/remote_write`;
  const sigv4 = { region: 'eu-central-1', access_key: 'AKIDEXAMPLE', ...settings };
  const [parsed] = PUSH.parse([{ name: 'r', kind: 'remote_write', url, headers: { 'x-team': 'a' }, sigv4 }]);
  if (parsed === undefined) throw new Error('no receiver');
  const clock = { now: receiver.now };
  const connection = new ReceiverConnection(parsed, () => clock.now);
  onTestFinished(() => connection.close());
  const post = (bytes: number, headers = {}) => connection.post(Buffer.alloc(bytes, 7), headers, never);
  return { receiver, clock, parsed, post };
}

it('signs each request over the body that is sent, at its time', async () => {
  const { receiver, clock, parsed, post } = await connected({ secret_key: SECRET });
  const headers = { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' };
  expect((await post(100_000, headers)).status).toBe(200);
  expect((await post(0)).status).toBe(200);
  clock.now += 3_600_000;
  expect((await post(7)).status).toBe(403);
  receiver.now += 3_600_000;
  expect((await post(7)).status).toBe(200);
  expect(receiver.headers[0]?.authorization).toContain(
    'Credential=AKIDEXAMPLE/20261124/eu-central-1/aps/aws4_request, SignedHeaders=host;x-amz-date,',
  );
  expect(receiver.headers[0]).toMatchObject({ ...headers, 'x-team': 'a' });
  expect(secretsOfReceiver(parsed).map((secret) => secret.reveal())).toContain(SECRET);
});

it('sends a session token, signed with the rest, and shows neither it nor the key', async () => {
  const { receiver, post } = await connected({ secret_key: SECRET, session_token: 'temporary+token' });
  expect((await post(7)).status).toBe(200);
  expect(receiver.headers[0]?.['x-amz-security-token']).toBe('temporary+token');
  expect(receiver.headers[0]?.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
  receiver.now += 600_000;
  expect((await post(7)).words).not.toMatch(/wJalrXUt|temporary/);
});

it('reads the key from its file for each request, and says what is wrong with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sigv4-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'key');
  const { post } = await connected({ secret_key_file: path });
  await expect(post(7)).rejects.toThrow(/^the key in secret_key_file cannot be read: no such file$/);
  await writeFile(path, 'another');
  expect((await post(7)).status).toBe(403);
  await writeFile(path, `${SECRET}\n`);
  expect((await post(7)).status).toBe(200);
});

it.each([
  [{}, 'exactly one of secret_key and secret_key_file'],
  [{ secret_key: 'a', secret_key_file: 'b' }, 'exactly one of secret_key and secret_key_file'],
  [{ secret_key: 'a', access_key: 'a, Signature=b' }, 'expected letters, digits and hyphens'],
  [{ secret_key: 'a', region: '' }, 'must not be empty'],
  [{ secret_key: 'a', profile: 'b' }, 'Unrecognized key'],
])('refuses %o', async (settings, words) => {
  await expect(connected(settings)).rejects.toThrow(words);
});

it.each([
  [
    'https://aps.example.net/',
    { token: 'c' },
    'expected either sigv4 or oauth2, token, token_file or username',
  ],
  ['http://aps.example.net/', {}, 'would be sent unencrypted'],
])('refuses a receiver at %s with %o', (url, further, words) => {
  const sigv4 = { region: 'a', access_key: 'b', secret_key: 'c' };
  expect(() => PUSH.parse([{ name: 'r', kind: 'remote_write', url, sigv4, ...further }])).toThrow(words);
});

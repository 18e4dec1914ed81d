import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import { ReceiverConnection } from '../../../src/exporter/push/receiver-connection.ts';

const never = new AbortController().signal;

async function connected(settings: object = {}, tokenAnswer?: [status: number, body: string]) {
  const asked: { readonly authorization: string | undefined; readonly body: string }[] = [];
  let accepted = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url?.startsWith('/token')) {
      asked.push({ authorization: request.headers.authorization, body: Buffer.concat(chunks).toString() });
      accepted = `token-${asked.length}`;
      const given = JSON.stringify({ access_token: accepted, token_type: 'bearer', expires_in: 600 });
      const [status, body] = tokenAnswer ?? [200, given];
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    } else {
      const isRight = request.headers.authorization === `Bearer ${accepted}`;
      response
        .writeHead(isRight ? 204 : 401)
        .end(isRight ? '' : `${request.headers.authorization} is no more`);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), 'oauth2-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'secret');
  await writeFile(path, 'hush-hush\n');
  const [receiver] = PUSH.parse([
    {
      name: 'r',
      kind: 'remote_write',
      url: `${origin}/write`,
      oauth2: { token_url: `${origin}/token?x=1`, client_id: 'edge', client_secret_file: path, ...settings },
    },
  ]);
  if (receiver === undefined) throw new Error('no receiver');
  let now = 0;
  const connection = new ReceiverConnection(receiver, () => now);
  onTestFinished(() => connection.close());
  return {
    asked,
    post: () => connection.post(Buffer.of(1), {}, never),
    pass: (ms: number) => {
      now += ms;
    },
    revoke: () => {
      accepted = 'another';
    },
  };
}

it('sends a token that client credentials are exchanged for, until shortly before it expires', async () => {
  const { asked, post, pass } = await connected({
    scopes: ['a', 'b'],
    endpoint_params: { audience: 'metrics' },
  });
  expect((await post()).status).toBe(204);
  pass(539_000);
  expect((await post()).status).toBe(204);
  expect(asked).toHaveLength(1);
  pass(1_000);
  expect((await post()).status).toBe(204);
  expect(asked).toHaveLength(2);
  expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from('edge:hush-hush').toString('base64')}`);
  expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
    grant_type: 'client_credentials',
    scope: 'a b',
    audience: 'metrics',
  });
});

it('asks for another token once the receiver refuses one, and shows none of them', async () => {
  const { asked, post, revoke } = await connected();
  await post();
  revoke();
  const refused = await post();
  expect(refused).toMatchObject({ status: 401, words: expect.stringMatching(/is no more$/) });
  expect(refused.words).not.toContain('token-1');
  expect((await post()).status).toBe(204);
  expect(asked).toHaveLength(2);
});

it.each([
  [401, '{"error":"invalid_client","error_description":"hush-hush is wrong"}', 'HTTP 401: invalid_client'],
  [502, 'bad gateway', 'HTTP 502'],
])('says why there is no token: %i %s', async (status, body, words) => {
  const { post } = await connected({}, [status, body]);
  await expect(post()).rejects.toThrow(new RegExp(`^no token from oauth2.token_url: ${words}$`));
});

it.each([
  [{ client_secret: 'a' }, 'exactly one of client_secret and client_secret_file'],
  [{ token_url: 'http://login.example.net/' }, 'the client secret would be sent unencrypted'],
])('refuses %o', async (settings, words) => {
  await expect(connected(settings)).rejects.toThrow(words);
});

it('refuses other credentials beside it', () => {
  const oauth2 = { token_url: 'https://login.example.net/', client_id: 'a', client_secret: 'b' };
  const given = { name: 'r', kind: 'otlp', url: 'https://receiver.example.net/', token: 'c', oauth2 };
  expect(() => PUSH.parse([given])).toThrow('expected either oauth2 or token');
});

it('reads no more of a token server that never ends its answer', async () => {
  let sent = 0;
  const endless = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(65_536, ' ');
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on('drain', more);
    more();
  });
  endless.listen(0, '127.0.0.1');
  await once(endless, 'listening');
  onTestFinished(() => void endless.close());
  const token_url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/token`;
  const { post } = await connected({ token_url });
  await expect(post()).rejects.toThrow(/^no token from oauth2.token_url: /);
  // The client sends only as much as the system buffers, because nobody reads it.
  expect(sent).toBeLessThan(32 * 2 ** 20);
});

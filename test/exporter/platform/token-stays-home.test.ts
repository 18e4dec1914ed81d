import { setMaxListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { type CredentialsSource, openCredentials } from '../../../src/exporter/credentials/token-login.ts';
import { Client } from '../../../src/exporter/platform/client.ts';
import { readPages } from '../../../src/exporter/platform/pages.ts';
import { Secret } from '../../../src/exporter/secret.ts';
import { recordedClient } from './recorded-client.ts';
import { type Handler, sendJson, startUpstream } from './upstream.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
const token: CredentialsSource = { kind: 'token', token: new Secret('tok-1234567890') };
const login: CredentialsSource = { kind: 'password', username: 'operator', password: new Secret('p4ssw0rd') };

/** Opens a client of the account's own server, beside another server that must receive nothing. */
async function openAccount(source: CredentialsSource, handlerFor: (elsewhere: string) => Handler) {
  const other = await startUpstream((_, response) => sendJson(response, { token: 'x', results: [] }));
  const own = await startUpstream(handlerFor(other.origin));
  const options = {
    baseUrl: own.origin,
    timeoutMs: 20_000,
    maxResponseBytes: 10_000,
    connections: 2,
    clock: systemClock,
  };
  const credentials = openCredentials(source, options);
  const client = recordedClient(new Client({ ...options, credentials }));
  onTestFinished(async () => {
    await client.close();
    await credentials.close(AbortSignal.abort());
    expect(other.arrivals).toEqual([]);
    expect(other.connections()).toBe(0);
  });
  return { client, own };
}

test('a redirect of a read to another origin is not followed', async () => {
  const { client, own } = await openAccount(token, (elsewhere) => (_, response) => {
    response.writeHead(302, { location: `${elsewhere}/domains` }).end();
  });
  await expect(client.get({ path: '/domains', version: 3 }, never)).rejects.toThrow(
    /^redirect to another origin/,
  );
  expect(own.arrivals).toHaveLength(1);
});

test.each(['another origin', 'the own origin'])(
  'a redirect of a login to %s is not followed',
  async (where) => {
    const { client, own } = await openAccount(login, (elsewhere) => (_, response) => {
      response
        .writeHead(307, { location: where === 'another origin' ? `${elsewhere}/tokens` : '/elsewhere' })
        .end();
    });
    await expect(client.get({ path: '/domains', version: 3 }, never)).rejects.toMatchObject({
      outcome: 'undecodable',
      message: expect.stringMatching(/^redirect to .* refused/),
    });
    expect(own.arrivals.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /tokens']);
  },
);

test('a page link to another origin is not followed', async () => {
  const { client, own } = await openAccount(token, (elsewhere) => (_, response) => {
    sendJson(response, {
      count: 20,
      total_pages: 2,
      links: { next: `${elsewhere}/domains?page=2` },
      results: [1],
    });
  });
  const pages = readPages(
    (resource, signal) => client.get(resource(), signal),
    { path: '/domains', version: 3 },
    never,
  );
  await pages.next();
  await pages.next().catch(() => undefined);
  // The end of the test checks that the other server received nothing.
  expect(own.arrivals.map(({ url }) => url)).toEqual([
    '/domains?page=1&page_size=100',
    '/domains?page=2&page_size=100',
  ]);
});

test.each(['http_proxy', 'HTTP_PROXY', 'ALL_PROXY'])(
  'a proxy named by %s does not see it',
  async (variable) => {
    const proxy = await startUpstream((_, response) => sendJson(response, 'from the proxy'));
    const { client } = await openAccount(
      token,
      () => (_, response) => sendJson(response, 'from the platform'),
    );
    process.env[variable] = proxy.origin;
    onTestFinished(() => {
      delete process.env[variable];
    });
    expect((await client.get({ path: '/domains', version: 3 }, never)).body).toBe('from the platform');
    expect(proxy.arrivals).toEqual([]);
  },
);

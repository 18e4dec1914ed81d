import { setMaxListeners } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCredentials } from '../../../src/exporter/credentials/token-login.ts';
import { Client } from '../../../src/exporter/platform/client.ts';
import { readPages } from '../../../src/exporter/platform/pages.ts';
import type { Outcome, Resource } from '../../../src/exporter/platform/read.ts';
import { Secret } from '../../../src/exporter/secret.ts';
import type { FaultSettings } from '../../../src/sandbox/faults/faults.ts';
import { createSandbox, DEFAULT_USER, type SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { recordedClient } from './recorded-client.ts';
import { startUpstream } from './upstream.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
const metadata = { path: '/analytics/metadata', version: 1 } as const;

async function openSandbox(options: SandboxOptions = {}) {
  const clock = new SimulatedClock();
  const sandbox = createSandbox({ now: () => clock.now(), ...options });
  const { url: baseUrl, close } = await sandbox.listen(0);
  const account = {
    baseUrl,
    timeoutMs: 20_000,
    maxResponseBytes: 1_000_000,
    connections: 4,
    clock,
  };
  const { username, password } = DEFAULT_USER;
  const credentials = openCredentials(
    { kind: 'password', username, password: new Secret(password) },
    account,
  );
  const client = recordedClient(new Client({ ...account, credentials }));
  onTestFinished(async () => {
    await client.close();
    await credentials.close(AbortSignal.abort());
    await close();
  });
  return { sandbox, clock, credentials, client, exchanges: client.exchanges, baseUrl };
}

test.each(['specified', 'recorded'] as const)(
  'the lifetime of a token is read from timestamps as %s',
  async (tokenTimestamps) => {
    const { client, credentials, clock } = await openSandbox({ tokenTimestamps, tokenLifetime: 3_600_000 });
    await client.get(metadata, never);
    expect(credentials.expiresAt()).toBe(clock.now() + 3_600_000);
  },
);

test('a login on the embedded platform reads, learns its limits and leaves no token behind', async () => {
  const { sandbox, client, credentials, exchanges, clock } = await openSandbox();
  expect((await client.get(metadata, never)).body).toMatchObject({ requests: expect.any(Array) });
  expect(credentials.expiresAt()).toBe(clock.now() + 86_400_000);
  const rate = { limit: 200, remaining: 199, resetAt: clock.now() + 60_000 };
  expect(exchanges.at(-1)).toMatchObject({ method: 'GET', outcome: 'ok', rate });
  const token = await credentials.authorization(never);
  await credentials.close(never);
  exchanges.push(...credentials.takeExchanges());
  expect(exchanges.map(({ method, status }) => `${method} ${status}`)).toEqual([
    'POST 201',
    'GET 200',
    'DELETE 204',
  ]);
  expect(sandbox.requests.recent.map(({ method }) => method)).toEqual(['POST', 'GET', 'DELETE']);
  expect(JSON.stringify(exchanges)).not.toContain(token.reveal());
});

test('its lists are read whole, also when it gives small pages', async () => {
  const { sandbox, client, baseUrl } = await openSandbox({ maxPageSize: 2 });
  const ids: unknown[] = [];
  const list = { path: '/domains', version: 3, origin: new URL(baseUrl).origin } as const;
  for await (const page of readPages((resource, signal) => client.get(resource(), signal), list, never)) {
    ids.push(...page.map((item) => (item as { id: number }).id));
  }
  expect(ids.length).toBeGreaterThan(2);
  expect(ids).toEqual([...sandbox.account.domains].map(({ id }) => id));
});

test('its configurations are read, also as objects one after another', async () => {
  const { sandbox, client } = await openSandbox();
  const configurations = { path: '/metrics/products/1441740010/configurations', version: 2 } as const;
  const { body } = await client.get(configurations, never);
  sandbox.settings.configurationsShape = 'sequence';
  expect((await client.get(configurations, never)).body).toEqual(body);
  expect(body).toMatchObject([{ id: expect.any(Number) }, { id: expect.any(Number) }, {}]);
});

test('a token that runs out between two polls costs the poll nothing', async () => {
  const { client, clock } = await openSandbox({ tokenLifetime: 600_000 });
  for (let minute = 0; minute < 60; minute += 1) {
    expect((await client.get(metadata, never)).bytes).toBeGreaterThan(0);
    clock.suspend(60_000);
  }
});

describe('its trouble', () => {
  test.each([
    ['another version', {}, { path: '/analytics/metadata', version: 3 }, 'not_acceptable'],
    ['nothing there', {}, { path: '/nothing', version: 3 }, 'not_found'],
    ['a 429', { rate_limited: { retry_after: 7, methods: ['GET'] } }, metadata, 'rate_limited'],
    ['a 500', { server_error: { methods: ['GET'] } }, metadata, 'server_error'],
    ['a web page', { html_error: { methods: ['GET'] } }, metadata, 'not_acceptable'],
    ['a reset', { connection_reset: { methods: ['GET'] } }, metadata, 'network'],
    ['a malformed body', { malformed_body: { methods: ['GET'] } }, metadata, 'undecodable'],
    ['half a document', { truncated_body: { methods: ['GET'], cut: 'document' } }, metadata, 'undecodable'],
    ['half an answer', { truncated_body: { methods: ['GET'], cut: 'connection' } }, metadata, 'undecodable'],
    ['no body', { empty_answer: { methods: ['GET'], form: 'body' } }, metadata, 'undecodable'],
  ] satisfies [string, FaultSettings, Resource, Outcome][])(
    '%s ends as a typed failure',
    async (_, faults, resource, outcome) => {
      const { sandbox, client, exchanges } = await openSandbox();
      sandbox.faults.set(faults);
      await expect(client.get(resource, never)).rejects.toMatchObject({ outcome });
      expect(exchanges.at(-1)).toMatchObject({ method: 'GET', outcome });
    },
  );

  test('a redirect elsewhere is refused, and nothing goes there', async () => {
    const elsewhere = await startUpstream((__, response) => response.end('[]'));
    const { sandbox, client } = await openSandbox();
    sandbox.faults.set({ redirect: { origin: elsewhere.origin, methods: ['GET'] } });
    await expect(client.get(metadata, never)).rejects.toMatchObject({ outcome: 'undecodable' });
    expect(elsewhere.connections()).toBe(0);
  });
});

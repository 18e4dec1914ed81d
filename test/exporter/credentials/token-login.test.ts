import { setMaxListeners } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CredentialsSource, openCredentials } from '../../../src/exporter/credentials/token-login.ts';
import { Client } from '../../../src/exporter/platform/client.ts';
import { guardedCredentials } from '../../../src/exporter/platform/credentials.ts';
import { Secret } from '../../../src/exporter/secret.ts';
import { eventually } from '../../eventually.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { recordedClient } from '../platform/recorded-client.ts';
import { PASSWORD, startTokenPlatform, USERNAME } from '../platform/token-platform.ts';

const never = new AbortController().signal;
// Many listeners wait for this signal at once, as for the signal that stops the program.
setMaxListeners(0, never);
const HOUR = 3_600_000;
const path = { path: '/domains', version: 3 } as const;
const login: CredentialsSource = { kind: 'password', username: USERNAME, password: new Secret(PASSWORD) };

async function openLogin({
  skewMs = 0,
  source = login,
}: {
  skewMs?: number;
  source?: CredentialsSource;
} = {}) {
  const clock = new SimulatedClock();
  const platform = await startTokenPlatform(clock, skewMs);
  const notices: string[] = [];
  const options = {
    baseUrl: platform.origin,
    timeoutMs: 20_000,
    maxResponseBytes: 100_000,
    connections: 4,
    clock,
  };
  const credentials = openCredentials(source, { ...options, onNotice: (text) => notices.push(text) });
  const client = recordedClient(new Client({ ...options, credentials }));
  const { exchanges } = client;
  onTestFinished(async () => {
    await client.close();
    await credentials.close(AbortSignal.abort());
  });
  return { clock, platform, exchanges, notices, credentials, client, get: () => client.get(path, never) };
}

describe('a token', () => {
  test('is created when first needed, with Basic authentication and version 3, and then used', async () => {
    const { get, platform, exchanges, credentials, clock } = await openLogin();
    expect(credentials.expiresAt()).toBeUndefined();
    expect((await get()).body).toBe('fine');
    await get();
    expect(platform.arrivals.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /tokens',
      'GET /domains',
      'GET /domains',
    ]);
    expect(platform.arrivals[0]?.headers).toMatchObject({
      accept: 'application/json; version=3',
      'content-length': '0',
    });
    expect(exchanges.map(({ method, outcome, status }) => [method, outcome, status])).toEqual([
      ['POST', 'ok', 201],
      ['GET', 'ok', 200],
      ['GET', 'ok', 200],
    ]);
    expect(credentials.expiresAt()).toBe(clock.now() + 24 * HOUR);
    expect(credentials.renewsAt()).toBe(clock.now() + 20.4 * HOUR);
  });

  test('is created once, however many wait for it', async () => {
    const { get, platform } = await openLogin();
    await Promise.all(Array.from({ length: 20 }, get));
    expect(platform.tokenCalls()).toEqual(['POST /tokens']);
  });

  test('is created in version 1 on a platform that does not know version 3, and stays with it', async () => {
    const { get, platform, credentials } = await openLogin();
    platform.trouble.unsupported = [3];
    await get();
    await credentials.close(never);
    const versions = platform.arrivals
      .filter(({ url }) => url.startsWith('/tokens'))
      .map(({ headers }) => headers.accept);
    expect(versions).toEqual([3, 1, 1].map((version) => `application/json; version=${version}`));
    expect(platform.alive.size).toBe(0);
  });

  test('is awaited no longer than the caller wants, while others go on waiting', async () => {
    const { client, get, platform } = await openLogin();
    const release = platform.hold();
    const abort = new AbortController();
    const other = get();
    const aborted = client.get(path, abort.signal);
    abort.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
    release();
    expect((await other).body).toBe('fine');
    expect(platform.tokenCalls()).toEqual(['POST /tokens']);
  });

  test.each([
    ['no document', 'text', 'the created token is missing'],
    ['no token', { token: undefined }, 'the created token is missing'],
    ['an empty token', { token: '' }, 'the created token is empty'],
    [
      'a token with a line break',
      { token: 'a\r\nb' },
      'the created token contains characters that no token has',
    ],
  ])('that comes as %s is a failure', async (_, created, message) => {
    const { get, platform } = await openLogin();
    platform.trouble.created = typeof created === 'string' ? { token: 7 } : created;
    await expect(get()).rejects.toThrow(message);
  });
});

describe('renewal', () => {
  test('happens in the background before the expiry, while the old token still serves', async () => {
    const { get, platform, clock, credentials } = await openLogin();
    await get();
    clock.suspend(20 * HOUR);
    await get();
    expect(platform.tokenCalls()).toEqual(['POST /tokens']);
    const release = platform.hold();
    clock.suspend(HOUR);
    await get();
    await get();
    expect(platform.arrivals.at(-1)?.headers.authorization).toContain('tok-1');
    release();
    await eventually('the new token is used', async () => {
      await get();
      return platform.arrivals.at(-1)?.headers.authorization?.includes('tok-2');
    });
    expect(platform.tokenCalls()).toEqual(['POST /tokens', 'POST /tokens']);
    expect(credentials.expiresAt()).toBe(clock.now() + 24 * HOUR);
  });

  test('revokes the old token as soon as no request can carry it any more', async () => {
    const { get, platform, clock } = await openLogin();
    await get();
    clock.suspend(21 * HOUR);
    await get();
    await eventually('the new token is there', () => platform.alive.size === 2);
    await eventually('the new token is used', async () => {
      await get();
      return platform.arrivals.at(-1)?.headers.authorization?.includes('tok-2');
    });
    expect(platform.tokenCalls()).toHaveLength(2);
    clock.suspend(20_000);
    await get();
    await eventually('the old token is revoked', () =>
      platform.tokenCalls().includes('DELETE /tokens/tok-1'),
    );
    await eventually('only the new one is left', () => platform.alive.size === 1);
  });

  test('that fails is noted and tried again later, and nothing else fails', async () => {
    const { get, platform, clock, notices } = await openLogin();
    await get();
    platform.trouble.creationStatus = 503;
    clock.suspend(21 * HOUR);
    await get();
    await eventually('the failure is noted', () => notices.length === 1);
    expect(notices[0]).toBe(
      'the token could not be renewed, the old one is still valid: HTTP 503: No token for you.',
    );
    await get();
    expect(platform.tokenCalls()).toHaveLength(2);
    delete platform.trouble.creationStatus;
    clock.suspend(5_000);
    await get();
    await eventually('the new token is there', () => platform.alive.size === 2);
  });

  test('comes late but comes, when nothing was polled until after the expiry', async () => {
    const { get, platform, clock } = await openLogin();
    await get();
    clock.suspend(30 * HOUR);
    await get();
    expect(platform.arrivals.at(-1)?.headers.authorization).toContain('tok-2');
    expect(platform.tokenCalls()).toEqual(['POST /tokens', 'POST /tokens']);
  });

  test.each([-5 * HOUR, 30 * HOUR])(
    'does not care that the clock of the platform is off by %i ms',
    async (skewMs) => {
      const { get, platform, clock, credentials, notices } = await openLogin({ skewMs });
      await get();
      expect(credentials.expiresAt()).toBe(clock.now() + 24 * HOUR);
      clock.suspend(20 * HOUR);
      await get();
      expect(platform.tokenCalls()).toEqual(['POST /tokens']);
      expect(notices).toEqual([]);
    },
  );

  test('is due after 24 h when the platform does not say, which is noted', async () => {
    const { get, platform, clock, credentials, notices } = await openLogin();
    platform.trouble.created = { expires_at: 'whenever' };
    await get();
    expect(credentials.expiresAt()).toBe(clock.now() + 24 * HOUR);
    expect(notices).toEqual(['the platform returned no usable expiry of the token: assuming 24 h']);
  });
});

describe('a refused token', () => {
  test('is replaced, and the read tried once more', async () => {
    const { get, platform } = await openLogin();
    await get();
    platform.alive.clear();
    expect((await get()).body).toBe('fine');
    expect(platform.tokenCalls()).toEqual(['POST /tokens', 'POST /tokens']);
  });

  test('is replaced once, however many reads it fails', async () => {
    const { get, platform } = await openLogin();
    await get();
    platform.alive.clear();
    const answers = await Promise.all(Array.from({ length: 20 }, get));
    expect(answers.map(({ body }) => body)).toEqual(Array.from({ length: 20 }, () => 'fine'));
    expect(platform.tokenCalls()).toEqual(['POST /tokens', 'POST /tokens']);
  });

  test('is replaced at growing intervals only, when the new ones are refused too', async () => {
    const { get, platform, clock } = await openLogin();
    platform.trouble.refuseAll = true;
    await expect(get()).rejects.toThrow('HTTP 401: Invalid token.');
    await expect(get()).rejects.toThrow(
      'the platform refuses the tokens that it created; next attempt to create a token in 30 s',
    );
    for (let second = 0; second < 3_600; second += 10) {
      clock.suspend(10_000);
      await expect(get()).rejects.toMatchObject({ outcome: 'unauthorized' });
    }
    const creations = platform.tokenCalls().filter((call) => call === 'POST /tokens');
    expect(creations.length).toBeGreaterThan(5);
    expect(creations.length).toBeLessThan(12);
    platform.trouble.refuseAll = false;
    expect((await get()).body).toBe('fine');
  });

  test('goes on serving the resources that accept it', async () => {
    const { credentials, get, platform } = await openLogin();
    await get();
    for (let refusal = 0; refusal < 5; refusal += 1) {
      const used = await credentials.authorization(never);
      await credentials.refused(used, never).catch(() => false);
      expect((await get()).body).toBe('fine');
    }
    expect(platform.tokenCalls().filter((call) => call.startsWith('POST'))).toHaveLength(2);
  });
});

describe('a wrong password', () => {
  const wrong: CredentialsSource = { kind: 'password', username: USERNAME, password: new Secret('wrong') };

  test('does not hammer the platform, and says when it is tried again', async () => {
    const { get, platform, clock } = await openLogin({ source: wrong });
    await expect(get()).rejects.toMatchObject({
      outcome: 'unauthorized',
      status: 401,
      message: 'HTTP 401: Invalid username.',
    });
    await expect(get()).rejects.toMatchObject({
      outcome: 'unauthorized',
      message: 'HTTP 401: Invalid username.; next attempt to create a token in 30 s',
    });
    for (let second = 0; second < 3_600; second += 10) {
      clock.suspend(10_000);
      await expect(get()).rejects.toThrow('HTTP 401');
    }
    // Attempts at 0, 30, 90, 210, 450 and 930 s, then every 15 minutes.
    expect(platform.arrivals.map(({ method }) => method)).toEqual(Array.from({ length: 8 }, () => 'POST'));
  });

  test('that the platform repeats is shown neither as it is nor as it was sent, and the log knows both', async () => {
    const password = 'hunter2-secret';
    const pair = Buffer.from(`${USERNAME}:${password}`).toString('base64');
    const source = { kind: 'password', username: USERNAME, password: new Secret(password) } as const;
    const { credentials, platform } = await openLogin({ source });
    const guarded: string[] = [];
    const { authorization } = guardedCredentials(credentials, (secret) => guarded.push(secret.reveal()));
    platform.trouble.detail = `bad password ${password} for bob, sent as ${pair}`;
    await expect(authorization(never)).rejects.toThrow(
      /^HTTP 401: bad password \[secret\] for bob, sent as \[secret\]$/,
    );
    expect(guarded).toEqual([password, pair]);
  });

  test('from a file waits no longer once there is another, which is tried at once, and each of them once', async () => {
    const file = join(tmpdir(), `password-${process.pid}-${Math.random()}`);
    onTestFinished(() => rm(file, { force: true }));
    await writeFile(file, 'wrong');
    const { get, credentials, platform, clock } = await openLogin({
      source: { kind: 'password', username: USERNAME, password: { file } },
    });
    for (let second = 0; second < 3_600; second += 10) {
      await expect(get()).rejects.toThrow('HTTP 401');
      clock.suspend(10_000);
    }
    const before = platform.arrivals.length;
    await writeFile(file, 'wrong again');
    await expect(get()).rejects.toThrow(/^HTTP 401: Invalid username.$/);
    await expect(get()).rejects.toThrow(/next attempt to create a token in 900 s$/);
    expect(platform.arrivals.length - before).toBe(1);
    expect(await credentials.renewed()).toBe(false);
    await rm(file);
    await expect(get()).rejects.toThrow(/next attempt to create a token in 900 s$/);
    await writeFile(file, PASSWORD);
    expect(await credentials.renewed()).toBe(true);
    expect((await get()).body).toBe('fine');
  });

  test.each([429, 503])(
    'from a file that is another by now is no reason to ask before a %s allows it',
    async (status) => {
      const file = join(tmpdir(), `password-${process.pid}-${Math.random()}`);
      onTestFinished(() => rm(file, { force: true }));
      await writeFile(file, 'wrong');
      const { get, platform } = await openLogin({
        source: { kind: 'password', username: USERNAME, password: { file } },
      });
      await writeFile(file, PASSWORD);
      platform.trouble.creationStatus = status;
      await expect(get()).rejects.toThrow(`HTTP ${status}`);
      delete platform.trouble.creationStatus;
      await writeFile(file, 'another');
      await expect(get()).rejects.toThrow(/next attempt to create a token in \d+ s$/);
    },
  );

  test('from a file is read again for the next attempt', async () => {
    const file = join(tmpdir(), `password-${process.pid}-${Math.random()}`);
    onTestFinished(() => rm(file, { force: true }));
    const { get, clock } = await openLogin({
      source: { kind: 'password', username: USERNAME, password: { file } },
    });
    await expect(get()).rejects.toMatchObject({
      outcome: 'unauthorized',
      message: 'the password cannot be read: no such file',
    });
    await writeFile(file, `${PASSWORD}\n`);
    clock.suspend(30_000);
    expect((await get()).body).toBe('fine');
  });
});

test('a rate-limited creation waits as long as the platform asks', async () => {
  const { get, platform, clock } = await openLogin();
  platform.trouble.creationStatus = 429;
  platform.trouble.creationHeaders = { 'retry-after': '90' };
  await expect(get()).rejects.toMatchObject({ outcome: 'rate_limited' });
  delete platform.trouble.creationStatus;
  clock.suspend(89_000);
  await expect(get()).rejects.toThrow('next attempt to create a token in 1 s');
  clock.suspend(1_000);
  expect((await get()).body).toBe('fine');
});

describe('closing', () => {
  test('revokes what is alive', async () => {
    const { get, platform, credentials } = await openLogin();
    await get();
    await credentials.close(never);
    expect(platform.tokenCalls()).toEqual(['POST /tokens', 'DELETE /tokens/tok-1']);
    expect(platform.alive.size).toBe(0);
    expect(credentials.takeExchanges()).toMatchObject([
      { method: 'DELETE', path: '/tokens/[secret]', outcome: 'ok', status: 204 },
    ]);
    expect(credentials.takeExchanges()).toEqual([]);
    await expect(get()).rejects.toThrow();
  });

  test('waits for a creation under way and revokes that token too', async () => {
    const { get, platform, credentials } = await openLogin();
    const release = platform.hold();
    const reading = get().catch(() => undefined);
    await eventually('the creation has arrived', () => platform.arrivals.length === 1);
    const closing = credentials.close(never);
    release();
    await closing;
    await reading;
    expect(platform.tokenCalls()).toEqual(['POST /tokens', 'DELETE /tokens/tok-1']);
  });

  test('takes 2 s at most, and says that the token was not revoked', async () => {
    const { get, platform, credentials, notices } = await openLogin();
    await get();
    platform.hold();
    const started = performance.now();
    await credentials.close(never);
    expect(performance.now() - started).toBeGreaterThan(1_900);
    expect(notices).toEqual(['1 of 1 tokens could not be revoked']);
  });

  test('without time left sends nothing, and without a token has nothing to do', async () => {
    const { get, platform, credentials } = await openLogin();
    await credentials.close(never);
    expect(platform.arrivals).toEqual([]);
    const hurried = await openLogin();
    await hurried.get();
    await hurried.credentials.close(AbortSignal.abort());
    expect(hurried.platform.tokenCalls()).toEqual(['POST /tokens']);
    expect(hurried.notices).toEqual(['the token was not revoked: no time left']);
    await expect(get()).rejects.toThrow('the login is closed');
  });
});

test('nothing but GET goes out besides the creation and revocation, and no secret is shown anywhere', async () => {
  const { get, platform, clock, exchanges, notices, credentials } = await openLogin();
  const failures: string[] = [];
  for (const status of [undefined, 500, undefined]) {
    if (status !== undefined) platform.trouble.creationStatus = status;
    else delete platform.trouble.creationStatus;
    await get().catch((error: Error) => failures.push(error.message));
    clock.suspend(30 * HOUR);
  }
  await credentials.close(never);
  exchanges.push(...credentials.takeExchanges());
  const others = platform.arrivals.filter(({ method }) => method !== 'GET');
  expect(
    others.every(({ method, url }) =>
      /^(POST \/tokens|DELETE \/tokens\/tok-\d-0+)$/.test(`${method} ${url}`),
    ),
  ).toBe(true);
  const shown = JSON.stringify({ exchanges, notices, failures, credentials: String(credentials) });
  for (const secret of [
    PASSWORD,
    encodeURIComponent(PASSWORD),
    Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64'),
    'tok-1-000',
  ]) {
    expect(shown).not.toContain(secret);
  }
});

import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_USER } from '../../../src/sandbox/sandbox.ts';
import { type Bench, basic, startBench } from '../client.ts';

const DAY = 86_400_000;

describe('tokens', () => {
  let bench: Bench;
  afterEach(() => bench.close());

  const user = { authorization: basic(DEFAULT_USER.username, DEFAULT_USER.password) };
  const create = (version = 3) => bench.call('POST', '/tokens', { version, headers: user });
  const read = (authorization: string) => bench.get('/domains', 3, { authorization });
  const tokenOf = (body: unknown) => (body as { token: string }).token;

  it('are created for 24 hours', async () => {
    bench = await startBench();
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.json()).toEqual({
      token: expect.stringMatching(/^[0-9a-f]{40}$/),
      created_at: '2026-11-20T12:34:20.000903Z',
      expires_at: '2026-11-21T12:34:20.000903Z',
    });
  });

  it.each([
    ['specified', 3, '2026-11-21T12:34:20.000903Z'],
    ['specified', 1, '2026-11-21 12:34:20.000903+00:00'],
    ['recorded', 3, '2026-11-21 12:34:20.000903+00:00'],
    ['recorded', 1, '2026-11-21T12:34:20.000903Z'],
  ] as const)('have timestamps as %s in version %i', async (tokenTimestamps, version, expires_at) => {
    bench = await startBench({ tokenTimestamps });
    expect((await create(version)).json()).toMatchObject({ expires_at });
  });

  it.each(['Token', 'token', 'TOKEN'])('are accepted under the scheme word %s', async (scheme) => {
    bench = await startBench();
    expect((await read(`${scheme} ${tokenOf((await create()).json())}`)).status).toBe(200);
  });

  it('expire', async () => {
    bench = await startBench();
    const authorization = `Token ${tokenOf((await create()).json())}`;
    bench.time += DAY - 1;
    expect((await read(authorization)).status).toBe(200);
    bench.time += 1;
    expect((await read(authorization)).status).toBe(401);
  });

  it('are worth nothing once revoked', async () => {
    bench = await startBench();
    const token = tokenOf((await create()).json());
    const revoked = await bench.call('DELETE', `/tokens/${token}`, { headers: user });
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect((await read(`Token ${token}`)).status).toBe(401);
    expect((await bench.call('DELETE', `/tokens/${token}`, { headers: user })).status).toBe(404);
  });

  it('take the right password to create and to revoke', async () => {
    bench = await startBench();
    const wrong = { authorization: basic(DEFAULT_USER.username, 'guess') };
    expect((await bench.call('POST', '/tokens', { headers: wrong })).status).toBe(401);
    expect((await bench.call('POST', '/tokens')).status).toBe(401);
    const { token } = { token: tokenOf((await create()).json()) };
    expect((await bench.call('DELETE', `/tokens/${token}`, { headers: wrong })).status).toBe(401);
    expect((await read(`Token ${token}`)).status).toBe(200);
  });

  it('do not let Basic authentication into anything else', async () => {
    bench = await startBench();
    expect((await read(user.authorization)).status).toBe(401);
  });

  it('say when they are missing', async () => {
    bench = await startBench();
    const answer = await fetch(`${bench.url}/domains`, {
      headers: { accept: 'application/json; version=3' },
    });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ detail: 'Authentication credentials were not provided.' });
  });

  it('allow what their user may do', async () => {
    bench = await startBench({ users: [{ ...DEFAULT_USER, permissions: ['View Domains'] }] });
    const authorization = `Token ${tokenOf((await create()).json())}`;
    expect((await read(authorization)).status).toBe(200);
    expect((await bench.get('/analytics/metadata', 1, { authorization })).status).toBe(403);
    expect((await bench.call('DELETE', '/domains/1', { headers: { authorization } })).status).toBe(403);
  });

  it('never appear in the log of requests', async () => {
    bench = await startBench();
    const token = tokenOf((await create()).json());
    await read(`Token ${token}`);
    await bench.call('DELETE', `/tokens/${token}`, { headers: user });
    expect((await bench.get('/_sandbox/requests')).text).not.toContain(token);
    expect(bench.sandbox.requests.recent.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/tokens', 'basic'],
      ['/domains', 'token'],
      ['/tokens/:token', 'basic'],
    ]);
  });
});

import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { Connection, credentialsFrom } from '../../../src/exporter/account/connection.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import type { ExchangeInfo } from '../../../src/exporter/platform/exchange.ts';
import { Turns } from '../../../src/exporter/poll/operations.ts';
import { eventually } from '../../eventually.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { PASSWORD, startTokenPlatform, USERNAME } from '../platform/token-platform.ts';
import { type Handler, sendJson, startUpstream } from '../platform/upstream.ts';

const clock = new SimulatedClock();
const never = new AbortController().signal;
const DOMAINS = { path: '/domains', version: 3 } as const;

function connectionTo(
  origin: string,
  login: object = { token: 'a-token' },
  { turns, mayLeave }: { readonly turns?: Turns; readonly mayLeave?: () => boolean } = {},
) {
  const given = { name: 'test', api_url: origin, quota: { reserve: 0 }, ...login };
  const [account] = CONFIG.parse({ accounts: [given] }).accounts;
  if (account === undefined) throw new Error('one account was configured');
  const observed: { readonly info: ExchangeInfo; readonly scope: string; readonly left: unknown }[] = [];
  const connection = new Connection({
    account,
    clock,
    ...(mayLeave !== undefined && { mayLeave }),
    credentials: credentialsFrom(clock, { guard: () => undefined }),
    ...(turns !== undefined && { turns }),
    observer: {
      exchanged: (_account, info, { scope: { name, limiter } }) =>
        observed.push({ info, scope: name, left: limiter.openWindow(clock.now())?.remaining }),
    },
  });
  onTestFinished(() => connection.close());
  const { limiter } = connection.platform.scopes.of('domains');
  const read = (signal: AbortSignal = never) =>
    connection.operations.readFor('domains')(() => DOMAINS, signal);
  return { connection, limiter, observed, read };
}

/** Serves a platform that allows 100 operations. Each request uses one, whatever the answer. */
async function counting(answer: (taken: number, response: ServerResponse, headers: object) => void) {
  let taken = 0;
  const handler: Handler = (_, response) => {
    taken += 1;
    answer(taken, response, { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': `${100 - taken}` });
  };
  return await startUpstream(handler);
}

it('accounts that ask questions at one address divide its limit as long as they are connected', async () => {
  const turns = new Turns();
  const limitOf = (origin: string) => {
    const { connection } = connectionTo(origin, undefined, { turns });
    return { connection, limiter: connection.platform.scopes.apart('graphql', 20).limiter };
  };
  const [one, two] = [limitOf('https://a.example.net'), limitOf('https://a.example.net')];
  const elsewhere = limitOf('https://b.example.net');
  expect([one, two, elsewhere].map(({ limiter }) => limiter.limitInUse)).toEqual([10, 10, 20]);
  await two.connection.close();
  expect(one.limiter.limitInUse).toBe(20);
});

it('a request that failed is counted before another may leave', async () => {
  const upstream = await counting((_, response, headers) =>
    sendJson(response, {}, { status: 503, headers: { ...headers } }),
  );
  const { read, limiter, observed } = connectionTo(upstream.origin);
  const leftAtTheEnd: unknown[] = [];
  await read().catch(() => leftAtTheEnd.push(limiter.openWindow(clock.now())?.remaining, limiter.inFlight));
  expect(leftAtTheEnd).toEqual([99, 0]);
  expect(observed).toMatchObject([{ info: { status: 503 }, scope: 'reads', left: 99 }]);
});

it('a request that is aborted is not counted, and gives its place back', async () => {
  const upstream = await counting(() => undefined);
  const { read, limiter, observed } = connectionTo(upstream.origin);
  const abort = new AbortController();
  const reading = read(abort.signal);
  await eventually('it has arrived', () => upstream.arrivals.length === 1);
  expect(limiter.inFlight).toBe(1);
  abort.abort(new Error('no longer wanted'));
  await expect(reading).rejects.toThrow('no longer wanted');
  expect(limiter.inFlight).toBe(0);
  expect(observed).toEqual([]);
});

it('what a login sends counts against the limit of the tokens: the creation, a refusal, the revocation', async () => {
  const platform = await startTokenPlatform(clock);
  const login = { username: USERNAME, password: PASSWORD };
  const { connection, read, observed } = connectionTo(platform.origin, login);
  await read();
  await connection.close();
  expect(observed.map(({ info: { method, status }, scope }) => [method, status, scope])).toEqual([
    ['POST', 201, 'tokens'],
    ['GET', 200, 'reads'],
    ['DELETE', 204, 'tokens'],
  ]);
  const refused = await startTokenPlatform(clock);
  refused.trouble.creationStatus = 403;
  const { read: readInVain, observed: seen } = connectionTo(refused.origin, login);
  await expect(readInVain()).rejects.toThrow('HTTP 403');
  expect(seen).toMatchObject([{ info: { method: 'POST', status: 403 }, scope: 'tokens' }]);
});

it("an account that has become another replica's creates no token, and still revokes its own", async () => {
  const platform = await startTokenPlatform(clock);
  const login = { username: USERNAME, password: PASSWORD };
  let isOwner = false;
  const late = connectionTo(platform.origin, login, { mayLeave: () => isOwner });
  await expect(late.read()).rejects.toThrow('another replica polls this account now');
  expect(platform.alive.size).toBe(0);
  isOwner = true;
  const owner = connectionTo(platform.origin, login, { mayLeave: () => isOwner });
  await owner.read();
  expect(platform.alive.size).toBe(1);
  isOwner = false;
  await owner.connection.close();
  expect(platform.alive.size).toBe(0);
});

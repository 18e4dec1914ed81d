import { setMaxListeners } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { Connection, credentialsFrom } from '../../../src/exporter/account/connection.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import { eventually } from '../../eventually.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { sendJson, startUpstream } from '../platform/upstream.ts';

it('an API that hangs does not hold all connections of its account', async () => {
  const upstream = await startUpstream((request, response) => {
    if (request.url?.startsWith('/analytics/') !== true) sendJson(response, []);
  });
  const given = { name: 'test', api_url: upstream.origin, token: 'a-token', request: { concurrency: 4 } };
  const [account] = CONFIG.parse({ accounts: [given] }).accounts;
  if (account === undefined) throw new Error('one account was configured');
  const clock = new SimulatedClock(Date.UTC(2026, 0, 5, 10));
  const connection = new Connection({
    account,
    clock,
    credentials: credentialsFrom(clock, { guard: () => undefined }),
  });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'));
    await connection.close();
  });
  const read = (api: string) =>
    connection.operations.readFor(api)(() => ({ path: `/${api}/metadata`, version: 1 }), stop.signal);
  const arrived = (api: string) => upstream.arrivals.filter(({ url }) => url.startsWith(`/${api}/`)).length;

  await read('domains');
  const hung = Array.from({ length: 10 }, () => read('analytics').catch((error: unknown) => error));
  await eventually('analytics holds all places but one', async () => arrived('analytics') === 3);
  const works = Array.from({ length: 10 }, () => read('metrics'));
  await clock.advance(3_100);
  await Promise.all(works);
  expect(arrived('analytics')).toBe(3);
  stop.abort(new Error('the test is over'));
  await Promise.all(hung);
});

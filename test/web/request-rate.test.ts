import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { limitRate, type RequestRate } from '../../src/web/request-rate.ts';

/** A server under a limit, asked at a time of the test's choosing. */
async function limited(rate: () => RequestRate | undefined) {
  let time = 0;
  const app = express();
  app.use(limitRate(rate, () => time));
  app.use((_request, response) => {
    response.end();
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return async (at: number) => {
    time = at;
    return (await fetch(url)).status;
  };
}

test('a burst is taken at once, then one request per interval, and unused ones add up to a burst again', async () => {
  const rate = { interval: 1_000, burst: 2 };
  const ask = await limited(() => rate);
  const seen = [];
  for (const at of [0, 0, 0, 500, 1_000, 1_001, 60_000, 60_000, 60_000]) seen.push(await ask(at));
  expect(seen).toEqual([200, 200, 429, 429, 200, 429, 200, 200, 429]);
});

test('without a limit everything is taken, and a new limit starts with its whole burst', async () => {
  let rate: RequestRate | undefined;
  const ask = await limited(() => rate);
  expect([await ask(0), await ask(0)]).toEqual([200, 200]);
  rate = { interval: 60_000, burst: 1 };
  expect([await ask(0), await ask(0)]).toEqual([200, 429]);
  rate = { interval: 60_000, burst: 1 };
  expect([await ask(0), await ask(0)]).toEqual([200, 429]);
});

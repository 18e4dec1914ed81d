import { hashSync } from '@node-rs/bcrypt';
import { expect, test } from 'vitest';
import { fuzz } from './raw-requests.ts';
import { basic, startWeb, written } from './server-at-hand.ts';

const REQUESTS = 3_000;
const USERS = { basic_auth_users: { user: hashSync('pass', 4) } };

test.each([
  ['an open server', {}],
  ['one that asks for a password and a name', USERS],
])('%s answers whatever is sent with a status or not at all, and goes on', async (_, config) => {
  const { url, port, lines } = await startWeb({
    webConfigFile: written(JSON.stringify(config)),
    allowedHosts: ['x'],
  });
  const seed = Math.floor(Math.random() * 2 ** 31);
  const statuses = await fuzz(port, REQUESTS, seed);
  const odd = [...statuses.keys()].filter((status) => Number.isNaN(status) || status >= 500);
  // The answer is 503 if more logins arrive than the server can verify.
  expect(
    odd.filter((status) => status !== 503),
    `seed ${seed}`,
  ).toEqual([]);
  expect(statuses.get(400), `seed ${seed}`).toBeGreaterThan(0);
  expect(lines, `seed ${seed}`).toEqual([]);
  const headers = { authorization: basic('user:pass') };
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
});

import bcrypt from 'bcryptjs';
import express from 'express';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createGate, parseAuthorization, type Users } from '../../src/web/basic-auth.ts';

const HASH = bcrypt.hashSync('open sesame', 4);

afterEach(() => vi.restoreAllMocks());

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

/** A server behind the gate that tells the status which a login gets. */
async function guard(users: () => Users) {
  const app = express();
  app.use(createGate(users));
  app.use((_request, response) => {
    response.end('inside');
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return (authorization?: string) =>
    fetch(url, authorization === undefined ? {} : { headers: { authorization } });
}

describe('the login in a header', () => {
  test.each([
    ['prometheus:open sesame', { user: 'prometheus', password: 'open sesame' }],
    ['a:b:c', { user: 'a', password: 'b:c' }],
    [':', { user: '', password: '' }],
    ['zoë:пароль', { user: 'zoë', password: 'пароль' }],
  ])('is "%s" as it was meant', (text, login) => {
    expect(parseAuthorization(basic(text))).toEqual(login);
  });

  test.each([
    undefined,
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    basic('no colon'),
    'Bearer abc',
    'Basic YTpi extra',
  ])('is none in "%s"', (header) => {
    expect(parseAuthorization(header)).toBeUndefined();
  });
});

test('without users everybody is let in', async () => {
  const enter = await guard(() => new Map());
  expect((await enter()).status).toBe(200);
});

test('with users only the right name with its password is let in, and a browser is told to ask', async () => {
  const enter = await guard(() => new Map([['prometheus', HASH]]));
  expect((await enter(basic('prometheus:open sesame'))).status).toBe(200);
  const refused = [
    undefined,
    'prometheus:wrong',
    'nobody:open sesame',
    'prometheus:',
    '__proto__:x',
    'constructor:x',
  ];
  for (const login of refused) {
    const answer = await enter(login === undefined ? undefined : basic(login));
    expect([login, answer.status, answer.headers.get('www-authenticate')]).toEqual([
      login,
      401,
      'Basic realm="edge-exporter", charset="UTF-8"',
    ]);
  }
});

test.each(['2a', '2b', '2y'])('a hash of kind $%s$ is taken', async (kind) => {
  const enter = await guard(() => new Map([['prometheus', HASH.replace(/^\$2\w/, `$${kind}`)]]));
  expect((await enter(basic('prometheus:open sesame'))).status).toBe(200);
});

test('a right login is verified once, a wrong one each time', async () => {
  const compare = vi.spyOn(bcrypt, 'compare');
  const enter = await guard(() => new Map([['prometheus', HASH]]));
  for (let i = 0; i < 5; i++) await enter(basic('prometheus:open sesame'));
  expect(compare).toHaveBeenCalledTimes(1);
  await enter(basic('prometheus:wrong'));
  await enter(basic('prometheus:wrong'));
  expect(compare).toHaveBeenCalledTimes(3);
});

test('an unknown user costs a comparison as dear as a known one', async () => {
  const compare = vi.spyOn(bcrypt, 'compare');
  const users = new Map([['prometheus', bcrypt.hashSync('x', 6)]]);
  const enter = await guard(() => users);
  await enter(basic('nobody:x'));
  const [password, hash = ''] = compare.mock.calls[0] ?? [];
  expect(password).toBe('x');
  expect(bcrypt.getRounds(hash)).toBe(6);
  expect(hash).toHaveLength(60);
});

test('a changed password and a removed user count at once', async () => {
  let users: Users = new Map([['prometheus', HASH]]);
  const enter = await guard(() => users);
  expect((await enter(basic('prometheus:open sesame'))).status).toBe(200);
  users = new Map([['prometheus', bcrypt.hashSync('another', 4)]]);
  expect((await enter(basic('prometheus:open sesame'))).status).toBe(401);
  expect((await enter(basic('prometheus:another'))).status).toBe(200);
  users = new Map([['somebody', HASH]]);
  expect((await enter(basic('prometheus:another'))).status).toBe(401);
});

test('a flood of guesses is turned away while a known login still enters', async () => {
  const enter = await guard(() => new Map([['prometheus', HASH]]));
  await enter(basic('prometheus:open sesame'));
  let release = () => {};
  const held = new Promise<boolean>((resolve) => {
    release = () => resolve(false);
  });
  vi.spyOn(bcrypt, 'compare').mockImplementation((() => held) as typeof bcrypt.compare);
  const statuses: number[] = [];
  const guesses = Array.from({ length: 40 }, async (_, i) => {
    statuses.push((await enter(basic(`prometheus:guess ${i}`))).status);
  });
  await vi.waitFor(() => expect(statuses).toEqual(Array(24).fill(503)), { timeout: 20_000 });
  expect((await enter(basic('prometheus:open sesame'))).status).toBe(200);
  release();
  await Promise.all(guesses);
  expect(statuses.slice(24)).toEqual(Array(16).fill(401));
});

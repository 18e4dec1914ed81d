import { hashSync } from '@node-rs/bcrypt';
import { describe, expect, test } from 'vitest';
import { parseAuthorization } from '../../../src/exporter/web/basic-auth.ts';
import { basic, startWeb, written } from './server-at-hand.ts';

const HASH = hashSync('open sesame', 4);

async function guarded(users: Readonly<Record<string, string>>) {
  const { url } = await startWeb({ webConfigFile: written(JSON.stringify({ basic_auth_users: users })) });
  return (authorization?: string) =>
    fetch(`${url}/metrics`, authorization === undefined ? {} : { headers: { authorization } });
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
  const enter = await guarded({});
  expect((await enter()).status).toBe(200);
});

test('with users only the right name with its password is let in, and a browser is told to ask', async () => {
  const enter = await guarded({ prometheus: HASH });
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

test('a user whose name JavaScript knows is refused, rather than left out: everybody would be let in', async () => {
  await expect(guarded(JSON.parse(`{"__proto__": "${HASH}"}`))).rejects.toThrow('reserved');
});

describe('a stored hash', () => {
  const [salt, rest] = [HASH.slice(7, 29), HASH.slice(29)];

  test.each([
    ['2a', `$2a$04$${salt}${rest}`],
    ['2b', `$2b$04$${salt}${rest}`],
    ['2y', `$2y$04$${salt}${rest}`],
    ['2x, as Go takes it', `$2x$04$${salt}${rest}`],
  ])('of %s lets its password in', async (_, hash) => {
    const enter = await guarded({ prometheus: hash });
    expect((await enter(basic('prometheus:open sesame'))).status).toBe(200);
    expect((await enter(basic('prometheus:other'))).status).toBe(401);
  });

  test.each([
    '',
    'secret',
    `$3b$04$${salt}${rest}`,
    `$2b$03$${salt}${rest}`,
    `$2b$-4$${salt}${rest}`,
    HASH.slice(0, -1),
    `${HASH}more`,
    `$2b$04$!!${salt.slice(2)}${rest}`,
  ])('that is "%s" is none', async (stored) => {
    await expect(guarded({ prometheus: stored })).rejects.toThrow('expected a bcrypt hash');
  });
});

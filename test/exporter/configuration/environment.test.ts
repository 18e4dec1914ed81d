import { expect, test } from 'vitest';
import { defaultCollectors } from '../../../src/exporter/configuration/collector-settings.ts';
import { loadConfig } from '../../../src/exporter/configuration/config.ts';
import { formatIssue } from '../../../src/exporter/configuration/issue.ts';

const API = { EDGE_API_URL: 'https://api.example.net/' };

async function problems(env: Record<string, string>) {
  const loaded = await loadConfig({ env });
  return loaded.ok ? [] : loaded.issues.map(formatIssue);
}

test.each([
  ['token', { EDGE_TOKEN: 'abc' }],
  ['token_file', { EDGE_TOKEN_FILE: '/run/token' }],
  ['password', { EDGE_USERNAME: 'u', EDGE_PASSWORD: 'p' }],
  ['password', { EDGE_USERNAME: 'u', EDGE_PASSWORD_FILE: '/run/p', EDGE_TOKEN: '' }],
])('variables describe an account named default that collects everything, by %s', async (kind, env) => {
  const loaded = await loadConfig({ env: { ...API, ...env } });
  expect(loaded).toMatchObject({
    ok: true,
    source: 'environment',
    warnings: [],
    config: {
      accounts: [
        {
          name: 'default',
          api_url: 'https://api.example.net',
          credentials: { kind },
          collectors: defaultCollectors(),
        },
      ],
    },
  });
});

test('variables say where GraphQL is, and that series are read by it', async () => {
  const named = { EDGE_TOKEN: 'abc', EDGE_GRAPHQL_URL: 'https://api.example.net/v4', EDGE_SOURCE: 'graphql' };
  expect(await loadConfig({ env: { ...API, ...named } })).toMatchObject({
    config: { accounts: [{ source: 'graphql', graphql_url: 'https://api.example.net/v4' }] },
  });
  expect(await problems({ ...API, EDGE_TOKEN: 'abc', EDGE_SOURCE: 'soap' })).toEqual([
    expect.stringMatching(/^environment: EDGE_SOURCE: .*graphql/),
  ]);
});

test('quotes that an env file of Docker passes on are named as the mistake, once for each variable', async () => {
  const quoted =
    'is in quotes, which belong to the value: an env file of Docker needs none, so leave them out';
  // The quotes are part of the values, as from an env file with EDGE_API_URL="https://api.example.net".
  const env = { EDGE_API_URL: '"https://api.example.net"', EDGE_TOKEN: '"abcdef0123456789"' };
  expect(await problems(env)).toEqual([
    `environment: EDGE_API_URL: ${quoted}`,
    `environment: EDGE_TOKEN: ${quoted}`,
  ]);
  expect(await problems({ ...API, EDGE_TOKEN_FILE: "'/run/token'", EDGE_SOURCE: '"soap"' })).toEqual([
    `environment: EDGE_TOKEN_FILE: ${quoted}`,
    `environment: EDGE_SOURCE: ${quoted}`,
  ]);
  expect(await problems({ ...API, EDGE_TOKEN: '"abc"', EDGE_SOURCE: 'soap' })).toHaveLength(2);
  expect(await problems({ ...API, EDGE_USERNAME: 'u', EDGE_PASSWORD: '"p"' })).toEqual([]);
});

test('an environment that says nothing is told apart from one that is wrong', async () => {
  expect(await loadConfig({ env: { PATH: '/bin', EDGE_TOKEN: '' } })).toMatchObject({
    nothingConfigured: true,
  });
  expect(await loadConfig({ env: { EDGE_TOKEN: 'abc' } })).toMatchObject({ nothingConfigured: false });
});

test('mistakes are told by the names of the variables', async () => {
  expect(await problems({ EDGE_TOKEN: 'abc' })).toEqual(['environment: EDGE_API_URL: is required']);
  expect(await problems(API)).toEqual([
    'environment: expected exactly one of EDGE_TOKEN, EDGE_TOKEN_FILE, or EDGE_USERNAME with EDGE_PASSWORD or EDGE_PASSWORD_FILE; found none',
  ]);
  expect(await problems({ ...API, EDGE_TOKEN: 'abc', EDGE_USERNAME: 'u', EDGE_PASSWORD: 'p' })).toHaveLength(
    1,
  );
});

test('only names of variables are written as such', async () => {
  expect(
    await problems({ EDGE_API_URL: 'https://me:hidden@api.example.net', EDGE_TOKEN: 'two words' }),
  ).toEqual([
    'environment: EDGE_API_URL: must not contain a user name or password: use EDGE_USERNAME and EDGE_PASSWORD',
    'environment: EDGE_TOKEN: must be one word of printable ASCII characters',
  ]);
  expect(await problems({ ...API, EDGE_PASSWORD: 'p', EDGE_PASSWORD_FILE: '/run/p' })).toEqual([
    'environment: expected one of EDGE_PASSWORD and EDGE_PASSWORD_FILE, not both',
    'environment: expected EDGE_USERNAME as well',
  ]);
});

test('several mistakes are told together', async () => {
  expect(
    await problems({ EDGE_API_URL: 'http://api.example.net', EDGE_USERNAME: 'u', EDGE_ALLOW_HTTP: 'yes' }),
  ).toEqual([
    'environment: EDGE_ALLOW_HTTP: expected true or false, found text',
    'environment: expected EDGE_PASSWORD or EDGE_PASSWORD_FILE beside EDGE_USERNAME',
    'environment: EDGE_API_URL: expected https: the token would be sent unencrypted; EDGE_ALLOW_HTTP=true permits it',
  ]);
});

test('EDGE_ALLOW_HTTP permits an unencrypted address', async () => {
  const env = { EDGE_API_URL: 'http://api.example.net', EDGE_TOKEN: 'abc', EDGE_ALLOW_HTTP: '1' };
  expect((await loadConfig({ env })).ok).toBe(true);
});

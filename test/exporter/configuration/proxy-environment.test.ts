import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { parseProxy, secretsOf } from '../../../src/exporter/configuration/access.ts';
import { loadConfig } from '../../../src/exporter/configuration/config.ts';
import { environmentProxy } from '../../../src/exporter/configuration/environment-proxy.ts';
import { formatIssue } from '../../../src/exporter/configuration/issue.ts';

type Env = Record<string, string>;

const API = 'https://api.example.net';
const HTTPS: Env = { HTTPS_PROXY: 'http://secure:3128' };
const HTTP: Env = { HTTP_PROXY: 'http://plain:3128' };

function proxyFor(address: string, env: Env): string | undefined {
  const found = environmentProxy(address, env);
  if ('variable' in found) return `${found.variable}: ${found.message}`;
  return found.proxy === undefined ? undefined : `${found.proxy.origin} from ${found.proxy.from}`;
}

test.each<[string, Env, string | undefined]>([
  [API, {}, undefined],
  [API, HTTPS, 'http://secure:3128 from HTTPS_PROXY'],
  [API, { https_proxy: 'http://lower:1', ...HTTPS }, 'http://lower:1 from https_proxy'],
  [API, { https_proxy: '', ...HTTPS }, 'http://secure:3128 from HTTPS_PROXY'],
  [API, HTTP, undefined],
  ['http://api.example.net', { ...HTTP, ...HTTPS }, 'http://plain:3128 from HTTP_PROXY'],
  [API, { HTTPS_PROXY: 'secure:3128' }, 'http://secure:3128 from HTTPS_PROXY'],
  [API, { HTTPS_PROXY: 'https://secure' }, 'https://secure from HTTPS_PROXY'],
  [API, { ALL_PROXY: 'http://all:3128' }, undefined],
])('for %s %j names %s', (address, env, expected) => {
  expect(proxyFor(address, env)).toBe(expected);
});

test.each([
  'http://localhost:8080',
  'http://127.0.0.1',
  'http://127.8.8.8',
  'http://[::1]:80',
  'https://localhost',
])('what is meant for this machine alone stays on it: %s', (address) => {
  expect(proxyFor(address, { ...HTTP, ...HTTPS })).toBeUndefined();
});

test.each([
  ['*', true],
  ['api.example.net', true],
  ['example.net', true],
  ['.example.net', true],
  ['*.example.net', true],
  ['other.net, EXAMPLE.NET', true],
  ['other.net example.net', true],
  ['api.example.net:443', true],
  ['api.example.net:8443', false],
  ['ample.net', false],
  ['api.example.net.other.net', false],
  ['', false],
])('NO_PROXY=%s exempts api.example.net: %s', (list, exempt) => {
  expect(proxyFor(API, { ...HTTPS, NO_PROXY: list }) === undefined).toBe(exempt);
});

test.each([
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://[2001:db8::1]', '2001:db8::1', true],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:443', false],
  ['https://api.example.net', '10.0.0.0/8', false],
])('%s and NO_PROXY=%s: exempt %s', (address, list, exempt) => {
  expect(proxyFor(address, { ...HTTPS, no_proxy: list }) === undefined).toBe(exempt);
});

const ACCOUNT = { EDGE_API_URL: API, EDGE_TOKEN: 'abc' };

test('a variable that names no proxy is a mistake that repeats nothing of it', async () => {
  const loaded = await loadConfig({ env: { ...ACCOUNT, HTTPS_PROXY: 'socks5://user:hidden@proxy' } });
  expect(loaded.ok ? [] : loaded.issues.map(formatIssue)).toEqual([
    'environment: HTTPS_PROXY: expected the address of an http or https proxy, such as "http://proxy.example.net:3128"',
  ]);
});

test('the password of a proxy is a secret of the account, and is shown nowhere', async () => {
  const loaded = await loadConfig({ env: { ...ACCOUNT, HTTPS_PROXY: 'http://user:h%2Fdden@proxy:3128' } });
  const account = loaded.ok ? loaded.config.accounts[0] : undefined;
  if (account === undefined) throw new Error('not loaded');
  expect(account.request.proxy).toMatchObject({ origin: 'http://proxy:3128', from: 'HTTPS_PROXY' });
  const revealed = secretsOf(account).map((secret) => secret.reveal());
  expect(revealed).toEqual(['abc', 'h/dden', Buffer.from('user:h/dden').toString('base64')]);
  expect(inspect(account, { depth: 9 }) + JSON.stringify(account)).not.toMatch(/h.*dden/);
});

test.each(['http://proxy/path', 'http://proxy?x', 'ftp://proxy', 'proxy:3128', 'http://u:%zz@proxy', ''])(
  '%s is no address of a proxy',
  (address) => {
    expect(parseProxy(address, 'here')).toBeUndefined();
  },
);

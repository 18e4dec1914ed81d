import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_USER } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { type Handler, sendJson, startUpstream } from '../exporter/platform/upstream.ts';
import { configFile } from './config-file.ts';
import { type ExporterProcess, runExporter, startExporter } from './exporter-process.ts';
import { type ServedSandbox, serveSandbox } from './platform.ts';

const LOGIN = { username: 'operator+1@example.com', password: 'pä55/word? "quoted" & more' };
const TOKEN = 'tok+en/of=the~platform-0123456789';

const PATHS = [
  ...['/', '/?state=failed', '/api/v1/status', '/metrics', '/-/healthy', '/-/ready'],
  ...['/-/reload', '/nothing', `/${encodeURIComponent('<script>')}`],
];

describe('a whole run with a user name and a password', () => {
  it('asks the platform for nothing but GETs, and makes and revokes its own token', async () => {
    const sandbox = await serveSandbox({ users: [LOGIN] });
    const config = await configFile({ accounts: [{ name: 'login', api_url: sandbox.url, ...LOGIN }] });
    const exporter = await startQuietly([`--config.file=${config.path}`]);
    await everyCollectorAsked(sandbox, exporter);
    expect(await exporter.kill('SIGTERM')).toMatchObject({ code: 0 });
    const others = sandbox.requests.recent.filter(({ method }) => method !== 'GET');
    expect(others).toMatchObject([
      { method: 'POST', path: '/tokens', authorization: 'basic', status: 201 },
      { method: 'DELETE', path: '/tokens/:token', authorization: 'basic', status: 204 },
    ]);
    expect(sandbox.requests.total).toBe(sandbox.requests.recent.length);
    expect([...sandbox.requests.byMethod.keys()].sort()).toEqual(['DELETE', 'GET', 'POST']);
    expect(sandbox.requests.recent.filter(({ authorization }) => authorization === 'none')).toEqual([]);
  });
});

describe('a platform that points elsewhere', () => {
  it.each([
    ['redirects', 'redirect'],
    ['links of pages', 'foreign_links'],
  ] as const)('by %s does not get the exporter to send anything there', async (_, fault) => {
    const elsewhere = await startUpstream((request, response) => sendJson(response, [request.url]));
    const sandbox = await serveSandbox({ maxPageSize: 2, users: [DEFAULT_USER] });
    sandbox.faults.set({ [fault]: { origin: elsewhere.origin, methods: ['GET'] } });
    const exporter = await startQuietly([], {
      EDGE_API_URL: sandbox.url,
      EDGE_USERNAME: DEFAULT_USER.username,
      EDGE_PASSWORD: DEFAULT_USER.password,
    });
    const { requests } = sandbox;
    // The exporter continues after the first refused redirect, and requests further pages by number.
    const isMet = {
      redirect: () =>
        exporter.process.stderr().includes('another origin') && (requests.byMethod.get('GET') ?? 0) > 1,
      foreign_links: () =>
        requests.recent.filter(({ path, status }) => path === '/domains' && status === 200).length > 1,
    }[fault];
    await eventually('the fault is met', isMet, { evidence: exporter.process.output });
    await exporter.kill('SIGTERM');
    expect(elsewhere.arrivals).toEqual([]);
    expect(elsewhere.connections()).toBe(0);
  });
});

describe.each(['logfmt', 'json'])('with its log at debug level as %s', (format) => {
  const flags = [`--log.level=debug`, `--log.format=${format}`];

  it('shows neither password nor token, however often the platform repeats them', async () => {
    const platform = await startUpstream(echo);
    const account = { api_url: platform.origin, quota: { assumed_limit: 10_000 } };
    const config = await configFile({
      accounts: [
        { name: 'login', ...account, ...LOGIN },
        { name: 'token', ...account, token: TOKEN },
      ],
    });
    const exporter = await startQuietly([`--config.file=${config.path}`, '--web.enable-lifecycle', ...flags]);
    const told = () => exporter.process.stderr().split('forbidden').length > 20;
    await eventually('failures are told', told, { evidence: exporter.process.output });
    const texts = await surface(exporter);
    await config.write('accounts: [{ name: "login" }]');
    texts.push(await answer(exporter, '/-/reload', 'POST'), await answer(exporter, '/'));
    await exporter.kill('SIGTERM');
    texts.push(exporter.process.stdout(), exporter.process.stderr());
    expect(platform.arrivals.some(({ method }) => method === 'DELETE')).toBe(true);
    expectNoSecret(texts.join('\n'), [LOGIN.password, TOKEN, CREATED]);
    expect(texts.join('\n')).toContain('[secret]');
  });

  it('shows no secret of a configuration that is wrong', async () => {
    const wrong = { name: 'wrong', api_url: 'http://platform.example', ...LOGIN, token: TOKEN, tokn: TOKEN };
    const config = await configFile({ accounts: [wrong, { ...wrong, password: [LOGIN.password] }] });
    const { code, stdout, stderr } = await runExporter({
      args: ['serve', `--config.file=${config.path}`, ...flags],
    });
    expect(code).toBe(2);
    expect(stderr).toContain('accounts[1]');
    expectNoSecret(stdout + stderr, [LOGIN.password, TOKEN]);
  });
});

const CREATED = 'created-Tok+en/==~9876543210';

const echo: Handler = (request, response) => {
  const authorization = request.headers.authorization ?? '';
  if (request.method === 'POST') return sendJson(response, { token: CREATED }, { status: 201 });
  if (request.method === 'DELETE') return sendJson(response, { detail: authorization }, { status: 500 });
  const [, token = ''] = authorization.split(' ');
  const said = [authorization, token, encodeURIComponent(token), Buffer.from(token).toString('base64')];
  const login = [LOGIN.password, encodeURIComponent(LOGIN.password)];
  const basic = Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64');
  const words = [...said, ...(token === TOKEN ? [] : [...login, basic])].join(' ');
  sendJson(response, { detail: `no: ${words}` }, { status: 403, headers: { 'x-echo': token } });
};

async function startQuietly(args: string[], env: Record<string, string> = {}): Promise<ExporterProcess> {
  const exporter = await startExporter({ args: ['serve', ...args], env });
  onTestFinished(async () => void (await exporter.stop()));
  return exporter;
}

async function everyCollectorAsked({ requests }: ServedSandbox, { process }: ExporterProcess): Promise<void> {
  const parts = ['/metrics', '/analytics', '/domains', '/content_delivery'];
  const asked = () => parts.every((part) => requests.recent.some(({ path }) => path.startsWith(part)));
  await eventually('every part of the API was read', asked, { evidence: process.output });
}

async function surface(exporter: ExporterProcess): Promise<string[]> {
  const answers = await Promise.all(PATHS.map((path) => answer(exporter, path)));
  const commandLine = await readFile(`/proc/${exporter.process.pid}/cmdline`, 'utf8');
  return [...answers, (await exporter.scrape('openmetrics')).body, commandLine];
}

async function answer({ url }: ExporterProcess, path: string, method = 'GET'): Promise<string> {
  const response = await fetch(`${url}${path}`, { method });
  return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
}

/**
 * Searches a text for each secret: in plain form, in the encodings of URLs, JSON, HTML and base64, and inside
 * the base64 of a login.
 */
function expectNoSecret(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (const form of formsOf(secret)) expect(text).not.toContain(form);
  }
}

function formsOf(secret: string): string[] {
  const html = secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const inLogin = Buffer.from(`${LOGIN.username}:${secret}`).toString('base64');
  const bytes = Buffer.from(secret);
  return [
    ...[secret, encodeURIComponent(secret), encodeURI(secret), JSON.stringify(secret).slice(1, -1), html],
    ...[bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex'), inLogin],
  ];
}

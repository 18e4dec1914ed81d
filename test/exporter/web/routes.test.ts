import { describe, expect, test } from 'vitest';
import { madeUpStatus } from '../page/made-up-status.ts';
import { raw, startWeb } from './server-at-hand.ts';

describe('the other paths', () => {
  test('the page links to those that there are', async () => {
    const { url } = await startWeb({ status: () => madeUpStatus() });
    const page = await (await fetch(`${url}/`)).text();
    const [navigation = ''] = /<nav aria-label="Endpoints">.*?<\/nav>/s.exec(page) ?? [];
    const links = [...navigation.matchAll(/href="([^"]+)"/g)].map(
      ([, href = '']) => new URL(href, `${url}/`),
    );
    const answers = await Promise.all(links.map(async (link) => [link.pathname, (await fetch(link)).status]));
    expect(answers).toEqual(
      ['/metrics', '/api/v1/status', '/-/healthy', '/-/ready'].map((path) => [path, 200]),
    );
  });

  test('/-/healthy answers as long as anything does', async () => {
    const { url } = await startWeb({ notReady: () => ['why not'] });
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
  });

  test('/-/ready says what it waits for', async () => {
    let reasons = ['account "staging" has not answered yet'];
    const status = () => {
      throw new Error('probes come often: the whole status is not for them');
    };
    const { url } = await startWeb({ status, notReady: () => reasons });
    const before = await fetch(`${url}/-/ready`);
    expect([before.status, await before.text()]).toEqual([
      503,
      'not ready\naccount "staging" has not answered yet\n',
    ]);
    reasons = [];
    expect((await fetch(`${url}/-/ready`)).status).toBe(200);
  });

  test.each(['POST', 'PUT'])(
    '/-/reload takes %s and gives the issues of a bad configuration',
    async (method) => {
      let result: { ok: true } | { ok: false; issues: string[] } = { ok: true };
      const { url } = await startWeb({ reload: async () => result });
      expect((await fetch(`${url}/-/reload`, { method })).status).toBe(200);
      result = { ok: false, issues: ['exporter.yaml:3:5: accounts[0].nmae: unknown key'] };
      const refused = await fetch(`${url}/-/reload`, { method });
      expect(refused.status).toBe(422);
      expect(await refused.text()).toContain('\nexporter.yaml:3:5: accounts[0].nmae: unknown key\n');
    },
  );

  test('/-/reload is refused unless the lifecycle API is enabled', async () => {
    let reloads = 0;
    const reload = async () => {
      reloads++;
      return { ok: true } as const;
    };
    const { url } = await startWeb({ reload, lifecycle: false });
    for (const method of ['POST', 'PUT']) {
      const answer = await fetch(`${url}/-/reload`, { method });
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining('--web.enable-lifecycle'),
      ]);
    }
    expect(reloads).toBe(0);
  });

  test('/-/reload is not started by a page of another site', async () => {
    let reloads = 0;
    const reload = async () => {
      reloads++;
      return { ok: true } as const;
    };
    const { url } = await startWeb({ reload });
    const post = (origin: string) => fetch(`${url}/-/reload`, { method: 'POST', headers: { origin } });
    expect((await post('https://evil.example')).status).toBe(403);
    expect((await post('null')).status).toBe(403);
    expect(reloads).toBe(0);
    expect((await post(url)).status).toBe(200);
  });

  test('/log_level says the level, and changes it to one that there is, where the lifecycle API is enabled', async () => {
    let level = 'info';
    const logLevel = {
      levels: ['debug', 'info'],
      read: () => level,
      set: (wanted: string) => {
        level = wanted;
      },
    };
    const { url } = await startWeb({ logLevel });
    const post = async (to: string, query: string, headers = {}) =>
      (await fetch(`${to}/log_level${query}`, { method: 'POST', headers })).status;
    expect(await (await fetch(`${url}/log_level`)).text()).toBe('info\n');
    expect(await post(url, '?log_level=loud')).toBe(400);
    expect(await post(url, '')).toBe(400);
    expect(await post(url, '?log_level=debug', { origin: 'https://evil.example' })).toBe(403);
    const closed = await startWeb({ logLevel, lifecycle: false });
    expect(await post(closed.url, '?log_level=debug')).toBe(403);
    expect(level).toBe('info');
    expect(await post(url, '?log_level=debug')).toBe(200);
    expect(await (await fetch(`${url}/log_level`)).text()).toBe('debug\n');
  });

  test('/api/v1/status is the status as JSON, packed where that helps', async () => {
    const { url } = await startWeb();
    const answer = await fetch(`${url}/api/v1/status`);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.json()).toMatchObject({
      version: '0.1.0',
      accounts: [{ name: 'production', judgement: { state: 'well' }, jobs: [{ collector: 'metrics' }] }],
    });
    expect((await fetch(`${url}/api/v1/status?limit=none`)).status).toBe(400);
    const page = await raw(Number(new URL(url).port), 'GET / HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n');
    expect(page).toContain('Content-Encoding: gzip');
  });

  test.each(['/', '/-/healthy', '/-/ready', '/api/v1/status', '/metrics'])(
    'a condition does not keep %s from being answered',
    async (path) => {
      const { port } = await startWeb();
      const answer = await raw(
        port,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIf-None-Match: *\r\nIf-Modified-Since: Mon, 01 Jan 2035 00:00:00 GMT\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  test('a status that is packed too late is dropped without a word', async () => {
    const status = () => {
      // The status takes longer than the timeout of the answer, so that the answer is aborted before the
      // compression ends.
      const until = performance.now() + 100;
      while (performance.now() < until);
      return madeUpStatus({ not_ready: Array.from({ length: 1_000 }, (_, i) => `reason ${i}`) });
    };
    const { url, lines } = await startWeb({ status, answerTimeout: 10 });
    const answer = await fetch(`${url}/api/v1/status`);
    expect([answer.status, await answer.text()]).toEqual([503, 'The answer took too long.\n']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lines).toEqual([]);
  });

  test('/ is the page, with headers that let it load nothing from elsewhere', async () => {
    const { url } = await startWeb();
    const answer = await fetch(`${url}/?q=shop`);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(await answer.text()).toContain('shop-checkout');
  });
});

describe('a request for something else', () => {
  test.each([
    '/nothing',
    '/METRICS',
    '/metrics/',
    '//',
    '/%zz',
    '/%00',
    '/metrics%2f',
    '/../../etc/passwd',
    `/${'a'.repeat(8_000)}`,
  ])('to %s is a 404 that lists what there is', async (path) => {
    const { port } = await startWeb();
    const answer = await raw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('\n/metrics\n/\n/-/healthy\n/-/ready\n/-/reload\n/log_level\n/api/v1/status\n');
  });

  test.each([
    ['POST', '/metrics', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/status', 'GET, HEAD'],
    ['GET', '/-/reload', 'POST, PUT'],
  ])('with %s to %s is a 405 that says what is allowed', async (method, path, allowed) => {
    const { url } = await startWeb();
    const answer = await fetch(url + path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
    expect(answer.headers.get('content-type')).toContain('text/plain');
  });

  test.each([
    ['no HTTP at all', 'hello?\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'headers of 100 KB',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`,
      /^(HTTP\/1\.1 431 |$)/,
    ],
    [
      'two lengths',
      'POST /-/reload HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    ['a tunnel', 'CONNECT example.net:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^$/],
    [
      'an upgrade',
      'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      /^HTTP\/1\.1 404 /,
    ],
    [
      'a whole address',
      'GET http://elsewhere/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 404 /,
    ],
    [
      'a repeated query',
      'GET /?q=1&q=2&page[]=3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 200 /,
    ],
  ])('that is %s does no harm', async (_, request, answer) => {
    const { url, port, lines } = await startWeb();
    expect(await raw(port, request)).toMatch(answer);
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
    expect(lines).toEqual([]);
  });
});

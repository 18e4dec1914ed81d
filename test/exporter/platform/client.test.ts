import { pbkdf2 } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { Client, type ClientOptions } from '../../../src/exporter/platform/client.ts';
import { staticToken } from '../../../src/exporter/platform/credentials.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { Secret } from '../../../src/exporter/secret.ts';
import { VERSION } from '../../../src/exporter/version.ts';
import { recordedClient } from './recorded-client.ts';
import { type Handler, sendJson, startUpstream } from './upstream.ts';

const TOKEN = '3a110f2990cfbce7b84265cc027f992acb9743eb';
const metadata = { path: '/analytics/metadata', version: 1 } as const;
const never = new AbortController().signal;
setMaxListeners(0, never);

function openClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const client = recordedClient(
    new Client({
      baseUrl,
      credentials: staticToken(new Secret(TOKEN)),
      timeoutMs: 20_000,
      maxResponseBytes: 1_000_000,
      connections: 4,
      clock: systemClock,
      ...options,
    }),
  );
  onTestFinished(() => client.close());
  return { client, exchanges: client.exchanges, failure: () => failureOf(client.get(metadata, never)) };
}

async function failureOf(read: Promise<unknown>): Promise<PlatformFailure> {
  const error = await read.then(
    () => new Error('there was an answer'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PlatformFailure)) throw error;
  return error;
}

async function against(handler: Handler, options: Partial<ClientOptions> = {}) {
  const upstream = await startUpstream(handler);
  return { upstream, ...openClient(upstream.origin, options) };
}

describe('a request', () => {
  test('is a GET with the version, the token and the name of this program', async () => {
    const { upstream, client } = await against((_, response) => sendJson(response, { requests: ['total'] }));
    const query = { date_from: '2026-01-05T10:00Z', date_to: 'a&b=c d' };
    const answer = await client.get({ path: '/analytics/metadata', version: 2, query }, never);
    expect(answer).toEqual({ body: { requests: ['total'] }, bytes: 22 });
    const [arrival] = upstream.arrivals;
    expect(arrival?.method).toBe('GET');
    expect(new URL(arrival?.url ?? '', upstream.origin).pathname).toBe('/analytics/metadata');
    expect(Object.fromEntries(new URL(arrival?.url ?? '', upstream.origin).searchParams)).toEqual(query);
    expect(arrival?.headers).toMatchObject({
      accept: 'application/json; version=2',
      authorization: `Token ${TOKEN}`,
      'user-agent': `edge-exporter/${VERSION}`,
    });
  });

  test('goes below the path of the base address', async () => {
    const upstream = await startUpstream((_, response) => sendJson(response, []));
    const { client } = openClient(`${upstream.origin}/edge/api`);
    await client.get(metadata, never);
    expect(upstream.arrivals[0]?.url).toBe('/edge/api/analytics/metadata');
  });

  test('shares few connections with the others and keeps them alive', async () => {
    const { upstream, client } = await against((_, response) => sendJson(response, []), { connections: 2 });
    await Promise.all(Array.from({ length: 10 }, () => client.get(metadata, never)));
    await client.get(metadata, never);
    expect(upstream.arrivals).toHaveLength(11);
    expect(upstream.connections()).toBeLessThanOrEqual(2);
  });

  test.each([
    'https://evil.test/x',
    '//evil.test/x',
    '/\\evil.test/x',
    '@evil.test/',
    '.evil.test/',
    '/a/../../x',
    '/a/%2E%2e/x',
    '/./x',
    '',
  ])('to the path %j never leaves', async (path) => {
    const { upstream, client, exchanges } = await against((_, response) => sendJson(response, []));
    expect(await failureOf(client.get({ path, version: 3 }, never))).toMatchObject({ outcome: 'network' });
    expect(upstream.arrivals).toEqual([]);
    expect(exchanges).toEqual([]);
  });

  test('takes a question mark in a path as part of the path', async () => {
    const { upstream, client } = await against((_, response) => sendJson(response, []));
    await client.get({ path: '/a?b#c', version: 3, query: { d: 'e' } }, never);
    expect(upstream.arrivals[0]?.url).toBe('/a%3Fb%23c?d=e');
  });
});

describe('the record of an exchange', () => {
  test('has everything known of it, and comes before the answer', async () => {
    const headers = {
      date: 'Mon, 05 Jan 2026 10:00:00 GMT',
      'X-RateLimit-Limit': '80',
      'X-RateLimit-Remaining': '79',
      'X-RateLimit-Reset': '2026-01-05T10:01:00.5',
    };
    let now = 1_000;
    const clock = { ...systemClock, now: () => now++ };
    const { client, exchanges } = await against((_, response) => sendJson(response, [1], { headers }), {
      clock,
    });
    await client.get({ ...metadata, query: { page: '2' } }, never);
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]).toEqual({
      method: 'GET',
      path: '/analytics/metadata?page=2',
      version: 1,
      status: 200,
      outcome: 'ok',
      answeredBy: 'platform',
      form: 'JSON',
      startedAt: 1_000,
      endedAt: expect.any(Number),
      serverDate: Date.UTC(2026, 0, 5, 10),
      rate: { limit: 80, remaining: 79, resetAt: Date.UTC(2026, 0, 5, 10, 1, 0, 500) },
      bytes: 3,
    });
    expect(exchanges[0]?.endedAt).toBeGreaterThan(1_000);
  });

  test.each([
    ['30', 30_000],
    ['Mon, 05 Jan 2026 10:00:45 GMT', 45_000],
  ])('with the wait of a 429 that says %j, by the clock of the platform', async (text, expected) => {
    const headers = {
      date: 'Mon, 05 Jan 2026 10:00:00 GMT',
      'retry-after': text,
      'x-ratelimit-remaining': '0',
    };
    const { exchanges, failure } = await against((_, response) =>
      sendJson(response, { detail: 'Request was throttled.' }, { status: 429, headers }),
    );
    expect(await failure()).toMatchObject({
      outcome: 'rate_limited',
      message: 'HTTP 429: Request was throttled.',
    });
    expect(exchanges).toMatchObject([
      { outcome: 'rate_limited', retryAfterMs: expected, rate: { remaining: 0 } },
    ]);
  });

  test('with the token masked, should it be in the path', async () => {
    const { client, exchanges } = await against((_, response) => sendJson(response, []));
    await client.get({ path: `/x/${TOKEN}`, version: 1, query: { t: TOKEN } }, never);
    expect(exchanges[0]?.path).toBe('/x/[secret]?t=[secret]');
  });
});

describe('a refusal', () => {
  test.each([
    [400, 'not_acceptable'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [405, 'not_acceptable'],
    [406, 'not_acceptable'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [502, 'server_error'],
  ])('of status %i is %s, with the words of the platform', async (status, outcome) => {
    const { failure, exchanges, upstream } = await against((_, response) =>
      sendJson(response, { errors: ['words'] }, { status }),
    );
    expect(await failure()).toMatchObject({ outcome, status, message: `HTTP ${status}: words` });
    expect(exchanges).toMatchObject([{ status, outcome, bytes: 20 }]);
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('does not give away a token that it echoes', async () => {
    const echo = `bad ${TOKEN}, ${encodeURIComponent(TOKEN)}, ${Buffer.from(`Token ${TOKEN}`).toString('base64')}`;
    for (const send of [JSON.stringify({ detail: echo }), `<title>${echo}</title>`]) {
      const { failure, exchanges } = await against((_, response) => response.writeHead(403).end(send));
      const { message } = await failure();
      expect(message).toMatch(/^HTTP 403: bad \[secret\], \[secret\], /);
      for (const shown of [message, JSON.stringify(exchanges)]) expect(shown).not.toContain(TOKEN);
      expect(message).not.toContain(Buffer.from(TOKEN).toString('base64').slice(4, 40));
    }
  });

  test('stands when its body is endless, cut off, compressed or a bomb', async () => {
    const bodies: Handler[] = [
      (_, response) => {
        response.writeHead(500, { 'content-type': 'text/plain' });
        const pump = setInterval(() => response.write('x'.repeat(100_000)), 1);
        response.on('close', () => clearInterval(pump));
      },
      (request, response) => {
        response.writeHead(500, { 'content-length': 1000 }).write('begin', () => request.socket.destroy());
      },
      (_, response) =>
        response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync('{"detail":"words"}')),
      (_, response) =>
        response.writeHead(500, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
    ];
    for (const body of bodies) {
      const { failure, exchanges } = await against(body);
      const { outcome, message } = await failure();
      expect(outcome).toBe('server_error');
      expect(message.length).toBeLessThan(250);
      expect(exchanges).toMatchObject([{ status: 500, outcome: 'server_error' }]);
    }
  });
});

describe('an answer', () => {
  test.each([
    ['empty', '', 'the answer is empty'],
    ['a web page', '<title>Sign in</title>', 'the answer is not JSON: Sign in'],
    ['cut off within the document', '{"a": [1, 2', 'the answer is not JSON: {"a": [1, 2'],
    ['with NaN in it', '[NaN]', 'the answer is not JSON: [NaN]'],
    ['with the token in it', `hello ${TOKEN}`, 'the answer is not JSON: hello [secret]'],
  ])('that is %s is undecodable', async (_, body, message) => {
    const { failure, exchanges } = await against((__, response) => response.end(body));
    expect(await failure()).toMatchObject({ outcome: 'undecodable', status: 200, message });
    expect(exchanges).toMatchObject([{ status: 200, outcome: 'undecodable', bytes: body.length }]);
  });

  test('without content is undecodable', async () => {
    const { failure } = await against((_, response) => response.writeHead(204).end());
    expect(await failure()).toMatchObject({
      outcome: 'undecodable',
      status: 204,
      message: 'the answer is empty',
    });
  });

  test.each([
    ['{"id": 1, "name": "}{"}\n{"id": 2}\r\n{"id": 3}\n', [{ id: 1, name: '}{' }, { id: 2 }, { id: 3 }]],
    [
      `${JSON.stringify({ id: 1, domains: [{}] }, null, 2)}\n\n${JSON.stringify({ id: 2 }, null, 2)}`,
      [{ id: 1, domains: [{}] }, { id: 2 }],
    ],
    ['{"id": 1}', { id: 1 }],
  ])(
    'of objects one after another is read as an array of them, of one as that: %j',
    async (text, expected) => {
      const { client } = await against((_, response) => response.end(text));
      expect((await client.get(metadata, never)).body).toEqual(expected);
    },
  );

  test('of objects one after another that is cut off is undecodable, however long', async () => {
    const { failure } = await against((_, response) => response.end(`{"a":1}${'\n'.repeat(900_000)}{"a":`));
    expect(await failure()).toMatchObject({ outcome: 'undecodable' });
  });

  test('with a byte order mark is read', async () => {
    const { client } = await against((_, response) => response.end('\uFEFF{"a":1}'));
    expect((await client.get(metadata, never)).body).toEqual({ a: 1 });
  });

  test.each([
    ['with its length announced', true],
    ['in chunks', false],
  ])('cut off by the connection is undecodable, %s', async (_, announced) => {
    const { failure, exchanges } = await against((request, response) => {
      response.writeHead(200, announced ? { 'content-length': 1000 } : {});
      response.write('[1, 2', () => request.socket.destroy());
    });
    expect(await failure()).toMatchObject({ outcome: 'undecodable', message: 'the answer was cut off' });
    expect(exchanges).toMatchObject([{ status: 200, outcome: 'undecodable' }]);
  });

  test('that announces too many bytes is refused before they come', async () => {
    const { failure } = await against(
      (_, response) => response.writeHead(200, { 'content-length': 1_000_000_000 }).write('['),
      { maxResponseBytes: 1000 },
    );
    expect(await failure()).toMatchObject({
      outcome: 'undecodable',
      message: 'the answer is larger than 1000 bytes',
    });
  });

  test('that brings too many bytes unannounced is aborted there, and its connection with it', async () => {
    let written = 0;
    const { failure, client } = await against(
      (request, response) => {
        if (request.url?.startsWith('/small')) return sendJson(response, 'fine');
        const pump = setInterval(() => {
          written += 10_000;
          response.write('1'.repeat(10_000));
        }, 1);
        response.on('close', () => clearInterval(pump));
      },
      { maxResponseBytes: 100_000, connections: 1 },
    );
    expect(await failure()).toMatchObject({ outcome: 'undecodable' });
    expect(written).toBeLessThan(50_000_000);
    expect((await client.get({ path: '/small', version: 1 }, never)).body).toBe('fine');
  });

  test('of exactly the largest size is read, one byte more is not', async () => {
    const { client } = await against(
      (request, response) => response.end(`"${'x'.repeat(Number(request.url?.slice(1)) - 2)}"`),
      {
        maxResponseBytes: 1000,
      },
    );
    expect((await client.get({ path: '/1000', version: 1 }, never)).bytes).toBe(1000);
    expect(await failureOf(client.get({ path: '/1001', version: 1 }, never))).toMatchObject({
      outcome: 'undecodable',
    });
  });

  test('may come compressed, and is asked for that way', async () => {
    const document = Array.from({ length: 5000 }, (_, index) => [index, 0]);
    const { client, upstream } = await against((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(document))),
    );
    expect(await client.get(metadata, never)).toEqual({
      body: document,
      bytes: JSON.stringify(document).length,
    });
    expect(upstream.arrivals[0]?.headers['accept-encoding']).toBe('gzip');
  });

  test('that is a gzip bomb ends at the limit of the decoded size', async () => {
    // Block of 10 MB, repeated 20 times, because compressing 200 MB would take longer than the rest of the
    // test.
    const block = deflateRawSync(Buffer.alloc(10_000_000, 0x20), { finishFlush: constants.Z_FULL_FLUSH });
    const bomb = Buffer.concat([gzipSync('').subarray(0, 10), ...Array.from({ length: 20 }, () => block)]);
    expect(bomb.length).toBeLessThan(250_000);
    const { failure } = await against((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const before = process.memoryUsage().arrayBuffers;
    expect(await failure()).toMatchObject({
      outcome: 'undecodable',
      message: 'the answer is larger than 1000000 bytes',
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });

  test.each([
    ['half a gzip', 'gzip', gzipSync('[1, 2, 3]'.repeat(99)).subarray(0, 20), 'the answer was cut off'],
    ['no gzip at all', 'gzip', Buffer.from('[1]'), 'the answer is not valid gzip'],
    ['in another encoding', 'br', Buffer.from('[1]'), 'content encoding br was not asked for'],
  ])('that is %s is undecodable', async (_, encoding, body, message) => {
    const { failure } = await against((__, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    expect(await failure()).toMatchObject({ outcome: 'undecodable', message });
  });
});

describe('time', () => {
  test.each([
    ['no answer', () => undefined, /^no answer within 0\.3 s$/],
    [
      'half an answer',
      (_, response) => response.writeHead(200).write('[1,'),
      /^no (complete )?answer within 0\.3 s$/,
    ],
    [
      'an answer drop by drop',
      (_, response) => {
        const drip = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drip));
      },
      /^no (complete )?answer within 0\.3 s$/,
    ],
  ] satisfies [string, Handler, RegExp][])('runs out at %s', async (_, handler, message) => {
    const { failure, exchanges } = await against(handler, { timeoutMs: 300 });
    expect(await failure()).toMatchObject({ outcome: 'timeout', message: expect.stringMatching(message) });
    expect(exchanges).toMatchObject([{ outcome: 'timeout' }]);
  });

  test('runs out at a decompression that does not come to its turn', async () => {
    const { failure, exchanges } = await against(
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('[1]')),
      { timeoutMs: 150 },
    );
    let busy = true;
    // Occupies every thread of the pool repeatedly.
    const occupy = async () => {
      while (busy) await promisify(pbkdf2)('secret', 'salt', 50_000, 64, 'sha512');
    };
    const occupied = Array.from({ length: 64 }, occupy);
    expect(await failure()).toMatchObject({
      outcome: 'timeout',
      message: expect.stringMatching(/^no (complete )?answer within 0\.15 s$/),
    });
    expect(exchanges).toMatchObject([{ outcome: 'timeout' }]);
    busy = false;
    await Promise.all(occupied);
  });

  test.each([
    ['before the answer', () => undefined],
    ['within the answer', (_, response) => response.writeHead(200).write('[1,')],
  ] satisfies [string, Handler][])(
    'aborted by the caller %s rejects with its reason, which is no failure, and has no record',
    async (_, handler) => {
      const reason = new Error('shutting down');
      const abort = new AbortController();
      const { client, exchanges } = await against((request, response) => {
        handler(request, response);
        setTimeout(() => abort.abort(reason), 20);
      });
      await expect(client.get(metadata, abort.signal)).rejects.toBe(reason);
      expect(exchanges).toEqual([]);
    },
  );

  test('aborted by the caller beforehand sends nothing', async () => {
    const { client, exchanges, upstream } = await against((_, response) => sendJson(response, []));
    await expect(client.get(metadata, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(exchanges).toEqual([]);
    expect(upstream.arrivals).toEqual([]);
  });

  test('aborted by the caller while waiting for a connection ends the wait at once', async () => {
    const abort = new AbortController();
    const { client, upstream } = await against(() => undefined, { connections: 1 });
    const first = failureOf(client.get(metadata, never));
    const second = client.get(metadata, abort.signal);
    abort.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    await client.close();
    expect((await first).outcome).toBe('network');
    expect(upstream.arrivals.length).toBeLessThanOrEqual(1);
  });
});

describe('a connection', () => {
  test('refused is a network failure', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { failure, exchanges } = openClient(`http://127.0.0.1:${port}`);
    expect(await failure()).toMatchObject({
      outcome: 'network',
      message: 'connection refused',
      status: undefined,
    });
    expect(exchanges).toMatchObject([{ outcome: 'network', bytes: 0 }]);
  });

  test('closed before an answer is a network failure', async () => {
    const { failure } = await against((request) => request.socket.end());
    expect(await failure()).toMatchObject({
      outcome: 'network',
      message: 'connection closed before an answer',
    });
  });

  test('to something that does not speak HTTP is undecodable', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { failure } = openClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await failure()).toMatchObject({
      outcome: 'undecodable',
      message: expect.stringContaining('not HTTP'),
    });
  });

  test('with a self-signed certificate is refused, and nothing is sent', async () => {
    const file = (name: string) => readFileSync(new URL(`../../certificates/${name}`, import.meta.url));
    let requests = 0;
    const server = createTlsServer(
      { key: file('self-signed.key'), cert: file('self-signed.crt') },
      () => requests++,
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { failure } = openClient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await failure()).toMatchObject({ outcome: 'network', message: 'certificate is self-signed' });
    expect(requests).toBe(0);
  });

  test('with TLS to a server without is a network failure', async () => {
    const upstream = await startUpstream((_, response) => response.end());
    const { failure } = openClient(upstream.origin.replace('http:', 'https:'));
    expect(await failure()).toMatchObject({
      outcome: 'network',
      message: expect.stringContaining('TLS handshake failed'),
    });
  });
});

describe('a redirect', () => {
  test('on the same origin is refused', async () => {
    const { failure, exchanges, upstream } = await against((_, response) =>
      response.writeHead(302, { location: '/moved/here?x=1' }).end('moved'),
    );
    expect(await failure()).toMatchObject({
      outcome: 'undecodable',
      message: 'redirect to /moved/here refused',
    });
    expect(exchanges).toMatchObject([{ path: '/analytics/metadata', outcome: 'undecodable', status: 302 }]);
    expect(upstream.arrivals).toHaveLength(1);
  });

  test('to another origin is refused, and nothing goes there', async () => {
    const other = await startUpstream((_, response) => sendJson(response, 'yours now'));
    const { host, port } = new URL(other.origin);
    for (const location of [
      other.origin,
      `//${host}/x`,
      `http://localhost:${port}/`,
      `https://${host}/`,
      `/\\${host}/x`,
    ]) {
      const { failure, exchanges } = await against((_, response) =>
        response.writeHead(302, { location }).end(),
      );
      const { outcome, message } = await failure();
      expect(outcome).toBe('undecodable');
      expect(message).toMatch(/^redirect to another origin \((127\.0\.0\.1|localhost):\d+\) refused$/);
      expect(exchanges).toHaveLength(1);
    }
    expect(other.arrivals).toEqual([]);
    expect(other.connections()).toBe(0);
  });

  test.each([
    ['to nowhere', 'http://', 'redirect to an invalid address refused'],
    ['to a file', 'file:///etc/passwd', 'redirect to another origin () refused'],
    ['without a destination', undefined, 'HTTP 302'],
  ])('%s is refused', async (_, location, message) => {
    const { failure } = await against((__, response) =>
      response.writeHead(302, location === undefined ? {} : { location }).end(),
    );
    expect((await failure()).message).toBe(message);
  });
});

test('a static token that is refused is not tried twice', async () => {
  const { failure, upstream } = await against((_, response) =>
    sendJson(response, { detail: 'Invalid token.' }, { status: 401 }),
  );
  expect(await failure()).toMatchObject({ outcome: 'unauthorized', message: 'HTTP 401: Invalid token.' });
  expect(upstream.arrivals).toHaveLength(1);
});

test.each([
  ['', 'the token is empty'],
  ['a b', 'the token contains characters that no token has, such as a space'],
  ['a\r\nx: y', 'the token contains characters that no token has, such as a space'],
])('the static token %j is never sent', async (token, message) => {
  const { failure, upstream } = await against((_, response) => sendJson(response, []), {
    credentials: staticToken(new Secret(token)),
  });
  expect(await failure()).toMatchObject({ outcome: 'unauthorized', message });
  expect(upstream.arrivals).toEqual([]);
});

describe('a connection that is lost before an answer', () => {
  /** Returns a handler that resets each connection at its n-th request, for n from `from` on. */
  const resetting = (from: number): Handler => {
    const requests = new WeakMap<object, number>();
    return (request, response) => {
      const count = (requests.get(request.socket) ?? 0) + 1;
      requests.set(request.socket, count);
      if (count >= from) request.socket.resetAndDestroy();
      else sendJson(response, { requests: count });
    };
  };

  test('costs no read where it was used before: a GET is sent once more on a new one, as another exchange', async () => {
    const { client, exchanges, upstream } = await against(resetting(2), { connections: 1 });
    for (let read = 0; read < 12; read += 1) await client.get(metadata, never);
    const outcomes = exchanges.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(12);
    expect(outcomes.filter((outcome) => outcome === 'network').length).toBeGreaterThan(4);
    expect(upstream.arrivals).toHaveLength(exchanges.length);
  });

  test('fails a read that loses the second one too', async () => {
    const { failure, upstream } = await against(resetting(1));
    expect(await failure()).toMatchObject({ outcome: 'network', message: 'connection reset' });
    expect(upstream.arrivals).toHaveLength(2);
  });

  test('fails a question at once: it is sent by POST', async () => {
    const { client, upstream } = await against(resetting(1), { questionsTo: '/graphql' });
    const asked = client.get({ path: '/graphql', version: 3, question: '{}' }, never);
    expect(await failureOf(asked)).toMatchObject({ outcome: 'network' });
    expect(upstream.arrivals).toHaveLength(1);
  });
});

test.each([
  [403, 'forbidden'],
  [429, 'rate_limited'],
])('a refusal (%i) whose body never ends keeps its status and its words', async (status, outcome) => {
  const { origin } = await startUpstream((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.write('{"detail": "No."}');
  });
  const { failure } = openClient(origin, { timeoutMs: 60_000 });
  expect(await failure()).toMatchObject({ outcome, status, message: `HTTP ${status}: No.` });
});

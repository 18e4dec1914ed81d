import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { raw, startWeb } from './server-at-hand.ts';

const FORMATS = {
  exposition: (format: string, encoding: string) => {
    const text = Buffer.from(`# ${format}\n`);
    return [encoding === 'gzip' ? gzipSync(text) : text];
  },
};

describe('a scrape', () => {
  test.each([
    [undefined, 'text', 'text/plain; version=0.0.4; charset=utf-8'],
    ['*/*', 'text', 'text/plain; version=0.0.4; charset=utf-8'],
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
      'openmetrics',
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    ],
  ])('that accepts %s gets %s', async (accept, format, type) => {
    const { url } = await startWeb(FORMATS);
    const answer = await fetch(`${url}/metrics`, accept === undefined ? {} : { headers: { accept } });
    expect(await answer.text()).toBe(`# ${format}\n`);
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(answer.headers.get('etag')).toBeNull();
  });

  test.each([
    ['gzip', 'gzip'],
    ['deflate, gzip;q=0.5, identity;q=0.2', 'gzip'],
    ['*', 'gzip'],
    ['', null],
    ['gzip;q=0', null],
    ['identity, gzip;q=0.1', null],
    ['br', null],
    ['identity;q=0, br', null],
  ])('with Accept-Encoding "%s" is packed as %s', async (accepted, packed) => {
    const { port } = await startWeb(FORMATS);
    const answer = await raw(
      port,
      `GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${accepted}\r\n\r\n`,
    );
    const bytes = packed === null ? '# text\n'.length : gzipSync('# text\n').length;
    expect(/content-encoding: (\w+)/i.exec(answer)?.[1] ?? null).toBe(packed);
    expect(answer).toMatch(new RegExp(`content-length: ${bytes}\r\n`, 'i'));
  });

  test('of many buffers arrives whole and in order, plain and packed', async () => {
    const parts = Array.from({ length: 300 }, (_, i) => Buffer.alloc(50_000, String(i % 10)));
    const { url } = await startWeb({
      exposition: (_, encoding) => (encoding === 'gzip' ? parts.map((part) => gzipSync(part)) : parts),
    });
    const plain = await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-length')).toBe('15000000');
    expect(Buffer.from(await plain.arrayBuffer()).equals(Buffer.concat(parts))).toBe(true);
    const packed = await fetch(`${url}/metrics`);
    expect(Buffer.from(await packed.arrayBuffer()).equals(Buffer.concat(parts))).toBe(true);
  });

  test('by HEAD tells the length and sends nothing', async () => {
    const { url } = await startWeb();
    const answer = await fetch(`${url}/metrics`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    });
    expect(answer.headers.get('content-length')).toBe('10');
    expect(await answer.text()).toBe('');
  });

  test('of nothing is an empty answer', async () => {
    const { url } = await startWeb({ exposition: () => [] });
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  test('that breaks off within a large body leaves the next one unharmed', async () => {
    const body = Buffer.alloc(1_000_000, '#');
    const { url, port, lines } = await startWeb({ exposition: () => Array.from({ length: 32 }, () => body) });
    for (let i = 0; i < 5; i++) {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      socket.resetAndDestroy();
    }
    const answer = await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'identity' } });
    expect((await answer.arrayBuffer()).byteLength).toBe(32_000_000);
    expect(lines).toEqual([]);
  });

  test('is answered 500 without details where the exposition fails, and the log tells', async () => {
    const { url, lines } = await startWeb({
      exposition: () => Promise.reject(new Error('the secret reason')),
    });
    const answer = await fetch(`${url}/metrics`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
    expect(lines).toMatchObject([{ level: 'error', fields: { path: '/metrics' } }]);
  });

  test('is answered 503 where the exposition takes too long', async () => {
    const { url } = await startWeb({ answerTimeout: 50, exposition: () => new Promise(() => {}) });
    expect((await fetch(`${url}/metrics`)).status).toBe(503);
  });

  test.each(['/', '/a/b.c-d', '/~me'])('is taken at %s, letter by letter', async (telemetryPath) => {
    const { url } = await startWeb({ telemetryPath });
    expect(await (await fetch(url + telemetryPath)).text()).toBe('edge_up 1\n');
  });
});

test('a packed exposition is passed on as it is', async () => {
  const packed = Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]);
  const { port } = await startWeb({ exposition: () => [packed] });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks);
  expect(gunzipSync(answer.subarray(answer.indexOf('\r\n\r\n') + 4)).toString()).toBe('one\ntwo\n');
});

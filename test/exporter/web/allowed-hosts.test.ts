import { describe, expect, test } from 'vitest';
import { raw, startWeb } from './server-at-hand.ts';

const NAMES = ['exporter.example.net', '*.monitoring.svc'];

async function statusFor(allowedHosts: readonly string[], host: string, target = '/-/healthy') {
  const { port } = await startWeb({ allowedHosts });
  const answer = await raw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
}

describe('once names are given, a request', () => {
  test.each([
    'exporter.example.net',
    'exporter.example.net:9801',
    'EXPORTER.example.net.',
    'edge.monitoring.svc:9801',
    'localhost:9801',
    'edge.localhost',
    '127.0.0.1:9801',
    '10.1.2.3',
    '[::1]:9801',
  ])('for %s is answered', async (host) => {
    expect(await statusFor(NAMES, host)).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:9801',
    'exporter.example.net.evil.example',
    'evil-exporter.example.net',
    'monitoring.svc',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '',
  ])('for %s is refused', async (host) => {
    expect(await statusFor(NAMES, host)).toBe(421);
  });

  test('is judged by the whole address that is its target, where there is one', async () => {
    const evil = 'http://evil.example/-/healthy';
    expect(await statusFor(NAMES, 'exporter.example.net', evil)).toBe(421);
    expect(await statusFor(NAMES, 'evil.example', 'http://exporter.example.net/-/healthy')).toBe(200);
  });

  test('that comes without a name, by HTTP/1.0, is answered', async () => {
    const { port } = await startWeb({ allowedHosts: NAMES });
    expect(await raw(port, 'GET /-/healthy HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('is refused before its login is verified and before it reloads anything', async () => {
    let reloads = 0;
    const reload = async () => {
      reloads++;
      return { ok: true } as const;
    };
    const { port } = await startWeb({ allowedHosts: NAMES, reload });
    const post = 'POST /-/reload HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
    expect(await raw(port, post)).toMatch(/^HTTP\/1\.1 421 /);
    expect(reloads).toBe(0);
  });
});

test('without names every request is answered', async () => {
  expect(await statusFor([], 'evil.example')).toBe(200);
});

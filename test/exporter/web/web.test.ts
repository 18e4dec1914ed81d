import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createWeb } from '../../../src/exporter/web/web.ts';
import { eventually } from '../../eventually.ts';
import { madeUpStatus } from '../page/made-up-status.ts';
import { keptLog, startWeb } from './server-at-hand.ts';

describe('the server', () => {
  test('names itself, for its scheme and whatever it listens on', async () => {
    const { log } = keptLog();
    const web = createWeb({
      telemetryPath: '/metrics',
      exposition: () => [],
      status: () => madeUpStatus(),
      notReady: () => [],
      logLevel: { levels: [], read: () => 'info', set: () => undefined },
      reload: async () => ({ ok: true }),
      connections: 10,
      log,
    });
    expect(web.urls()).toEqual([]);
    await web.listen(':0');
    await web.listen('127.0.0.1:0');
    expect(web.urls()).toEqual([
      expect.stringMatching(/^http:\/\/localhost:\d+$/),
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    ]);
    for (const url of web.urls()) expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
    await web.close();
    expect(web.urls()).toEqual([]);
  });

  test('says when its address is taken or malformed', async () => {
    const { port } = await startWeb();
    await expect(startWeb().then(({ web }) => web.listen(`127.0.0.1:${port}`))).rejects.toThrow();
    const { web } = await startWeb();
    await web.close();
    await expect(web.listen(`127.0.0.1:${port}`)).rejects.toThrow('address already in use');
    await expect(web.listen('nonsense')).rejects.toThrow('is not a listen address');
  });

  test('lets an answer under way end before it closes, and waits for no idle connection', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const exposition = async () => {
      asked();
      await held;
      return [gzipSync('late\n')];
    };
    const { web, url } = await startWeb({ closeTimeout: 60_000, exposition });
    await (await fetch(`${url}/-/healthy`)).text();
    const answer = fetch(`${url}/metrics`);
    await arrived;
    const closed = web.close();
    release();
    expect(await (await answer).text()).toBe('late\n');
    await closed;
  });

  test('refuses what is asked for on a connection that is kept alive while it closes', async () => {
    let asked = 0;
    let release = () => {};
    const exposition = async () => {
      asked++;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return [Buffer.from('late\n')];
    };
    const { web, url, port } = await startWeb({ closeTimeout: 60_000, exposition });
    const get = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.write(get);
    await eventually('it is asked for', () => asked === 1);
    const closed = web.close();
    socket.write(get);
    await fetch(`${url}/-/healthy`).catch(() => undefined);
    const ended = once(socket, 'close');
    release();
    await Promise.all([closed, ended]);
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503']);
    expect(text).toContain('The exporter is stopping.');
    expect(asked).toBe(1);
  });

  test('cuts off what does not end in time', async () => {
    const { web, url } = await startWeb({ closeTimeout: 50, exposition: () => new Promise(() => {}) });
    const answer = fetch(`${url}/metrics`).catch((error: unknown) => error);
    await fetch(`${url}/-/healthy`);
    await web.close();
    expect(await answer).toBeInstanceOf(Error);
  });
});

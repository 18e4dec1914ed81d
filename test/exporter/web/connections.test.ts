import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { startWeb, written } from './server-at-hand.ts';

const CERTIFICATES = join(import.meta.dirname, '..', '..', 'certificates');
const GET = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';

/** A connection that ends with the test, whatever has become of it. */
async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes back on a connection so far. */
function received(socket: Socket): () => string {
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  return () => text;
}

/** An exposition that counts how often it is asked for, and is held back until it is released. */
function held() {
  let asked = 0;
  let under = 0;
  let most = 0;
  const releases: (() => void)[] = [];
  const exposition = async () => {
    asked++;
    most = Math.max(most, ++under);
    await new Promise<void>((resolve) => releases.push(resolve));
    under--;
    return [Buffer.from(`answer ${asked}\n`)];
  };
  return { exposition, asked: () => asked, most: () => most, release: () => releases.shift()?.() };
}

test('a client that has sent all it will, as `nc -N` does, is answered', async () => {
  const { exposition, asked, release } = held();
  const { url, port } = await startWeb({ exposition });
  const socket = await connected(port);
  const text = received(socket);
  socket.end(GET);
  await eventually('it is asked for', async () => asked() === 1);
  // By then its end has come, too.
  await fetch(`${url}/-/healthy`);
  release();
  await once(socket, 'close');
  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*answer 1\n$/s);
});

describe('requests that come ahead of their answers', () => {
  test('are answered one at a time and in order', async () => {
    const { exposition, asked, most, release } = held();
    const { port } = await startWeb({ exposition });
    const socket = await connected(port);
    const text = received(socket);
    socket.write(GET.repeat(5));
    for (let i = 1; i <= 5; i++) {
      await eventually('it is asked for', async () => asked() === i);
      release();
      await eventually('it is answered', async () => text().includes(`answer ${i}\n`));
    }
    expect(text().match(/answer \d/g)).toEqual(['answer 1', 'answer 2', 'answer 3', 'answer 4', 'answer 5']);
    expect(most()).toBe(1);
  });

  test('are not answered any more for a client that has left', async () => {
    const { exposition, asked, release } = held();
    const { url, port, lines } = await startWeb({ exposition });
    const socket = await connected(port);
    socket.write(GET.repeat(10));
    await eventually('it is asked for', async () => asked() === 1);
    socket.destroy();
    release();
    for (let i = 0; i < 20; i++) await fetch(`${url}/-/healthy`);
    expect(asked()).toBe(1);
    expect(lines).toEqual([]);
  });

  test('are answered up to a bound, and then the connection ends', async () => {
    let asked = 0;
    const { port, lines } = await startWeb({
      exposition: () => {
        asked++;
        return [Buffer.from('answer\n')];
      },
    });
    const socket = await connected(port);
    const text = received(socket);
    socket.write(GET.repeat(1_700));
    await once(socket, 'close');
    expect(text().match(/answer\n/g)).toHaveLength(17);
    expect(text().match(/Connection: close/gi)).toHaveLength(1);
    expect(asked).toBe(17);
    expect(lines).toEqual([]);
  });

  test('far beyond that bound end the connection at once, and nobody waits for them', async () => {
    const { exposition } = held();
    const { url, port } = await startWeb({ exposition });
    let parsed = 0;
    const count = () => void parsed++;
    subscribe('http.server.request.start', count);
    onTestFinished(() => void unsubscribe('http.server.request.start', count));
    const socket = await connected(port);
    socket.write(GET.repeat(100_000));
    // Whether it is closed or all has been parsed.
    await eventually('it has been dealt with', () => socket.destroyed || parsed >= 100_000);
    expect(parsed).toBeLessThan(5_000);
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
  });

  test('by the thousand, from clients who leave, cost next to nothing', async () => {
    let asked = 0;
    const { url, port } = await startWeb({
      exposition: () => {
        asked++;
        return [Buffer.alloc(100_000, '#')];
      },
    });
    for (let i = 0; i < 10; i++) {
      const socket = await connected(port);
      socket.write(GET.repeat(1_700));
      socket.destroy();
    }
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    expect(asked).toBeLessThanOrEqual(10 * 17 + 1);
  });
});

describe('when there are as many connections as allowed', () => {
  test('the one that is idle longest gives way, and the log says so once', async () => {
    const { url, port, lines } = await startWeb({ connections: 4 });
    const idle: Socket[] = [];
    for (let i = 0; i < 4; i++) idle.push(await connected(port));
    const closed = idle.map((socket) => once(socket, 'close'));
    // The first has been used, and so is not the oldest any more.
    const first = idle[0] as Socket;
    const text = received(first);
    first.write(GET);
    await eventually('the first is answered', async () => text().includes('edge_up 1'));
    await connected(port);
    await closed[1];
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    await closed[2];
    expect([first.destroyed, idle[3]?.destroyed]).toEqual([false, false]);
    expect(lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('idle longest') }]);
  });

  test('a request under way is not aborted, and it is a new connection that has to wait', async () => {
    const { exposition, asked, release } = held();
    const { port, lines } = await startWeb({ connections: 2, exposition });
    const busy = [await connected(port), await connected(port)];
    const texts = busy.map(received);
    for (const socket of busy) socket.write(GET);
    await eventually('both are asked for', async () => asked() === 2);
    const late = await connected(port);
    await once(late, 'close');
    release();
    release();
    await eventually('both are answered', async () => texts.every((text) => text().includes('answer')));
    expect(lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('in flight') }]);
  });

  test('the log says so again once most of them have gone and as many have come', async () => {
    const { port, lines } = await startWeb({ connections: 2 });
    for (const told of [1, 2])
      await eventually(`the log has said so ${told} times`, async () => {
        const all = [await connected(port), await connected(port), await connected(port)];
        const closed = all.map((socket) => socket.closed || once(socket, 'close'));
        for (const socket of all) socket.destroy();
        await Promise.all(closed);
        return lines.length >= told;
      });
    expect(lines[1]).toEqual(lines[0]);
  });

  test('the limit is over all listeners', async () => {
    const { web, port } = await startWeb({ connections: 2 });
    await web.listen('127.0.0.1:0');
    const [, second = ''] = web.urls();
    const first = await connected(port);
    const closed = once(first, 'close');
    await connected(Number(new URL(second).port));
    await connected(Number(new URL(second).port));
    await closed;
  });

  test('it is the same over TLS', async () => {
    const pem = (name: string) => readFileSync(join(CERTIFICATES, name), 'utf8');
    const config = { cert: pem('server.pem'), key: pem('server.key') };
    const { port } = await startWeb({
      connections: 2,
      webConfigFile: written(JSON.stringify({ tls_server_config: config })),
    });
    const idle = await connected(port);
    const closed = once(idle, 'close');
    for (let i = 0; i < 3; i++) {
      const socket = connectTls({ port, host: '127.0.0.1', ca: pem('ca.pem'), servername: 'localhost' });
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'secureConnect');
      const text = received(socket);
      socket.write(GET);
      await eventually('it is answered', async () => text().includes('edge_up 1'));
    }
    await closed;
  });
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { startWeb, written } from './server-at-hand.ts';

const CERTIFICATES = join(import.meta.dirname, '..', '..', 'certificates');
const GET = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

function received(socket: Socket): () => string {
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  return () => text;
}

function held() {
  let asked = 0;
  const releases: (() => void)[] = [];
  const exposition = async () => {
    const text = `answer ${++asked}\n`;
    await new Promise<void>((resolve) => releases.push(resolve));
    return [Buffer.from(text)];
  };
  return { exposition, asked: () => asked, release: () => releases.pop()?.() };
}

test('a client that has sent all it will, as `nc -N` does, is answered', async () => {
  const { exposition, asked, release } = held();
  const { url, port } = await startWeb({ exposition });
  const socket = await connected(port);
  const text = received(socket);
  socket.end(GET);
  await eventually('it is asked for', async () => asked() === 1);
  // By the end of this request, the server has also seen the end of the first one.
  await fetch(`${url}/-/healthy`);
  release();
  await once(socket, 'close');
  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*answer 1\n$/s);
});

test('requests that come ahead of their answers are answered in order', async () => {
  const { exposition, asked, release } = held();
  const { port } = await startWeb({ exposition });
  const socket = await connected(port);
  const text = received(socket);
  socket.write(GET.repeat(3));
  await eventually('all are asked for', async () => asked() === 3);
  for (let i = 1; i <= 3; i++) release();
  await eventually('the last is answered', async () => text().includes('answer 3\n'));
  expect(text().match(/answer \d/g)).toEqual(['answer 1', 'answer 2', 'answer 3']);
});

test('a connection that asks for more than a hundred answers ahead is closed, and nobody waits for it', async () => {
  let asked = 0;
  const { url, port, lines } = await startWeb({
    exposition: () => {
      asked++;
      return [Buffer.from('answer\n')];
    },
  });
  const socket = await connected(port);
  socket.resume().write(GET.repeat(20_000));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(asked).toBeLessThanOrEqual(100);
  expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
  expect(lines).toEqual([]);
});

test.each(['http', 'https'])(
  'above the limit of connections new ones are refused over %s, and the log says so once',
  async (scheme) => {
    const pem = (name: string) => readFileSync(join(CERTIFICATES, name), 'utf8');
    const tls = { tls_server_config: { cert: pem('server.pem'), key: pem('server.key') } };
    const { port, lines } = await startWeb({
      connections: 2,
      ...(scheme === 'https' && { webConfigFile: written(JSON.stringify(tls)) }),
    });
    const open = [await connected(port), await connected(port)];
    for (let i = 0; i < 3; i++) {
      const late = await connected(port);
      await once(late, 'close');
    }
    expect(open.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    expect(lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('connection limit') }]);
  },
);

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startWeb } from '../exporter/web/server-at-hand.ts';

it('a scrape that reads nothing is cut off in time', async () => {
  const body = Buffer.alloc(1_000_000, '#');
  const { port } = await startWeb({
    answerTimeout: 200,
    exposition: () => Array.from({ length: 64 }, () => body),
  });
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'readable');
  await new Promise((resolve) => setTimeout(resolve, 600));
  let received = 0;
  socket.on('data', (data) => {
    received += data.length;
  });
  await once(socket, 'close');
  expect(received).toBeLessThan(64_000_000);
});

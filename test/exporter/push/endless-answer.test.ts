import { expect, it, onTestFinished } from 'vitest';
import { ReceiverConnection } from '../../../src/exporter/push/receiver-connection.ts';
import { startUpstream } from '../platform/upstream.ts';

it.each([200, 400, 503])('takes the status %i of a receiver whose answer never ends', async (status) => {
  const { origin, arrivals } = await startUpstream((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'text/plain' });
    response.write('beginning');
  });
  const receiver = { url: `${origin}/write`, request: { timeout: 30_000 }, headers: {} };
  const connection = new ReceiverConnection(receiver as never, Date.now);
  onTestFinished(() => connection.close());
  const reply = await connection.post(new Uint8Array([1]), {}, new AbortController().signal);
  expect(reply).toMatchObject({ status, words: 'beginning' });
  expect(arrivals).toHaveLength(1);
});

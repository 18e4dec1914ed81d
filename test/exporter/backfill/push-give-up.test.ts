import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LongFailure } from '../../../src/exporter/backfill/refusal.ts';
import { PUSH } from '../../../src/exporter/configuration/push-settings.ts';
import { served } from '../../served.ts';
import { hastyClock } from '../push/outbox-bed.ts';
import { historyBed, NOW, seriesOf } from './history-bed.ts';

const MINUTE = 60_000;

/** Starts a remote-write 1.0 receiver that answers 503 to the requests that `isDown` selects by number. */
async function receiverThat(isDown: (request: number) => boolean) {
  const receiver = { isDown, requests: 0, taken: 0 };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      receiver.requests += 1;
      // The receiver answers to remote write 2.0 like a receiver that supports only 1.0.
      const is2 = request.headers['x-prometheus-remote-write-version'] === '2.0.0';
      const status = receiver.isDown(receiver.requests) ? 503 : is2 ? 415 : 204;
      if (status === 204) receiver.taken += 1;
      response.writeHead(status).end();
    });
  });
  const port = await served(server);
  const configured = PUSH.parse([
    { name: 'central', kind: 'remote_write', url: `http://127.0.0.1:${port}/` },
  ]);
  return Object.assign(receiver, { configured });
}

async function bedWith(receiver: Awaited<ReturnType<typeof receiverThat>>) {
  const bed = await historyBed();
  const clock = hastyClock(NOW);
  return { ...bed, clock, push: () => bed.run({ receivers: receiver.configured, clock }) };
}

it('gives up a receiver that has taken nothing for a quarter of an hour, and the next run sends it the rest', async () => {
  const receiver = await receiverThat((request) => request > 8);
  const { push, clock, sandbox, folder } = await bedWith(receiver);
  const failure = await push().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(LongFailure);
  expect(String(failure)).toContain('receiver central: HTTP 503');
  expect(clock.now() - NOW).toBeGreaterThanOrEqual(15 * MINUTE);
  expect(clock.now() - NOW).toBeLessThan(17 * MINUTE);
  expect(receiver.requests).toBeLessThan(40);
  expect(receiver.taken).toBeGreaterThan(2);

  const operations = sandbox.requests.total;
  receiver.isDown = () => false;
  const { pushed } = await push();
  expect(sandbox.requests.total).toBe(operations);
  const series = seriesOf(await readFile(join(folder, 'history.om'), 'utf8'));
  const samples = [...series.values()].reduce((sum, { length }) => sum + length, 0);
  expect(pushed).toEqual(new Map([['central', samples]]));
});

it('waits for a receiver that comes back sooner, each time anew', async () => {
  // Twelve failures in a row take about seven minutes; three such rows take more than a quarter of an hour.
  const receiver = await receiverThat((request) => request > 4 && request % 13 !== 0 && request < 60);
  const { push, clock } = await bedWith(receiver);
  const { pushed } = await push();
  expect(pushed.get('central')).toBeGreaterThan(1_000);
  expect(clock.now() - NOW).toBeGreaterThan(20 * MINUTE);
});

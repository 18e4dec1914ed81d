import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { TokenOperations } from '../../../src/exporter/credentials/token-operations.ts';
import { Secret } from '../../../src/exporter/secret.ts';

test('a platform that never comes to the end of its answer to a login is aborted within the timeout', async () => {
  const server = createServer((_, response) => {
    response.writeHead(201, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 10);
    response.once('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const operations = new TokenOperations({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    timeoutMs: 300,
    maxResponseBytes: 100_000,
    connections: 1,
    clock: systemClock,
  });
  onTestFinished(async () => {
    await operations.close();
    server.closeAllConnections();
    server.close();
  });
  const login = { password: new Secret('password'), basic: new Secret('dXNlcjpwYXNzd29yZA==') };
  await expect(operations.create(login, new AbortController().signal)).rejects.toMatchObject({
    outcome: 'timeout',
    message: 'no complete answer within 0.3 s',
  });
});

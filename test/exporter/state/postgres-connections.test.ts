import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { postgresAddress } from '../../../src/exporter/state/postgres-address.ts';
import { PostgresConnections } from '../../../src/exporter/state/postgres-connections.ts';

it('a connection begins with nothing that PgBouncer refuses', async () => {
  const packets: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (packet) => {
      packets.push(packet);
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `postgres://me@127.0.0.1:${port}/edge?sslmode=disable`;
  const connections = new PostgresConnections(postgresAddress({ url, passwordFile: undefined, env: {} }), 1);
  await expect(connections.query('SELECT 1')).rejects.toThrow();
  // After length and version: names and values, each ended by a zero.
  const words = packets[0]?.subarray(8).toString().split('\0') ?? [];
  const names = words.filter((word, n) => n % 2 === 0 && word !== '').toSorted();
  expect(names).toEqual(['application_name', 'client_encoding', 'database', 'user']);
});

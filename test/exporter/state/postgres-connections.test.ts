import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { postgresAddress } from '../../../src/exporter/state/postgres-address.ts';
import { AnswerLost, PostgresConnections } from '../../../src/exporter/state/postgres-connections.ts';

function fatal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

it('has the database limit how long a statement takes, but where PgBouncer refuses to be told', async () => {
  const told: string[][] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (packet) => {
      // After length and version, the packet contains names and values, each with a final zero byte.
      const words = packet.subarray(8).toString().split('\0');
      told.push(words.filter((word, n) => n % 2 === 0 && word !== '').toSorted());
      const isLimited = words.includes('statement_timeout');
      socket.end(fatal(isLimited ? 'unsupported startup parameter: statement_timeout' : 'nobody is at home'));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `postgres://me@127.0.0.1:${port}/edge?sslmode=disable`;
  const connections = new PostgresConnections(postgresAddress({ url, passwordFile: undefined, env: {} }), 1);
  await expect(connections.query('SELECT 1')).rejects.toThrow('nobody is at home');
  const names = ['application_name', 'client_encoding', 'database', 'user'];
  expect(told).toEqual([[...names.slice(0, 3), 'statement_timeout', 'user'], names]);
});

it('loses a statement, and nothing else, where the connection breaks while it is asked', async () => {
  let breaks = true;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      // Accepts the login, and then waits for a statement.
      socket.write(Buffer.from('R\0\0\0\b\0\0\0\0Z\0\0\0\u0005I', 'latin1'));
      socket.once('data', () => (breaks ? socket.resetAndDestroy() : socket.end(fatal('it is back'))));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `postgres://me@127.0.0.1:${port}/edge`;
  const connections = new PostgresConnections(postgresAddress({ url, passwordFile: undefined, env: {} }), 1);
  onTestFinished(() => connections.close());
  await expect(connections.query('SELECT 1')).rejects.toThrow(AnswerLost);
  breaks = false;
  await expect(connections.query('SELECT 1')).rejects.toThrow('it is back');
});

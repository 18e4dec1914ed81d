import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of the loopback interface that nobody listens on, for programs that cannot choose one themselves. Another
 * process may take it first; whoever starts the program tries again then.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Lowest port in use. Ports up to 32767 are below Linux' range for outgoing connections, so that no other
 * process takes one.
 */
const LOWEST = 20_000;

const SHARE = 1_000;
const SHARES = 12;

const share = LOWEST + SHARE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % SHARES);
let taken = Math.floor(Math.random() * SHARE);

/**
 * Returns a free port of the loopback interface, for programs that cannot choose one. Another process may
 * take it before the program does, so callers must retry.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = share + (taken++ % SHARE);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}

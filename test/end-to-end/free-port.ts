import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below those that systems use for outgoing connections (Linux: from 32768), so that no other process takes one. */
const LOWEST = 20_000;

const SHARE = 1_000;
const SHARES = 12;

const share = LOWEST + SHARE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % SHARES);
let taken = Math.floor(Math.random() * SHARE);

/**
 * Returns a free port of the loopback interface for programs that cannot choose one. Another process may take it first;
 * callers retry then.
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

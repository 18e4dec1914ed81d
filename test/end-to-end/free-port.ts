import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below those that Linux (from 32768) and others hand out to whoever asks for any port and to outgoing connections, so that
 * none of these takes it in the meantime, nor while a program that is started again and again does not run.
 */
const LOWEST = 20_000;

const SHARE = 1_000;
const SHARES = 12;

const share = LOWEST + SHARE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % SHARES);
let taken = Math.floor(Math.random() * SHARE);

/**
 * A port of the loopback interface that nobody listens on, for programs that cannot choose one themselves. Another
 * process may take it first; whoever starts the program tries again then.
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

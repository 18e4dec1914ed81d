import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { WebConfigFile, WebLog } from './config-file.ts';
import { parseListenAddress } from './listen-address.ts';
import { createTlsServer } from './tls.ts';

/** Idle timeout (ms) of a connection: longer than the 5 minutes of Prometheus, so that none closes under a scrape. */
const KEEP_ALIVE_MS = 330_000;
const SERVER_OPTIONS = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 10_000, requestTimeout: 30_000 };

/** Number of responses after which a connection is closed, because a client may pipeline that many requests. */
const MOST_REQUESTS = 100;

/** Minimum interval (ms) between two log lines about a full server. */
const TOLD_EVERY_MS = 60_000;

/** Creates a server for at most `connections` connections, with TLS if the web configuration has it now. */
export function createServer(
  app: RequestListener,
  webConfig: WebConfigFile,
  connections: number,
  log: WebLog,
): Server {
  const secure = webConfig.current().tls !== undefined;
  const server = secure ? createTlsServer(webConfig, SERVER_OPTIONS) : createHttpServer(SERVER_OPTIONS);
  server.maxConnections = connections;
  server.maxRequestsPerSocket = MOST_REQUESTS;
  // Responds to a client that has closed its sending side, such as `nc -N`. Servers in Go do the same.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node would continue to read and refuse each request of such a client.
  server.on('dropRequest', (_request, socket) => void socket.destroy());
  let toldAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - toldAt < TOLD_EVERY_MS) return;
    toldAt = performance.now();
    log.warn({ connections }, 'connection limit reached: new connections are refused');
  });
  return server.on('request', app);
}

/** Error for an address that cannot be used. */
export class ListenError extends Error {
  override readonly name = 'ListenError';

  constructor(address: string, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${address}: ${REFUSALS[cause.code ?? ''] ?? cause.message}`, { cause });
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'not an address of this machine',
  EACCES: 'permission denied',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
};

/** Starts listening. @throws ListenError if the address cannot be used, and Error if it is malformed */
export async function listen(server: Server, address: string, log: WebLog): Promise<void> {
  const where = parseListenAddress(address);
  if (where === undefined) throw new Error(`${address} is not a listen address`);
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error) => reject(new ListenError(address, cause));
    server.once('error', refuse);
    server.listen(where, () => {
      server.off('error', refuse);
      server.on('error', (error) => log.error({ err: error }, 'error in the web server'));
      resolve();
    });
  });
}

/** Returns the server's URL for clients on this machine; empty while it does not listen. */
export function urlOf(server: Server): string {
  const bound = server.address() as AddressInfo | null;
  if (bound === null) return '';
  const everywhere = bound.address === '::' || bound.address === '0.0.0.0';
  const named = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `${server instanceof TlsServer ? 'https' : 'http'}://${everywhere ? 'localhost' : named}:${bound.port}`;
}

/** Stops the server. Closes idle connections at once, and the others after their response or after `timeout` (ms). */
export function close(server: Server, timeout: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), timeout);
    // A connection kept alive becomes idle only after its response has ended.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(idle);
      resolve();
    });
  });
}

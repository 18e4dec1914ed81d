import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import type { WebConfigFile, WebLog } from './config-file.ts';
import type { Connections } from './connections.ts';
import { parseListenAddress } from './listen-address.ts';
import { createTlsServer } from './tls.ts';

/** Longer than the 5 minutes after which Prometheus drops an idle connection, so that no scrape meets one that closes. */
const KEEP_ALIVE_MS = 330_000;
const SERVER_OPTIONS = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 10_000, requestTimeout: 30_000 };

/** A server whose requests `connections` takes, over TLS where the web configuration has it now. */
export function createServer(connections: Connections, webConfig: WebConfigFile): Server {
  const secure = webConfig.current().tls !== undefined;
  const server = secure ? createTlsServer(webConfig, SERVER_OPTIONS) : createHttpServer(SERVER_OPTIONS);
  server.prependListener('connection', connections.open);
  server.on('request', connections.take);
  server.on('clientError', refuseBrokenRequest);
  return server;
}

const BROKEN: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What cannot be read as HTTP never reaches the app; it is answered in plain text on the socket itself. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = BROKEN[error.code ?? ''] ?? '400 Bad Request';
  const body = `${status.slice(4)}\n`;
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8`;
  socket.end(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => socket.destroy());
}

/** An address that cannot be used. */
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

/** Starts listening. @throws ListenError when the address cannot be used, and Error when it is malformed */
export async function listen(server: Server, address: string, log: WebLog): Promise<void> {
  const where = parseListenAddress(address);
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

/** The server's address as this machine reaches it; empty while it does not listen. */
export function urlOf(server: Server): string {
  const bound = server.address() as AddressInfo | null;
  if (bound === null) return '';
  const everywhere = bound.address === '::' || bound.address === '0.0.0.0';
  const named = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `${server instanceof TlsServer ? 'https' : 'http'}://${everywhere ? 'localhost' : named}:${bound.port}`;
}

/** Ends the server: idle connections at once, the others when their answer has ended or `timeout` (ms) is over. */
export function close(server: Server, timeout: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), timeout);
    // A connection kept alive becomes idle only after its answer has ended.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(idle);
      resolve();
    });
  });
}

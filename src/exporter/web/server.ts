import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import type { WebConfigFile, WebLog } from './config-file.ts';
import { parseListenAddress } from './listen-address.ts';
import { type Handler, sendText } from './responses.ts';
import { createTlsServer } from './tls.ts';

/** Longer than the 5 minutes after which Prometheus drops an idle connection, so that no scrape meets one that closes. */
const KEEP_ALIVE_MS = 330_000;
const SERVER_OPTIONS = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 10_000, requestTimeout: 30_000 };

/** A server whose requests `connections` takes, over TLS where the web configuration has it now. */
export function createServer(connections: ClientConnections, webConfig: WebConfigFile): Server {
  const secure = webConfig.current().tls !== undefined;
  const server = secure ? createTlsServer(webConfig, SERVER_OPTIONS) : createHttpServer(SERVER_OPTIONS);
  // A client that has sent all it will, as `nc -N` does, is answered, as by servers in Go.
  Object.assign(server, { httpAllowHalfOpen: true });
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

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface ClientConnection {
  readonly socket: Socket;
  /** Requests that came while another was being answered, in order. */
  readonly waiting: Exchange[];
  answering: boolean;
  /** No further request is taken: the last one taken ends the connection. */
  full: boolean;
  dropped: number;
}

/** More requests than that are not taken ahead of their answers; the client sends the others again. */
const MOST_WAITING = 16;

/** More than come in one piece, as a client sends them that has not seen yet that no more are taken. */
const MOST_DROPPED = 2_000;

/** The connections of all listeners: each has one request answered at a time; the longest idle one gives way to a new one. */
export class ClientConnections {
  readonly #options: { readonly limit: number; readonly log: WebLog; readonly answer: Handler };
  readonly #all = new Map<string, ClientConnection>();
  /** Those without a request under way, idle for longest first. */
  readonly #idle = new Set<ClientConnection>();
  #toldOfLimit = false;
  #closing = false;

  constructor(options: { readonly limit: number; readonly log: WebLog; readonly answer: Handler }) {
    this.#options = options;
  }

  /** Takes a new connection, of TCP: what TLS puts on it has the same ends. */
  readonly open = (socket: Socket): void => {
    if (this.#all.size >= this.#options.limit && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const connection: ClientConnection = { socket, waiting: [], answering: false, full: false, dropped: 0 };
    const ends = endsOf(socket);
    this.#all.set(ends, connection);
    this.#idle.add(connection);
    // Who asked for several things ahead has left; of a single one the answer may still be awaited.
    socket.once('end', () => connection.waiting.length > 0 && socket.destroy());
    socket.once('close', () => {
      connection.waiting.length = 0;
      this.#idle.delete(connection);
      if (this.#all.get(ends) === connection) this.#all.delete(ends);
      if (this.#all.size < this.#options.limit / 2) this.#toldOfLimit = false;
    });
  };

  /** Takes a request, and answers it when its connection has answered those before it. */
  readonly take = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = this.#all.get(endsOf(request.socket));
    if (connection === undefined) request.socket.destroy();
    else if (!connection.answering) this.#start(connection, { request, response });
    else if (!connection.full) {
      connection.waiting.push({ request, response });
      connection.full = connection.waiting.length === MOST_WAITING;
      if (connection.full) response.setHeader('Connection', 'close');
    } else if (++connection.dropped > MOST_DROPPED) {
      // Node goes on to read and parse what nobody will answer, for seconds, in which all others wait.
      connection.socket.destroy();
    }
  };

  /** From now on requests are refused, and each answer ends its connection: what there is to show goes away. */
  close(): void {
    this.#closing = true;
  }

  #start(connection: ClientConnection, { request, response }: Exchange): void {
    connection.answering = true;
    this.#idle.delete(connection);
    response.once('close', () => {
      // In a turn of its own, so that a client who asks for much at once does not keep the others waiting.
      if (connection.waiting.length > 0) setImmediate(() => this.#next(connection));
      else this.#rest(connection);
    });
    if (this.#closing)
      sendText(response.setHeader('Connection', 'close'), 503, ['The exporter is stopping.']);
    else void this.#options.answer(request, response);
  }

  #next(connection: ClientConnection): void {
    const exchange = connection.waiting.shift();
    if (exchange === undefined) this.#rest(connection);
    else if (connection.socket.writable) this.#start(connection, exchange);
  }

  #rest(connection: ClientConnection): void {
    connection.answering = false;
    if (!connection.socket.destroyed) this.#idle.add(connection);
  }

  #makeRoom(): boolean {
    const [oldest] = this.#idle;
    if (!this.#toldOfLimit)
      this.#options.log.warn(
        { connections: this.#all.size },
        oldest === undefined
          ? 'connection limit reached: all connections have requests in flight, new ones are refused'
          : 'connection limit reached: each new connection closes the one that has been idle longest',
      );
    this.#toldOfLimit = true;
    if (oldest === undefined) return false;
    this.#idle.delete(oldest);
    this.#all.delete(endsOf(oldest.socket));
    oldest.socket.destroy();
    return true;
  }
}

/** Both ends of a connection; no two connections have the same. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

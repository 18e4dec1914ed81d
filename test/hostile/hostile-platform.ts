import { createServer, type Socket } from 'node:net';
import { createGzip, gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { served } from '../served.ts';

type Behaviour = (socket: Socket, request: string) => void;

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const later = (socket: Socket, ms: number, act: () => void) => {
  setTimeout(() => !socket.destroyed && act(), ms).unref();
};

function endless(socket: Socket, piece: string | Buffer, everyMs = 0): void {
  const write = () => {
    if (socket.destroyed) return;
    const room = socket.write(piece);
    if (everyMs > 0) later(socket, everyMs, write);
    else if (room) setImmediate(write);
    else socket.once('drain', write);
  };
  write();
}

const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;

const answer = (status: string, headers: string, body: string, afterMs: number): Behaviour => {
  return (socket) =>
    later(socket, afterMs, () =>
      socket.write(`HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`),
    );
};

/**
 * Returns all known ways to break the protocol.
 * @param afterMs pause (ms) before each step of answers that are sent in steps
 */
export function behaviours(afterMs: number): Readonly<Record<string, Behaviour>> {
  const refuse = answer('401 Unauthorized', '', '{"detail":"Invalid token."}', afterMs);
  return {
    'accepts and says nothing': () => undefined,
    'stops reading, half open': (socket) => socket.pause(),
    'hangs after the headers': (socket) => socket.write(`${HEAD}content-length: 10\r\n\r\n`),
    'hangs within the headers': (socket) => socket.write(HEAD),
    'sends headers without end': (socket) => {
      socket.write(HEAD);
      endless(socket, 'x-more: of the same\r\n', 20);
    },
    'sends informational answers without end': (socket) =>
      endless(socket, 'HTTP/1.1 102 Processing\r\n\r\n', 20),
    'sends a body without end': (socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
      endless(socket, chunk(Buffer.alloc(16_384, '[')));
    },
    'sends a body without end, slowly': (socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
      endless(socket, chunk(Buffer.from(' ')), 20);
    },
    'sends a compressed body that is a thousand times larger': (socket) => {
      socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
    'sends a compressed body without end': (socket) => {
      socket.write(`${HEAD}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`);
      const gzip = createGzip().on('data', (bytes: Buffer) => socket.write(chunk(bytes)));
      const fill = setInterval(() => gzip.write(Buffer.alloc(65_536, '[')), 20);
      socket.once('close', () => clearInterval(fill));
    },
    'sends a document a million levels deep': answer('200 OK', '', deep, 0),
    'redirects in a circle, slowly': (socket, request) =>
      answer('302 Found', `location: ${request.split(' ')[1]}\r\n`, '', afterMs)(socket, request),
    'redirects with a body without end': (socket) => {
      socket.write('HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ntransfer-encoding: chunked\r\n\r\n');
      endless(socket, chunk(Buffer.alloc(1_000, '.')), 20);
    },
    'refuses every token, slowly': (socket, request) =>
      request.startsWith('POST')
        ? answer('201 Created', '', '{"token":"a-token-that-is-good-for-nothing"}', afterMs)(socket, request)
        : refuse(socket, request),
    'refuses with a body without end': (socket) => {
      socket.write('HTTP/1.1 503 Service Unavailable\r\ntransfer-encoding: chunked\r\n\r\n');
      endless(socket, chunk(Buffer.from('.')), 20);
    },
    'promises more than it sends': (socket) => socket.write(`${HEAD}content-length: 1000\r\n\r\n[]`),
    'sends more than it promised': (socket) =>
      socket.write(`${HEAD}content-length: 2\r\n\r\n[${'1,'.repeat(10_000)}1]`),
    'speaks another protocol': (socket) => socket.write(Buffer.alloc(4_000, 0x80)),
    'resets the connection half-way': (socket) => {
      socket.write(`${HEAD}content-length: 100\r\n\r\n[`);
      later(socket, 50, () => socket.resetAndDestroy());
    },
    'closes half-way': (socket) => socket.end(`${HEAD}content-length: 100\r\n\r\n[`),
  };
}

export interface HostilePlatform {
  readonly origin: string;
  /** Returns the number of requests so far. */
  readonly requests: () => number;
}

/** Serves a behaviour on a free port until the test finishes. */
export async function serveBehaviour(behaviour: Behaviour): Promise<HostilePlatform> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        requests += 1;
        behaviour(socket, received.slice(0, received.indexOf('\r\n')));
        received = received.slice(end + 4);
      }
    });
  });
  const port = await served(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { origin: `http://127.0.0.1:${port}`, requests: () => requests };
}

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { CONTENT_TYPES, negotiateFormat } from '../exposition/negotiate.ts';
import type { ExpositionFormat } from '../exposition/text-format.ts';

/** Content encoding of a response. */
export type Encoding = 'identity' | 'gzip';

/** Returns the encoding that the client prefers. A client that accepts none gets plain text, because a refusal helps nobody. */
function encodingFor(request: Request): Encoding {
  return request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity';
}

const compress = promisify(gzip);

/** Size below which compression saves no packet. */
const WORTH_COMPRESSING_BYTES = 2048;

/** Returns true if a response can still be sent. */
export function isAwaited(response: Response): boolean {
  // A response has no socket until earlier responses of the connection have ended.
  return !response.headersSent && !response.destroyed && response.req.socket.writable;
}

/** Sends a plain text response, one line each. Does nothing if the client has disconnected or already has a response. */
export function sendText(response: Response, status: number, lines: readonly string[]): void {
  if (response.headersSent) return;
  response.status(status);
  send(response, 'text/plain; charset=utf-8', Buffer.from(`${lines.join('\n')}\n`));
}

/** Sends a document that is created for this request and not cached. */
export async function sendDocument(
  request: Request,
  response: Response,
  { type, body }: { readonly type: string; readonly body: string },
): Promise<void> {
  const bytes = Buffer.from(body);
  const pack = bytes.length >= WORTH_COMPRESSING_BYTES && encodingFor(request) === 'gzip';
  const packed = pack ? await compress(bytes, { level: 1 }) : bytes;
  // The client may have disconnected during the compression, or the time limit may have passed.
  if (!isAwaited(response)) return;
  response.setHeader('Vary', 'Accept-Encoding');
  if (pack) response.setHeader('Content-Encoding', 'gzip');
  send(response, type, packed);
}

function send(response: Response, type: string, bytes: Buffer): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

/** Returns the buffers of a scrape, in order. They never change. */
export type ReadExposition = (
  format: ExpositionFormat,
  encoding: Encoding,
) => Promise<readonly Buffer[]> | readonly Buffer[];

/** Bytes written at once before waiting for the scraper: large enough that a fast one hardly waits. */
const BURST_BYTES = 4 * 1024 * 1024;

/** Responds to a scrape with prepared bytes. Nothing is hashed, copied or compressed here. */
export async function sendExposition(
  request: Request,
  response: Response,
  exposition: ReadExposition,
): Promise<void> {
  // Does not use Express's negotiation, which treats a version with an escaping scheme, as Prometheus sends it, as another type.
  const format = negotiateFormat(request.headers.accept);
  const encoding = encodingFor(request);
  const buffers = await exposition(format, encoding);
  if (!isAwaited(response)) return;
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  response.setHeader('Content-Type', CONTENT_TYPES[format]);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  response.setHeader('Content-Length', length);
  if (encoding === 'gzip') response.setHeader('Content-Encoding', 'gzip');
  if (request.method === 'HEAD') response.end();
  else if (length > BURST_BYTES) {
    // A scraper that disconnects early is not an error.
    await pipeline(Readable.from(buffers), response).catch(() => undefined);
  } else {
    response.cork();
    for (const buffer of buffers) response.write(buffer);
    response.end();
    response.uncork();
  }
}

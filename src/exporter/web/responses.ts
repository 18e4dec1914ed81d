import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { CONTENT_TYPES, negotiateFormat } from '../exposition/negotiate.ts';
import type { ExpositionFormat } from '../exposition/text-format.ts';

/** The packing of an answer. */
export type Encoding = 'identity' | 'gzip';

/**
 * Returns the encoding that the client prefers. A client that accepts none gets plain text, because a refusal would help
 * nobody.
 */
function encodingFor(request: Request): Encoding {
  return request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity';
}

const compress = promisify(gzip);

/** Size below which compression saves no packet. */
const WORTH_COMPRESSING_BYTES = 2048;

/** Returns true if an answer can still be sent. */
export function isAwaited(response: Response): boolean {
  // A response has no socket until earlier responses of the connection have ended.
  return !response.headersSent && !response.destroyed && response.req.socket.writable;
}

/** Sends a plain text answer, one line each, unless the client has left or has an answer. */
export function sendText(response: Response, status: number, lines: readonly string[]): void {
  if (response.headersSent) return;
  response.status(status);
  send(response, 'text/plain; charset=utf-8', Buffer.from(`${lines.join('\n')}\n`));
}

/** Sends an answer that is made for this request and differs for the next. */
export async function sendDocument(
  request: Request,
  response: Response,
  { type, body }: { readonly type: string; readonly body: string },
): Promise<void> {
  const bytes = Buffer.from(body);
  const pack = bytes.length >= WORTH_COMPRESSING_BYTES && encodingFor(request) === 'gzip';
  const packed = pack ? await compress(bytes, { level: 1 }) : bytes;
  // During the compression the client may have left, or the answer may be too late.
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

/** Returns the ready bytes of a scrape, in order. Polls do not change them. */
export type ReadExposition = (
  format: ExpositionFormat,
  encoding: Encoding,
) => Promise<readonly Buffer[]> | readonly Buffer[];

/** Written in one go, before waiting for the scraper to take it: large enough that a quick one hardly waits. */
const BURST_BYTES = 4 * 1024 * 1024;

/** Answers a scrape with bytes that are ready; nothing is hashed, copied or compressed here. */
export async function sendExposition(
  request: Request,
  response: Response,
  exposition: ReadExposition,
): Promise<void> {
  // Not Express's negotiation, which treats a version with an escaping scheme, as Prometheus sends it, as another type.
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
    // A scraper that leaves early is its own affair.
    await pipeline(Readable.from(buffers), response).catch(() => undefined);
  } else {
    response.cork();
    for (const buffer of buffers) response.write(buffer);
    response.end();
    response.uncork();
  }
}

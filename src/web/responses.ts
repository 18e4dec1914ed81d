import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodingFor } from './negotiation.ts';

const compress = promisify(gzip);

/** Below this, compressing saves no packet. */
const WORTH_COMPRESSING_BYTES = 2048;

/** Whether an answer can still be given: the client is there, and has not been told anything else meanwhile. */
export function isAwaited(response: ServerResponse): boolean {
  return !response.headersSent && !response.destroyed && response.socket?.writable === true;
}

/** A plain text answer for people and `curl`; one line each. */
export function sendText(response: ServerResponse, status: number, lines: readonly string[]): void {
  response.statusCode = status;
  send(response, 'text/plain; charset=utf-8', Buffer.from(`${lines.join('\n')}\n`));
}

/** An answer that is made for this request and differs for the next. */
export async function sendDocument(
  request: IncomingMessage,
  response: ServerResponse,
  { type, body }: { readonly type: string; readonly body: string },
): Promise<void> {
  const bytes = Buffer.from(body);
  const small = bytes.length < WORTH_COMPRESSING_BYTES;
  const pack = !small && encodingFor(request) === 'gzip';
  const packed = pack ? await compress(bytes, { level: 1 }) : bytes;
  // Compressing takes a while, in which the answer may have come too late or the client may have left.
  if (!isAwaited(response)) return;
  response.setHeader('Vary', 'Accept-Encoding');
  if (pack) response.setHeader('Content-Encoding', 'gzip');
  send(response, type, packed);
}

function send(response: ServerResponse, type: string, bytes: Buffer): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { CONTENT_TYPES, negotiateFormat } from '../exposition/negotiate.ts';
import type { ExpositionFormat } from '../exposition/text-format.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Answers a request whose handler has failed. */
export type OnFailure = (error: unknown, request: IncomingMessage, response: ServerResponse) => void;

/** How the bytes of an answer are packed. */
export type Encoding = 'identity' | 'gzip';

/** The packing that the client likes best of those that there are; a refusal of both would be of use to nobody. */
function encodingFor(request: IncomingMessage): Encoding {
  const [best] = new Negotiator(request).encodings(['gzip', 'identity']);
  return best === 'gzip' ? 'gzip' : 'identity';
}

const compress = promisify(gzip);

/** Below this, compressing saves no packet. */
const WORTH_COMPRESSING_BYTES = 2048;

/** The methods of whatever is only read. */
export const READING = ['GET', 'HEAD'];

/** Whether an answer can still be given: the client is there, and has not been told anything else meanwhile. */
export function isAwaited(response: ServerResponse): boolean {
  return !response.headersSent && !response.destroyed && response.socket?.writable === true;
}

/** A plain text answer for people and `curl`, one line each; none where it comes too late. */
export function sendText(response: ServerResponse, status: number, lines: readonly string[]): void {
  if (response.headersSent) return;
  response.statusCode = status;
  send(response, 'text/plain; charset=utf-8', Buffer.from(`${lines.join('\n')}\n`));
}

/** Says which methods a path takes. */
export function refuseMethod(response: ServerResponse, path: string, methods: readonly string[]): void {
  response.setHeader('Allow', methods.join(', '));
  sendText(response, 405, [`${path} takes ${methods.join(', ')}`]);
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

/** The bytes that are ready for a scrape, in order. They stay as they are, whatever is polled meanwhile. */
export type ReadExposition = (
  format: ExpositionFormat,
  encoding: Encoding,
) => Promise<readonly Buffer[]> | readonly Buffer[];

/** Written in one go, before waiting for the scraper to take it: large enough that a quick one hardly waits. */
const BURST_BYTES = 4 * 1024 * 1024;

/** Answers a scrape with bytes that are ready; nothing is hashed, copied or compressed here. */
export async function sendExposition(
  request: IncomingMessage,
  response: ServerResponse,
  exposition: ReadExposition,
): Promise<void> {
  const format = negotiateFormat(request.headers.accept);
  const encoding = encodingFor(request);
  const ready = exposition(format, encoding);
  const buffers = ready instanceof Promise ? await ready : ready;
  if (!isAwaited(response)) return;
  let length = 0;
  for (const buffer of buffers) length += buffer.length;
  response.setHeader('Content-Type', CONTENT_TYPES[format]);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  response.setHeader('Content-Length', length);
  if (encoding === 'gzip') response.setHeader('Content-Encoding', 'gzip');
  if (request.method === 'HEAD') response.end();
  else if (length <= BURST_BYTES) writeAll(response, buffers).end();
  else await writeInBursts(response, buffers);
}

function writeAll(response: ServerResponse, buffers: readonly Buffer[]): ServerResponse {
  response.cork();
  for (const buffer of buffers) response.write(buffer);
  response.uncork();
  return response;
}

async function writeInBursts(response: ServerResponse, buffers: readonly Buffer[]): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  try {
    for (const burst of bursts(buffers)) {
      if (response.destroyed) return;
      writeAll(response, burst);
      if (response.writableNeedDrain) await once(response, 'drain', { signal: gone.signal });
    }
    response.end();
  } catch (error) {
    // A scraper that leaves early is its own affair.
    if (!gone.signal.aborted) throw error;
  } finally {
    response.off('close', leave);
  }
}

function* bursts(buffers: readonly Buffer[]): Generator<readonly Buffer[]> {
  let burst: Buffer[] = [];
  let bytes = 0;
  for (const buffer of buffers) {
    burst.push(buffer);
    bytes += buffer.length;
    if (bytes < BURST_BYTES) continue;
    yield burst;
    burst = [];
    bytes = 0;
  }
  if (burst.length > 0) yield burst;
}
